"""The commands of `rbhmc`, one file each."""
