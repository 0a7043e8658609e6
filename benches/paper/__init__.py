"""Reproduction of the paper's experiments, with a verdict on each of its claims.

The paper is *Posterior Regularization on Bayesian Hierarchical Mixture Clustering*. `make
reproduce` runs the experiments on one of its two tables and writes figures, numbers and a page.
"""
