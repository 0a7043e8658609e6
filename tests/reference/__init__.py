"""A slow and simple NumPy sampler, the reference for the one in Rust."""

from .model import Model
from .sampler import ReferenceSampler
from .simulate import simulate_items, simulate_prior
from .state import Node, State, check_state
from .target import cdll, log_target, rcdll

__all__ = [
    "Model",
    "Node",
    "ReferenceSampler",
    "State",
    "cdll",
    "check_state",
    "log_target",
    "rcdll",
    "simulate_items",
    "simulate_prior",
]
