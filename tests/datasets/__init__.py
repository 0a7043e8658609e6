"""Tests of the data sets: what ships, what is read, what is downloaded."""
