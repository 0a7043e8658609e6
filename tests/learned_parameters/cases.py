"""Settings of the tests of learned parameters."""

from typing import Any

CONCENTRATIONS = ("alpha", "gamma", "gamma0")
ALL: dict[str, Any] = dict.fromkeys((*CONCENTRATIONS, "noise_cov", "base_cov"), "learn")
DIAGONAL: dict[str, Any] = ALL | {"noise_cov": "learn-diagonal", "base_cov": "learn-diagonal"}
