"""Colours: a node has the same one in all figures, and colour-blind readers can tell them apart."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch
from numpy.typing import NDArray

from plots.figures import TREE, axes, tree_of
from rbhmc import InvalidInput
from rbhmc.plots import node_colors, plot_co_occurrence, plot_plane, plot_tree
from rbhmc.plots.palette import (
    HUES,
    lighten_for_dark,
    luminance,
    node_color,
    text_color_on,
    to_oklab,
)
from rbhmc.tree import Tree
from tree.consensus import consensus_tree

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(color: str) -> NDArray[np.float64]:
    rgb = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def cielab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z = TO_XYZ @ rgb.clip(0.0, 1.0) / np.array([0.95047, 1.0, 1.08883])
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_distance(colors: list[str], vision: str) -> float:
    seen = [cielab(VISION[vision] @ linear(color)) for color in colors]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))


@pytest.mark.parametrize("vision", VISION)
def test_hues_are_distinct_for_every_reader(vision: str) -> None:
    assert least_distance(list(HUES), vision) > 20.0


def test_hues_of_equal_lightness_would_not_be_distinct() -> None:
    assert least_distance(["#C87A5A", "#8C9A4E", "#4E9F8A"], "deutan") < 20.0


@pytest.mark.parametrize("vision", VISION)
def test_siblings_are_distinct_for_every_reader(vision: str) -> None:
    for branch in range(1, len(HUES) + 1):
        assert least_distance([node_color(f"{branch}.{rank}") for rank in (1, 2, 3)], vision) > 4.0


def test_many_branches_have_different_colours() -> None:
    colors = [node_color(str(branch)) for branch in range(1, 25)]
    assert colors[:8] == list(HUES)
    assert least_distance(colors, "normal") > 5.0


def test_descendants_keep_the_hue_of_their_branch() -> None:
    for branch, hue in enumerate(HUES, start=1):
        angle = np.arctan2(*to_oklab(hue)[:0:-1])
        for tail in ("1", "2", "1.1", "2.2", "2.1.2"):
            other = np.arctan2(*to_oklab(node_color(f"{branch}.{tail}"))[:0:-1])
            assert abs(np.angle(np.exp(1j * (angle - other)))) < 0.35


def test_text_on_colours_has_enough_contrast() -> None:
    weights = np.array([0.2126, 0.7152, 0.0722])
    for id in [*map(str, range(1, 25)), "1.1", "1.2", "7.1.2"]:
        a, b = (
            float(weights @ linear(color))
            for color in (node_color(id), text_color_on(node_color(id)))
        )
        assert (max(a, b) + 0.05) / (min(a, b) + 0.05) > 3.5


def test_colours_of_nodes_can_be_seen_on_black() -> None:
    ids = [
        f"{branch}{tail}" for branch in range(1, 20) for tail in ("", ".1", ".2", ".1.1", ".3.2")
    ]
    contrast = [(luminance(lighten_for_dark(node_color(id))) + 0.05) / 0.05 for id in ids]
    assert min(contrast) > 3.5
    # Without this the darkest could not be seen.
    assert (luminance(node_color("9")) + 0.05) / 0.05 < 2.0


@pytest.mark.parametrize("vision", VISION)
def test_hues_are_distinct_on_black_too(vision: str) -> None:
    assert least_distance([lighten_for_dark(hue) for hue in HUES], vision) > 12.0


def test_a_colour_depends_on_the_id_alone() -> None:
    small, large = node_colors(tree_of(33)), node_colors(tree_of(300))
    shared = small.keys() & large.keys()
    assert len(shared) > 10
    assert all(small[id] == large[id] for id in shared)
    assert len(set(large.values())) == len(large)


def test_each_cluster_has_a_hue_if_clusters_are_marked() -> None:
    shares = np.random.default_rng(0).random((60, 60))
    tree, _ = consensus_tree((shares + shares.T) / 2.0, 7)
    colors = node_colors(tree)
    assert [colors[node.id] for node in tree.clusters] == list(HUES[:7])
    assert len(set(colors.values())) == len(tree)
    for node in tree.clusters:
        angle = np.arctan2(*to_oklab(colors[node.id])[:0:-1])
        for child in node.children:
            other = np.arctan2(*to_oklab(colors[child])[:0:-1])
            assert abs(np.angle(np.exp(1j * (angle - other)))) < 0.35
    # Nodes below a root that is the only cluster are told apart by their own hues.
    alone = Tree.from_labels(tree.paths, clusters=np.zeros(60, int))
    assert node_colors(alone) == {node.id: node_color(node.id) for node in alone}


def test_a_node_has_one_colour_in_all_figures() -> None:
    colors = {id: color.lower() for id, color in node_colors(TREE).items()}
    at_level = {colors[node.id] for node in TREE.nodes_at(2)}
    drawn = plot_tree(TREE, ax=axes()).patches
    badges = {to_hex(patch.get_facecolor()) for patch in drawn if isinstance(patch, FancyBboxPatch)}
    assert badges == set(colors.values())
    frames = plot_co_occurrence(np.eye(8), TREE, level=2, ax=axes()).patches
    assert at_level <= {to_hex(patch.get_edgecolor()) for patch in frames}
    points = np.random.default_rng(0).random((8, 2))
    dots = plot_plane(points, TREE, level=2, ax=axes()).collections
    assert {to_hex(np.asarray(dot.get_facecolor())[0]) for dot in dots} == at_level


@pytest.mark.parametrize("id", ["", "0", "1.0", "x", "1.", "-1", None])
def test_invalid_ids_are_refused(id: str) -> None:
    with pytest.raises(InvalidInput, match='it must be "root", or ranks'):
        node_color(id)
