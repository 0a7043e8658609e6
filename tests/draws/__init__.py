"""Tests of draws in memory, in files and as a DataTree."""
