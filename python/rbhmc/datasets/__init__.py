"""Tables to try the library on: animals, and hierarchies simulated from the model.

Each function returns scikit-learn's `Bunch`, or ``(data, target)`` with ``return_X_y=True``. With
``as_frame=True`` the data are a frame whose index holds the names of the items.

Examples
--------
>>> from rbhmc.datasets import load_animals
>>> animals = load_animals()
>>> animals.data.shape, len(animals.target_names)
((33, 118), 8)
"""

from rbhmc.datasets.animals import load_animals
from rbhmc.datasets.hierarchy import make_hierarchy

__all__ = ["load_animals", "make_hierarchy"]
