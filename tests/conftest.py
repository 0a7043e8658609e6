"""Settings of all tests."""

import signal

from hypothesis import settings

# The same examples in every run, and no deadline, which a busy machine could miss.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.load_profile("fixed")

# A shell that starts the tests in the background makes them ignore Ctrl-C, which some tests press.
signal.signal(signal.SIGINT, signal.default_int_handler)
