//! One chain of a given size and nothing else, for profilers: `profile ITEMS DIMS WARMUP SWEEPS` has the settings of a fit
//! with the defaults, `profile ITEMS DIMS LEVELS C SWEEPS` unit noise and no intercept.
//!
//! Up to 500 items the second kind of table is drawn from the model; beyond, it is a forest of 60 components in which every
//! inner node has six children. Prints the median time of a sweep and the size of the tree.

use rbhmc_benches::{DefaultFit, Forest, median_time, size, warm};
use rbhmc_core::Config;

fn main() {
    let arguments: Vec<f64> = std::env::args().skip(1).map_while(|argument| argument.parse().ok()).collect();
    let (n_items, mut sampler, n_sweeps) = match *arguments.as_slice() {
        [n_items, n_dims, n_warmup, n_sweeps] => {
            let fit = DefaultFit { n_items: n_items as usize, n_dims: n_dims as usize };
            (n_items, fit.warm(n_warmup as usize), n_sweeps)
        }
        [n_items, n_dims, n_levels, c, n_sweeps] => {
            let (items, n_dims, n_levels) = (n_items as usize, n_dims as usize, n_levels as usize);
            let sampler = if items <= 500 {
                warm(items, n_dims, Config { n_levels, C: c, ..Config::default() })
            } else {
                Forest { n_items: items, n_dims, n_levels, n_components: 60, fan: 6, alpha: 0.1 }.warm(c, 3)
            };
            (n_items, sampler, n_sweeps)
        }
        _ => {
            eprintln!("usage: profile ITEMS DIMS WARMUP SWEEPS, or profile ITEMS DIMS LEVELS C SWEEPS");
            std::process::exit(2);
        }
    };
    let time = 1e6 * median_time(&mut sampler, n_sweeps as usize);
    println!("{n_items} items, {}: {time:.1} µs a sweep, {:.3} µs an item", size(&sampler), time / n_items,);
}
