"""What a chain that failed raises."""


class ChainError(RuntimeError):
    """A chain failed, or the worker that it ran on died; the message names the chain.

    Examples
    --------
    >>> import rbhmc
    >>> raise rbhmc.ChainError("chain 2 failed: no memory")
    Traceback (most recent call last):
    ...
    rbhmc.sampling.errors.ChainError: chain 2 failed: no memory
    """
