"""Tests of the measures and of the selection of a draw."""
