"""Measures of chains that processes can import."""

from typing import Any


def sizes(draws: dict[str, Any]) -> dict[str, float]:
    return {"n_leaves": float(draws["n_nodes"][:, -1].mean()), "rcdll": float(draws["rcdll"][-1])}


def fails(draws: dict[str, Any]) -> None:
    raise ZeroDivisionError("nothing to divide by")
