from collections.abc import Callable, Sequence
from typing import (
    Any,
    Final,
    Literal,
    NotRequired,
    SupportsIndex,
    TypedDict,
    Unpack,
    final,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "SETTINGS",
    "InvalidCheckpoint",
    "InvalidInput",
    "Sampler",
    "__version__",
    "add_shared_items",
    "aid_aod",
    "average_linkage",
    "best_jaccard",
    "beta",
    "canonical_labels",
    "check_settings",
    "class_agreement",
    "compare_partitions",
    "count_clades",
    "count_coclustered",
    "crt",
    "dirichlet",
    "expected_losses",
    "expected_losses_from_sums",
    "frequent_clades",
    "gig",
    "inverse_gamma_above",
    "inverse_gaussian",
    "ln_densities",
    "match_nodes",
    "path_probabilities",
    "project",
    "restore",
    "simulate",
    "sum_coclustered",
    "transfer_distances",
    "vi_cut",
]

__version__: Final[str]
SETTINGS: Final[tuple[str, ...]]

class InvalidInput(ValueError): ...
class InvalidCheckpoint(InvalidInput): ...

class _Settings(TypedDict, total=False):
    n_levels: SupportsIndex
    alpha: float | Literal["learn"]
    gamma: float | Literal["learn"]
    gamma0: float | Literal["learn"]
    C: float
    margin: float
    eta_scale: float | Literal["auto"]
    intercept: float | Literal["auto"]
    noise_cov: ArrayLike
    noise_warmup: SupportsIndex
    base_mean: ArrayLike
    base_cov: ArrayLike
    scheme: str
    path_move: str | None

class _Tree(TypedDict):
    parent: NDArray[np.int32]
    level: NDArray[np.int32]
    n_items: NDArray[np.int32]
    weights: NDArray[np.float64]
    discriminants: NDArray[np.float64] | None

class _Draws(TypedDict):
    paths: NDArray[np.int32]
    components: NDArray[np.int32]
    cdll: NDArray[np.float64]
    rcdll: NDArray[np.float64]
    n_nodes: NDArray[np.int32]
    n_components: NDArray[np.int32]
    loss: NDArray[np.float64]
    path_acceptance: NDArray[np.float64]
    eta_acceptance: NDArray[np.float64]
    split_merge_acceptance: NDArray[np.float64]
    alpha: NotRequired[NDArray[np.float64]]
    gamma: NotRequired[NDArray[np.float64]]
    gamma0: NotRequired[NDArray[np.float64]]
    noise_cov: NotRequired[NDArray[np.float64]]
    base_cov: NotRequired[NDArray[np.float64]]

class _Simulation(TypedDict):
    X: NDArray[np.float64]
    paths: NDArray[np.int32]
    components: NDArray[np.int32]
    means: NDArray[np.float64]
    tree: _Tree

@final
class Sampler:
    def __new__(
        cls,
        X: ArrayLike,
        *,
        initial_paths: ArrayLike | None = None,
        initial_components: ArrayLike | None = None,
        seed: SupportsIndex = 0,
        **settings: Unpack[_Settings],
    ) -> Sampler: ...
    def sweep(self, n: SupportsIndex = 1) -> None: ...
    def run(
        self,
        n_draws: SupportsIndex,
        *,
        thin: SupportsIndex = 1,
        burn_in: SupportsIndex = 0,
        in_progress: SupportsIndex = 0,
        progress: Callable[[dict[str, Any]], object] | None = None,
        parallel: bool = False,
    ) -> _Draws: ...
    def apply(self, kernel: str) -> None: ...
    def check(self) -> None: ...
    @property
    def paths(self) -> NDArray[np.int32]: ...
    @property
    def components(self) -> NDArray[np.int32]: ...
    @property
    def means(self) -> NDArray[np.float64]: ...
    @property
    def tree(self) -> _Tree: ...
    @property
    def cdll(self) -> float: ...
    @property
    def rcdll(self) -> float: ...
    @property
    def losses(self) -> NDArray[np.float64]: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def learned(self) -> list[str]: ...
    @property
    def n_sweeps(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(b: bytes) -> Sampler: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

def restore(b: bytes) -> Sampler: ...
def check_settings(
    X: ArrayLike, *, initial_paths: ArrayLike | None = None, **settings: Unpack[_Settings]
) -> None: ...
def canonical_labels(
    paths: NDArray[np.int64], draws: list[int] | None = None
) -> NDArray[np.int32]: ...
def transfer_distances(
    parents: NDArray[np.int32], trees: NDArray[np.int32]
) -> NDArray[np.uint32]: ...
def average_linkage(counts: NDArray[np.uint32], n_total: int) -> NDArray[np.float64]: ...
def vi_cut(
    parents: NDArray[np.int32], counts: NDArray[np.uint32], n_total: int, weight: float
) -> NDArray[np.bool_]: ...
def add_shared_items(
    tree: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    targets: NDArray[np.int64],
    draws: NDArray[np.int32],
    sums: NDArray[np.uint32],
) -> None: ...
def count_clades(
    sets: tuple[NDArray[np.uint32], NDArray[np.uint64]], trees: NDArray[np.int32]
) -> NDArray[np.uint64]: ...
def frequent_clades(trees: NDArray[np.int32], min_draws: int) -> NDArray[np.uint64]: ...
def best_jaccard(
    sets: tuple[NDArray[np.uint32], NDArray[np.uint64]], trees: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def match_nodes(tree: NDArray[np.int32], trees: NDArray[np.int32]) -> NDArray[np.int32]: ...
def count_coclustered(
    draws: NDArray[np.int32], counts: NDArray[np.uint32] | NDArray[np.float64]
) -> None: ...
def sum_coclustered(
    trees: NDArray[np.int32], draws: NDArray[np.int32], sums: NDArray[np.uint64]
) -> None: ...
def expected_losses(
    trees: NDArray[np.int32], counts: NDArray[np.uint32], n_draws: int, loss: str
) -> NDArray[np.float64]: ...
def expected_losses_from_sums(
    trees: NDArray[np.int32], sums: NDArray[np.uint64], n_draws: int, loss: str
) -> NDArray[np.float64]: ...
def compare_partitions(
    a: NDArray[np.int32], b: NDArray[np.int32], measure: str
) -> NDArray[np.float64]: ...
def aid_aod(
    x: NDArray[np.float64],
    trees: NDArray[np.int32],
    level: int | None = None,
    skip_singletons: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def class_agreement(
    classes: NDArray[np.int32], trees: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def path_probabilities(
    x: NDArray[np.float64],
    parent: NDArray[np.int32],
    n_items: NDArray[np.int32],
    columns: Sequence[int],
    draws: Sequence[dict[str, Any]],
) -> NDArray[np.float64]: ...
def ln_densities(
    x: NDArray[np.float64],
    parent: NDArray[np.int32],
    n_items: NDArray[np.int32],
    draws: Sequence[dict[str, Any]],
) -> NDArray[np.float64]: ...
def project(
    x: NDArray[np.float64], centre: NDArray[np.float64], axes: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def simulate(
    n_items: SupportsIndex,
    n_dims: SupportsIndex,
    *,
    seed: SupportsIndex = 0,
    **settings: Unpack[_Settings],
) -> _Simulation: ...
def gig(
    p: float, a: float, b: float, size: SupportsIndex = 1, seed: SupportsIndex = 0
) -> NDArray[np.float64]: ...
def inverse_gaussian(
    mean: float, size: SupportsIndex = 1, seed: SupportsIndex = 0
) -> NDArray[np.float64]: ...
def inverse_gamma_above(
    shape: float,
    scale: float,
    floor: float,
    size: SupportsIndex = 1,
    seed: SupportsIndex = 0,
) -> NDArray[np.float64]: ...
def beta(
    a: float, b: float, size: SupportsIndex = 1, seed: SupportsIndex = 0, limit: float = 0.5
) -> NDArray[np.float64]: ...
def dirichlet(
    shapes: Sequence[float], size: SupportsIndex = 1, seed: SupportsIndex = 0
) -> NDArray[np.float64]: ...
def crt(
    n: SupportsIndex, concentration: float, size: SupportsIndex = 1, seed: SupportsIndex = 0
) -> NDArray[np.uint32]: ...
