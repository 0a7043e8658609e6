"""Runs ``rbhmc`` as ``python -m rbhmc.cli``."""

from rbhmc.cli import main

if __name__ == "__main__":
    main()
