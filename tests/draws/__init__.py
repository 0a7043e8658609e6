"""Tests of draws: stacked, stored, and as a DataTree."""
