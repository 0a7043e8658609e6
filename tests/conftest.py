"""What holds for all tests."""

from hypothesis import settings

# The same cases in every run, and no limit that a busy machine could break.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.load_profile("fixed")
