"""What is said by hand on docs/results.md, of the numbers that are on it."""

TITLES = {"animals": "Animals", "fashion": "Fashion-MNIST"}

INTRODUCTION = "# The paper, reproduced"
REMARKS = {"animals": "", "fashion": ""}
BEYOND = "## Beyond the paper"
