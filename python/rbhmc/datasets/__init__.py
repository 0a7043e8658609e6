"""Tables to try the library on: animals, garments, and hierarchies drawn from the model.

All return scikit-learn's `Bunch`, or ``(data, target)`` with ``return_X_y=True``; with
``as_frame=True`` the items' names are the index.

Examples
--------
>>> from rbhmc.datasets import load_animals
>>> animals = load_animals()
>>> animals.data.shape, len(animals.target_names)
((33, 118), 8)
"""

from rbhmc.datasets.animals import load_animals
from rbhmc.datasets.fashion_mnist import fetch_fashion_mnist
from rbhmc.datasets.hierarchy import make_hierarchy
from rbhmc.datasets.home import get_data_home
from rbhmc.datasets.kemp import fetch_kemp_animals

__all__ = [
    "fetch_fashion_mnist",
    "fetch_kemp_animals",
    "get_data_home",
    "load_animals",
    "make_hierarchy",
]
