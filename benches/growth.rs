//! One chain of a forest: `growth ITEMS DIMS FAN COMPONENTS ALPHA C [exact]`, by the default scheme or `exact`.
//!
//! Every inner node of three levels starts with FAN children; a larger α keeps more of them, so that tables of any size can
//! have trees of equal size. Prints the size of the tree, the median time of a sweep, and the peak memory above the table.

use rbhmc_benches::{Forest, median_time, size};
use rbhmc_core::{Config, Scheme};

const WARM: usize = 10;
const TIMED: usize = 5;

fn main() -> std::io::Result<()> {
    let arguments: Vec<f64> = std::env::args().skip(1).map_while(|argument| argument.parse().ok()).collect();
    let &[n_items, n_dims, fan, n_components, alpha, c] = arguments.as_slice() else {
        eprintln!("usage: growth ITEMS DIMS FAN COMPONENTS ALPHA C [exact]");
        std::process::exit(2);
    };
    let forest = Forest {
        n_items: n_items as usize,
        n_dims: n_dims as usize,
        n_levels: 3,
        n_components: n_components as usize,
        fan: fan as usize,
        alpha,
    };
    let (x, paths) = forest.table();
    // The peak is measured from here on.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let before = mebibytes("VmRSS:")?;
    let is_exact = std::env::args().nth(7).is_some_and(|argument| argument == "exact");
    let scheme = if is_exact { Scheme::Exact } else { Scheme::Collapsed };
    let mut sampler = forest.sampler(&x, &paths, Config { C: c, scheme, ..Config::default() });
    (0..WARM).for_each(|_| sampler.sweep());
    let time = 1e6 * median_time(&mut sampler, TIMED);
    println!(
        "{n_items} x {n_dims}, C={c}: {}, {time:.0} µs a sweep, {:.3} µs an item, {:.0} MiB above the table",
        size(&sampler),
        time / n_items,
        mebibytes("VmHWM:")? - before,
    );
    Ok(())
}

/// A line of the process's status, in MiB.
fn mebibytes(name: &str) -> std::io::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    Ok(line.trim().trim_end_matches("kB").trim().parse().unwrap_or(f64::NAN) / 1024.0)
}
