//! One chain of a given size and nothing else, for profilers: `profile ITEMS DIMS WARMUP SWEEPS` has the settings of a fit
//! with the defaults, `profile ITEMS DIMS LEVELS C SWEEPS` unit noise and no intercept, `profile READING ITEMS DIMS C SWEEPS`
//! the settings of the study of the paper, with the reading `active`, `paths` or `collapsed`.
//!
//! Up to 500 items the second kind of table is drawn from the model; beyond, it is a forest of 60 components in which every
//! inner node has six children. Prints the median time of a sweep, the size of the tree and the last CDLL.

use rbhmc_benches::{DefaultFit, Forest, median_time, size, warm};
use rbhmc_core::{Config, Sampler};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<f64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let reading =
        arguments.first().filter(|reading| ["active", "paths", "collapsed"].contains(&reading.as_str()));
    let (n_items, n_dims) = match numbers.as_slice() {
        [n_items, n_dims, ..] => (*n_items as usize, *n_dims as usize),
        _ => usage(),
    };
    let fit = DefaultFit { n_items, n_dims };
    let (mut sampler, sweep): (Sampler, fn(&mut Sampler)) = match (reading, &numbers[2..]) {
        (Some(reading), &[c, _]) => fit.warm_reading(reading, c),
        (None, &[n_warmup, _]) => (fit.warm(n_warmup as usize), Sampler::sweep),
        (None, &[n_levels, c, _]) => {
            let n_levels = n_levels as usize;
            let sampler = if n_items <= 500 {
                warm(n_items, n_dims, Config { n_levels, C: c, ..Config::default() })
            } else {
                Forest { n_items, n_dims, n_levels, n_components: 60, fan: 6, alpha: 0.1 }.warm(c, 3)
            };
            (sampler, Sampler::sweep)
        }
        _ => usage(),
    };
    let n_sweeps = numbers[numbers.len() - 1] as usize;
    let time = 1e6 * median_time(&mut sampler, n_sweeps, sweep);
    println!(
        "{n_items} items, {}: {time:.1} µs a sweep, {:.3} µs an item; CDLL {}",
        size(&sampler),
        time / n_items as f64,
        sampler.cdll(),
    );
}

fn usage() -> ! {
    eprintln!(
        "usage: profile ITEMS DIMS WARMUP SWEEPS, profile ITEMS DIMS LEVELS C SWEEPS, or \
         profile active|paths|collapsed ITEMS DIMS C SWEEPS"
    );
    std::process::exit(2);
}
