"""The defaults of `RBHMC` before the consensus, for benchmarks whose published figures used them.

The presented tree is one of 1,000 draws of four chains, which start from the prior; noise is 1, and
discriminants have no intercept. Benchmarks set `n_warmup` and `thin`, which depended on the table.
"""

from typing import Any

EARLIER_DEFAULTS: dict[str, Any] = {
    "n_levels": 3,
    "margin": 5.0,
    "eta_scale": 1.0,
    "intercept": 0.0,
    "noise_cov": 1.0,
    "noise_warmup": 0,
    "base_cov": 1.0,
    "init": "prior",
    "n_chains": 4,
    "n_draws": 1000,
    "select": "vi",
}
