"""Settings of all tests."""

from hypothesis import settings

# The same examples in every run, and no deadline, which a busy machine could miss.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.load_profile("fixed")
