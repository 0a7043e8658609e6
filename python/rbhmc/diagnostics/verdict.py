"""The verdict on a fit, in two parts: whether the tree is worth reading, and whether chains agree.

The chains agree on a node if the standard deviation of its support between chains, which is the
Monte Carlo error of the support times √effective_chains, is at most `MAX_CHAIN_SD`.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rbhmc.posterior.reference import MIN_ITEMS, ReferenceTest
from rbhmc.tree import Node, Tree

Status = Literal["good", "doubtful", "bad", "unknown"]
WORST_FIRST: tuple[Status, ...] = ("bad", "doubtful", "unknown", "good")

# Of two supports of one half, neither is more likely than not; 70 % is the usual bound for
# bootstrap supports of phylogenies (Hillis and Bull 1993).
READABLE_SUPPORT = 0.5
HIGH_SUPPORT = 0.7
# A node that half of the chains have, and the others do not, has 0.5.
MAX_CHAIN_SD = 0.25
# Nodes that are named in a sentence.
MAX_NAMED = 4


class Judgement(NamedTuple):
    """One part of a verdict.

    Attributes
    ----------
    status : {"good", "doubtful", "bad", "unknown"}
    text : str
        Sentences, one in each line.
    """

    status: Status
    text: str


class Verdict(NamedTuple):
    """What to think of a fit; `print` it to read it.

    Attributes
    ----------
    tree : Judgement
        Whether the tree is worth reading: structure of the table, and supports of the nodes.
    chains : Judgement
        Whether the chains agree.

    Examples
    --------
    >>> verdict = Verdict(
    ...     Judgement("good", "3 of 3 nodes have a support of 70% or more"),
    ...     Judgement("doubtful", "16 chains agree on 2 of 3 nodes, and differ on 1.2"),
    ... )
    >>> verdict.status
    'doubtful'
    """

    tree: Judgement
    chains: Judgement

    @property
    def status(self) -> Status:
        """The worse of the two statuses: "good" only if both are."""
        return min((self.tree.status, self.chains.status), key=WORST_FIRST.index)

    @property
    def text(self) -> str:
        """Both texts, first the tree's."""
        return f"{self.tree.text}\n{self.chains.text}"

    def __str__(self) -> str:
        return self.text


def judge_tree(tree: Tree, reference: ReferenceTest | None, *, tested: bool = True) -> Judgement:
    """Judge whether a tree is worth reading.

    Parameters
    ----------
    tree : Tree
        The presented tree, with supports.
    reference : ReferenceTest or None
        The comparison of the table with tables without groups; None if there is none.
    tested : bool
        Whether a comparison was wanted: if `reference` is None, the table has too few items.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> tree = tree.with_support({"root": 1.0, "1": 0.9, "2": 0.4})
    >>> print(judge_tree(tree, None, tested=False).text)
    1 of 2 nodes has a support of 70% or more; the table was not compared with tables without groups
    """
    structure = _describe_structure(reference, tested)
    is_structured = reference is None or reference.is_structured
    nodes = judged_nodes(tree)
    if not nodes and len(tree) == 1:
        if reference is not None and not is_structured:
            return Judgement("bad", f"no groups to read: {structure}; only the root is shown")
        alone = "the tree is the root alone: the draws agree on no group"
        if reference is None:
            return Judgement("doubtful", f"{alone}; {structure}")
        # A single item far away dominates the separation, the scale and the noise.
        return Judgement(
            "doubtful", f"{alone}, although {structure}; look for extreme values in the table"
        )
    n_high = sum((node.support or 0.0) >= HIGH_SUPPORT for node in nodes)
    n_readable = sum((node.support or 0.0) >= READABLE_SUPPORT for node in nodes)
    if n_readable == 0:
        return Judgement(
            "bad", f"do not read this tree: no node has a support of 50% or more; {structure}"
        )
    verb = "has" if n_high == 1 else "have"
    supports = f"{n_high} of {len(nodes)} nodes {verb} a support of 70% or more"
    if not is_structured:
        return Judgement("bad", f"do not read this tree: {structure}; {supports}")
    is_good = reference is not None and 2 * n_high >= len(nodes)
    return Judgement("good" if is_good else "doubtful", f"{supports}; {structure}")


def _describe_structure(reference: ReferenceTest | None, tested: bool) -> str:
    if reference is not None:
        return str(reference)
    if tested:
        return f"too few items for a comparison with tables without groups ({MIN_ITEMS} are needed)"
    return "the table was not compared with tables without groups"


def judged_nodes(tree: Tree) -> list[Node]:
    """Return the nodes that are judged: all below the root, without single items and remainders.

    Examples
    --------
    >>> [node.id for node in judged_nodes(Tree.from_labels([[0], [0], [1]]))]
    ['1']
    """
    return [node for node in tree.nodes[1:] if node.size > 1 and not node.is_remainder]


def judge_nodes(tree: Tree, n_chains: int, n_trees: int = 1) -> Judgement:
    """Judge whether the chains agree on the nodes of their consensus.

    Parameters
    ----------
    tree : Tree
        The consensus; nodes without a Monte Carlo error are not judged.
    n_chains : int
    n_trees : int
        The number of trees that the chains stand for, see `rbhmc.posterior.alternatives`.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> supports = {"root": 1.0, "1": 1.0, "2": 0.5}
    >>> errors = {"root": 0.0, "1": 0.0, "2": 0.125}
    >>> chains = dict.fromkeys(supports, 16)
    >>> tree = tree.with_support(supports, support_error=errors, effective_chains=chains)
    >>> print(judge_nodes(tree, 16).text)
    16 chains agree on 1 of 2 nodes, and differ on node 2
    """
    if n_chains == 1:
        return Judgement("unknown", "one chain: nothing to compare it with; use n_chains=8 or more")
    nodes = {
        node: node.support_error * math.sqrt(node.effective_chains)
        for node in judged_nodes(tree)
        if node.support_error is not None and node.effective_chains is not None
    }
    who = f"{n_chains} chains"
    if not nodes:
        return Judgement("unknown", f"{who}: there is no node on which they could agree or differ")
    apart = sorted((node for node in nodes if nodes[node] > MAX_CHAIN_SD), key=lambda n: -nodes[n])
    if n_trees > 1:
        return Judgement(
            "bad",
            f"{who} found {n_trees} different trees: look at model.alternatives() before you read "
            "this one",
        )
    if not apart:
        which = {1: "the node", 2: "both nodes"}.get(len(nodes), f"all {len(nodes)} nodes")
        return Judgement("good", f"{who} agree on {which}")
    text = (
        f"{who} agree on {len(nodes) - len(apart)} of {len(nodes)} nodes, and differ on "
        f"{_name_nodes(apart)}"
    )
    if 2 * len(apart) > len(nodes):
        return Judgement("bad", f"{text}: raise n_warmup or n_chains")
    return Judgement("doubtful", text)


def _name_nodes(nodes: Sequence[Node]) -> str:
    """Name the first nodes, and count those that are not named."""
    named = [node.id for node in nodes[:MAX_NAMED]]
    n_more = len(nodes) - len(named)
    names = ", ".join(named) + (f" and {n_more} more" if n_more else "")
    return f"{'node' if len(nodes) == 1 else 'nodes'} {names}"
