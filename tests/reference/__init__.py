"""The slow, obvious NumPy sampler that the fast one is checked against."""

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
