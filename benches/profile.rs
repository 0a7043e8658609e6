//! One chain of a given size and nothing else, for profilers: `profile ITEMS DIMS LEVELS C SWEEPS`.
//!
//! Up to 500 items the table is drawn from the model; beyond, it is a forest of 60 components in which every inner node has
//! six children. Prints the median time of a sweep and the size of the tree.

use rbhmc_benches::{Forest, median_time, size, warm};
use rbhmc_core::Config;

fn main() {
    let arguments: Vec<f64> = std::env::args().skip(1).map_while(|argument| argument.parse().ok()).collect();
    let &[n_items, n_dims, n_levels, c, n_sweeps] = arguments.as_slice() else {
        eprintln!("usage: profile ITEMS DIMS LEVELS C SWEEPS");
        std::process::exit(2);
    };
    let (n_items, n_dims, n_levels) = (n_items as usize, n_dims as usize, n_levels as usize);
    let mut sampler = if n_items <= 500 {
        warm(n_items, n_dims, Config { n_levels, C: c, ..Config::default() })
    } else {
        Forest { n_items, n_dims, n_levels, n_components: 60, fan: 6, alpha: 0.1 }.warm(c, 3)
    };
    let time = 1e6 * median_time(&mut sampler, n_sweeps as usize);
    println!(
        "{n_items} items, {}: {time:.1} µs a sweep, {:.3} µs an item",
        size(&sampler),
        time / n_items as f64,
    );
}
