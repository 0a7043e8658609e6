//! Random numbers: one seed, and a ChaCha stream for each purpose. Streams are copied into checkpoints only.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::numerics::TILE;

pub type Rng = ChaCha8Rng;

/// The purpose of a stream: equal seeds give independent streams for different purposes.
#[derive(Debug, Clone, Copy)]
pub enum Stream {
    Chain = 0,
    Simulation = 1,
    Distribution = 2,
    Sample = 3,
}

pub fn stream(seed: u64, stream: Stream) -> Rng {
    let mut rng = Rng::seed_from_u64(seed);
    rng.set_stream(stream as u64);
    rng
}

/// Uniform on [0, 1).
#[inline]
pub fn uniform(rng: &mut Rng) -> f64 {
    rng.random()
}

/// Uniform on 0 … n − 1.
pub fn uniform_index(rng: &mut Rng, n: usize) -> usize {
    ((uniform(rng) * n as f64) as usize).min(n - 1)
}

#[inline]
pub fn standard_normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// An index with probability in proportion to its weight; `total` is the sum of the weights.
#[inline]
pub fn categorical(rng: &mut Rng, weights: &[f64], total: f64) -> usize {
    index_at(weights, uniform(rng) * total)
}

/// The index of the weight in which `left` falls, the weights being laid end to end.
#[inline]
pub fn index_at(weights: &[f64], mut left: f64) -> usize {
    let mut last = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            if left < weight {
                return index;
            }
            left -= weight;
            last = index;
        }
    }
    // Rounding may leave a remainder beyond the last weight.
    last
}

/// The same as [`index_at`], skipping tiles of [`TILE`] weights by their sums.
#[inline]
pub fn index_at_tiles(weights: &[f64], tiles: &[f64], mut left: f64) -> usize {
    let mut last = 0;
    for (tile, &sum) in tiles.iter().enumerate() {
        if sum > 0.0 {
            last = tile;
            if left < sum {
                break;
            }
            left -= sum;
        }
    }
    let start = last * TILE;
    start + index_at(&weights[start..weights.len().min(start + TILE)], left)
}

/// The same as [`categorical`], from the logarithms of the weights, which are overwritten.
pub fn categorical_ln(rng: &mut Rng, ln_weights: &mut [f64]) -> usize {
    let top = ln_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for weight in ln_weights.iter_mut() {
        *weight = (*weight - top).exp();
        total += *weight;
    }
    categorical(rng, ln_weights, total)
}

/// Shuffles the items in place (Fisher–Yates).
pub fn shuffle(rng: &mut Rng, order: &mut [u32]) {
    for last in (1..order.len()).rev() {
        let other = rng.random_range(0..=last);
        order.swap(last, other);
    }
}
