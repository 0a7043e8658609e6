"""Reproduction of the paper's experiments, with a verdict on each of its claims.

The paper is *Posterior Regularization on Bayesian Hierarchical Mixture Clustering*. `protocol` has
its settings, `chain` runs and measures a chain, `records` keeps what was measured; `evidence` reads
the records, `claims` judges by them, and `page` and `figures` make docs/results.md.
"""
