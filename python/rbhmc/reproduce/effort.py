"""How much of the paper's protocol is run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Lengths and numbers of chains.

    Attributes
    ----------
    n_warmup, n_sweeps, thin : int
        Sweeps that are dropped, sweeps after them, and how many of these make a draw.
    n_repeats : int
        Chains for each setting of the sensitivity map.
    n_chains : int
        Chains for the F-measures.
    n_trace : int
        Sweeps of a trace.

    Examples
    --------
    >>> EFFORTS["paper"].n_draws
    10000
    """

    n_warmup: int
    n_sweeps: int
    thin: int
    n_repeats: int
    n_chains: int
    n_trace: int

    @property
    def n_draws(self) -> int:
        """Draws of a chain."""
        return self.n_sweeps // self.thin


EFFORTS = {
    "quick": Effort(n_warmup=2_500, n_sweeps=5_000, thin=5, n_repeats=3, n_chains=6, n_trace=5_000),
    "medium": Effort(
        n_warmup=10_000, n_sweeps=20_000, thin=5, n_repeats=10, n_chains=10, n_trace=20_000
    ),
    "paper": Effort(
        n_warmup=25_000, n_sweeps=50_000, thin=5, n_repeats=30, n_chains=15, n_trace=50_000
    ),
}
