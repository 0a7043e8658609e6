"""Draws of one or more chains: arrays, files, and blocks of trees."""

from rbhmc.draws.draws import Draws

__all__ = ["Draws"]
