"""Lets ``python -m rbhmc.cli`` stand for ``rbhmc``."""

from rbhmc.cli import main

if __name__ == "__main__":
    main()
