"""Draws of one or more chains: their arrays, their files, and blocks of trees."""

from rbhmc.draws.draws import Draws

__all__ = ["Draws"]
