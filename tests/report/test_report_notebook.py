"""What a notebook shows: the tree of a fitted model, without a script and safe for any name."""

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rbhmc import BHMC, RBHMC, Tree
from rbhmc.report.notebook import tree_html
from report.models import HOSTILE
from tree.cases import PROPERTY, deepest, many_labels, trees

VOID = {"style", "div", "p", "ul", "li", "details", "summary", "span", "pre"}


class Elements(HTMLParser):
    """Collects the elements and the text outside of the style; checks that elements are nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in VOID
        assert not any(name.startswith("on") for name, _ in attrs)
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def model() -> RBHMC:
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9.0 * (np.arange(60) % 3)[:, None]
    return RBHMC(n_draws=20, n_chains=2, n_warmup=40, random_state=0).fit(X)


def test_a_fitted_model_shows_its_tree(model: RBHMC) -> None:
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == repr(model)
    assert str(model).startswith("RBHMC(")
    shown = Elements(bundle["text/html"])
    assert shown.text.startswith(
        f"RBHMC: 60 items, 2 features, {len(model.tree_.clusters)} clusters"
    )
    described = model.tree_.describe()
    for id in model.tree_.root.children:
        node = model.tree_.node(id)
        assert node.support is not None
        mention = described[id].mentions[0]
        assert f"{id}{node.support:.0%} {described[id].count}: {mention}" in shown.text
    assert model._repr_html_() == bundle["text/html"]


def test_an_unfitted_model_keeps_the_diagram_of_scikit_learn(model: RBHMC) -> None:
    for unfitted in (RBHMC(), BHMC()):
        assert "sk-top-container" in unfitted._repr_html_()
        assert "sk-top-container" in unfitted._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in make_pipeline(StandardScaler(), model)._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_names_are_escaped() -> None:
    tree = Tree.from_labels(np.arange(len(HOSTILE))[:, None] // 2, names=HOSTILE)
    shown = Elements(tree._repr_html_())
    assert HOSTILE[0] in shown.text
    assert '""' in shown.text


@PROPERTY
@given(trees())
def test_every_tree_can_be_shown(tree: Tree) -> None:
    shown = Elements(tree_html(tree))
    assert shown.seen.count("li") == len(tree) - (not tree.root.is_leaf)


def test_large_trees_are_collapsed() -> None:
    tree = Tree.from_labels(many_labels(5000, [5, 5, 40]))
    html = tree._repr_html_()
    shown = Elements(html)
    assert shown.seen.count("li") < 200
    assert len(html) < 100_000
    assert "leaves" in shown.text
    assert " open=" not in html
    assert Elements(deepest()._repr_html_()).seen
