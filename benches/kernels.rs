//! The time of each kernel alone, on tables of the sizes of the paper's two studies.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rbhmc_benches::warm;
use rbhmc_core::{Config, Kernel, Scheme};

fn kernels(criterion: &mut Criterion) {
    let all = [
        (Kernel::ItemsGibbs, Scheme::Collapsed),
        (Kernel::ItemsGibbs, Scheme::Exact),
        (Kernel::ItemsMh, Scheme::Collapsed),
        (Kernel::PathsPaper, Scheme::Paper),
        (Kernel::Components, Scheme::Collapsed),
        (Kernel::ComponentsPaper, Scheme::Paper),
        (Kernel::WeightsTables, Scheme::Collapsed),
        (Kernel::WeightsCounts, Scheme::Paper),
        (Kernel::Margins, Scheme::Collapsed),
        (Kernel::MarginsPaper, Scheme::Paper),
        (Kernel::Means, Scheme::Collapsed),
    ];
    let mut group = criterion.benchmark_group("kernel");
    for (n_items, n_dims, n_levels) in [(33, 7, 3), (100, 10, 4)] {
        for (kernel, scheme) in all {
            let config = Config { n_levels, scheme, ..Config::default() };
            let mut sampler = warm(n_items, n_dims, config);
            let name = format!("{kernel:?}/{scheme:?}");
            let id = BenchmarkId::new(name, format!("{n_items}x{n_dims}, L={n_levels}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| sampler.apply(kernel).expect("C is above 0"));
            });
        }
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
