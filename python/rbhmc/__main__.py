"""Runs the command line as ``python -m rbhmc``."""

from rbhmc.cli import main

if __name__ == "__main__":
    main()
