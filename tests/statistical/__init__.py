"""Statistical tests: fixed seeds, stated levels, no retries, and controls that must fail."""
