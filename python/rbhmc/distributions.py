"""Seeded draws from the distributions that the sampler uses.

Examples
--------
>>> from rbhmc.distributions import gig
>>> bool((gig(0.5, 1.0, 4.0, size=1000, seed=1) > 0).all())
True
"""

from rbhmc._core import beta, crt, dirichlet, gig, inverse_gamma_above, inverse_gaussian

__all__ = ["beta", "crt", "dirichlet", "gig", "inverse_gamma_above", "inverse_gaussian"]
