//! The time of a sweep, over items, dimensions, levels, schemes and C.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rbhmc_benches::{Forest, warm};
use rbhmc_core::{Config, PathMove, Scheme};

#[allow(non_snake_case)]
fn sweeps(criterion: &mut Criterion) {
    let schemes = [
        ("collapsed", Scheme::Collapsed, None),
        ("collapsed-mh", Scheme::Collapsed, Some(PathMove::Mh)),
        ("exact", Scheme::Exact, None),
        ("paper", Scheme::Paper, None),
    ];
    let mut group = criterion.benchmark_group("sweep");
    for (n_items, n_dims, n_levels) in [(33, 7, 3), (100, 10, 4), (100, 10, 2), (100, 30, 4), (1000, 10, 3)] {
        for (name, scheme, path_move) in schemes {
            for C in [0.0, 1.0] {
                let config = Config { n_levels, C, scheme, path_move, ..Config::default() };
                let mut sampler = warm(n_items, n_dims, config);
                let id = BenchmarkId::new(name, format!("{n_items}x{n_dims}, L={n_levels}, C={C}"));
                group.bench_function(id, |bencher| bencher.iter(|| sampler.sweep()));
            }
        }
    }
}

/// Chains that start from trees with 216 leaves and 60 components.
#[allow(non_snake_case)]
fn large_sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("large");
    group.sample_size(10);
    for (n_items, n_dims) in [(1_000, 10), (10_000, 10), (10_000, 20), (70_000, 10)] {
        for C in [0.0, 1.0] {
            let forest = Forest { n_items, n_dims, n_levels: 3, n_components: 60, fan: 6, alpha: 0.1 };
            let mut sampler = forest.warm(C, 5);
            let id = BenchmarkId::new("collapsed", format!("{n_items}x{n_dims}, C={C}"));
            group.bench_function(id, |bencher| bencher.iter(|| sampler.sweep()));
        }
    }
}

criterion_group!(benches, sweeps, large_sweeps);
criterion_main!(benches);
