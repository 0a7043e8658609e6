"""What the library says about its parameters, in words of the command line."""

import re

from rbhmc.cli.settings import OPTIONS

# What the library says, and what it is called here; the first that fits is taken.
WORDS = {
    r"\bn_draws or thin\b": "--draws or --thin",
    r"use n_chains=(\d+)": r"use --chains \1",
    **{
        rf"(?<![\w-]){name}\b": f"--{option.replace('_', '-')}"
        for option, name in OPTIONS.items()
        if "_" in name
    },
}


def in_options(text: str) -> str:
    """Replace the names of parameters by those of options.

    Examples
    --------
    >>> in_options("n_pca is 9; it must be a whole number from 1 to 3")
    '--n-pca is 9; it must be a whole number from 1 to 3'
    """
    for pattern, replacement in WORDS.items():
        text = re.sub(pattern, replacement, text)
    return text
