"""Verdicts on chains that agree, nearly agree, disagree, or cannot be compared."""

import math
from typing import Any

import numpy as np
import pytest

from diagnostics.runs import constant_chains, diagnose_run, independent_draws, judge_run, make_run
from rbhmc import Tree
from rbhmc.diagnostics import Row, judge_rhat
from rbhmc.diagnostics.verdict import judge_nodes, judge_tree
from rbhmc.posterior.reference import ReferenceTest

A = [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]
OTHER_AT_1 = [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [1, 1]]
OTHER_AT_2 = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2], [1, 2]]


def row(rhat: float | None, name: str = "RCDLL", level: int | None = None, ess: float = 5e3) -> Row:
    return Row(name, level, 0.0, 1.0, rhat, ess, ess)


def test_independent_draws_agree() -> None:
    paths = independent_draws(4, 1000)
    verdict = judge_run(make_run(paths), paths[0, 0])
    assert "few independent" not in verdict.text
    assert verdict.status == "good"
    assert verdict.text.startswith("4 chains agree (R-hat 1.00")


@pytest.mark.parametrize("selected", [0, 1])
@pytest.mark.parametrize(("other", "level"), [(OTHER_AT_1, 1), (OTHER_AT_2, 2)])
def test_constant_chains_differ_at_their_topmost_level(
    other: Any, level: int, selected: int
) -> None:
    verdict = judge_run(make_run(constant_chains(A, other)), (A, other)[selected])
    assert verdict.status == "bad"
    assert verdict.text == (
        f"2 chains found different trees at level {level} (R-hat >100): run longer, or look at "
        f"the co-occurrence of level {level}"
    )


def test_clusters_of_equal_sizes_differ_in_their_distance() -> None:
    """Both chains have two clusters of 3 items, so only their distance differs."""
    other = [[0, 0], [0, 0], [1, 1], [0, 0], [1, 1], [1, 1]]
    found = diagnose_run(make_run(constant_chains(A, other)), A)
    words = {row.name: row.note for row in found.table}
    assert words["effective clusters, level 1"] == "constant: 2"
    assert words["distance to the clusters, level 1"].startswith("stuck")
    assert "different trees at level 1" in judge_run(make_run(constant_chains(A, other)), A).text


def test_one_constant_chain_of_four() -> None:
    paths = independent_draws(4, 500)
    paths[3] = paths[0, 0]
    assert "4 chains found different trees at level 1" in (
        judge_run(make_run(paths), paths[0, 0]).text
    )


def test_summaries_of_the_whole_tree_are_named() -> None:
    rcdll = np.random.default_rng(0).normal(size=(2, 400))
    rcdll[1] += 2.0
    draws = make_run(independent_draws(2, 400), rcdll=rcdll)
    verdict = judge_run(draws, draws.paths[0, 0])
    assert verdict.status == "bad"
    assert verdict.text.startswith("2 chains disagree on RCDLL (R-hat ")
    assert verdict.text.endswith("): run longer")


@pytest.mark.parametrize(
    ("rows", "status", "text"),
    [
        ([row(1.0), row(1.0104)], "good", "4 chains agree (R-hat 1.010)"),
        (
            [row(1.0), row(1.0106, "nodes, level 2", 2)],
            "doubtful",
            "4 chains nearly agree (R-hat 1.011 of nodes, level 2): run longer before you quote "
            "figures",
        ),
        (
            [row(1.1)],
            "doubtful",
            "4 chains nearly agree (R-hat 1.100 of RCDLL): run longer before you quote figures",
        ),
        ([row(1.2), row(1.3, "loss")], "bad", "4 chains disagree on loss (R-hat 1.300): "),
        (
            [row(9.0), row(1.05, "a", 1), row(1.2, "b", 2), row(1.4, "c", 2), row(2.0, "d", 3)],
            "bad",
            "4 chains found different trees at level 2 (R-hat 1.400): run longer, or look at "
            "the co-occurrence of level 2",
        ),
        (
            [Row("nodes, level 1", 1, 2.0, 0.0, note="constant: 2")],
            "good",
            "4 chains agree: every summary is the same in all draws",
        ),
        ([row(math.inf, "nodes, level 1", 1)], "bad", "4 chains found different trees at"),
        (
            [row(1.0), row(1.0, "loss", ess=37.2)],
            "good",
            "4 chains agree (R-hat 1.000)\n"
            "few independent draws (ESS 37 of loss, 400 wanted): raise n_draws or thin",
        ),
    ],
)
def test_sentences(rows: list[Row], status: str, text: str) -> None:
    verdict = judge_rhat(rows, n_chains=4, n_draws=1000)
    assert verdict.status == status
    assert verdict.text.startswith(text)
    assert ("few independent" in text) == ("few independent" in verdict.text)


def test_both_effective_sample_sizes_must_suffice() -> None:
    one = row(1.0, ess=400)
    assert "few independent" not in judge_rhat([one], 4, 1000).text
    assert "few independent" in judge_rhat([one._replace(ess_bulk=399.0)], 4, 1000).text
    assert "few independent" in judge_rhat([one._replace(ess_tail=399.0)], 4, 1000).text


def test_chains_that_disagree_get_no_advice_on_sample_size() -> None:
    verdict = judge_rhat([row(2.0, ess=5.0)], 4, 1000)
    assert "\n" not in verdict.text


def test_one_chain_has_nothing_to_compare_with() -> None:
    paths = independent_draws(1, 1000)
    verdict = judge_run(make_run(paths), paths[0, 0])
    first, second = verdict.text.splitlines()
    assert first == "one chain: nothing to compare it with; use n_chains=4"
    assert second.startswith("the halves of the chain agree (R-hat ")
    assert verdict.status == "unknown"
    assert "few independent" not in verdict.text


def test_one_chain_that_moved_once() -> None:
    paths = np.concatenate([constant_chains(A), constant_chains(OTHER_AT_2)], axis=1)
    verdict = judge_run(make_run(paths), A)
    assert "the halves of the chain found different trees at level 2" in verdict.text
    assert verdict.status == "unknown"


@pytest.mark.parametrize(
    ("n_chains", "n_draws", "text"),
    [
        (4, 1, "1 draw per chain: R-hat and ESS need 4 or more; raise n_draws"),
        (2, 2, "2 draws per chain: R-hat and ESS need 4 or more; raise n_draws"),
        (
            1,
            1,
            "one chain: nothing to compare it with; use n_chains=4\n"
            "1 draw per chain: R-hat and ESS need 8 or more; raise n_draws",
        ),
    ],
)
def test_too_few_draws(n_chains: int, n_draws: int, text: str) -> None:
    paths = independent_draws(n_chains, n_draws)
    assert judge_run(make_run(paths), paths[0, 0]) == ("unknown", text)
    found = diagnose_run(make_run(paths), paths[0, 0])
    assert "nan" not in str(found)


@pytest.mark.parametrize(("n_nodes", "words"), [(2, "both nodes"), (3, "all 3 nodes")])
def test_the_nodes_on_which_all_chains_agree_are_counted(n_nodes: int, words: str) -> None:
    tree = Tree.from_labels(np.repeat(np.arange(n_nodes), 2)[:, None])
    ids = [node.id for node in tree.nodes]
    tree = tree.with_support(
        dict.fromkeys(ids, 1.0),
        support_error=dict.fromkeys(ids, 0.0),
        effective_chains=dict.fromkeys(ids, 16),
    )
    assert judge_nodes(tree, 16).text == f"16 chains agree on {words}"


def test_a_root_alone_of_a_structured_table_is_explained() -> None:
    """Structure and no group read as a contradiction; one item far away gives both."""
    found = ReferenceTest(np.array([9.0, 9.0]), 0.9, np.zeros((2, 39)), np.zeros((2, 39)))
    root = Tree.from_labels([[0], [0], [0]]).with_support({"root": 1.0})
    text = judge_tree(root, found).text
    assert "agree on no group, although the table has more structure" in text
    assert text.endswith("look for extreme values in the table")
    assert "although" not in judge_tree(root, None).text
