//! Forged checkpoints give an error or a chain that runs, never a panic, and allocate memory in proportion to their size.
//!
//! Each case damages the body of a valid checkpoint and gives it a matching checksum. The cases are the same in every run.
//! `make fuzz` sets FUZZ_SECONDS and tries other cases for that time; FUZZ_SEED is the first case, to repeat one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ndarray::array;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rbhmc_core::config::Gamma;
use rbhmc_core::{Config, Covariance, PathMove, Sampler, Scheme, simulate};

/// The length of signature, version and checksum, which precede the body.
const HEADER: usize = 16;
const CASES: u64 = 60_000;
/// Bytes that serde may allocate before it finds that a length is wrong.
const SLACK: usize = 2 << 20;
/// Bytes in memory per byte of the file: an empty list takes 1 there and 24 here, in a vector of up to twice the length.
const PER_BYTE: usize = 64;

/// Doubles at the ends of ranges.
const EXTREMES: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 1e-320, 1e-30, 1e30, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
/// Integers at the ends of ranges.
const ENDS: [u64; 9] = [0, 1, 127, 255, u16::MAX as u64, u32::MAX as u64, 1 << 32, i64::MAX as u64, u64::MAX];

/// The system's allocator, which records the largest request of each thread.
struct Watched;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system's allocator; recording its size does not allocate.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(layout.size()));
        // SAFETY: the caller guarantees a valid layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc`, and so from the system, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Bodies of checkpoints with all kinds of settings.
fn bodies() -> Vec<Vec<u8>> {
    let x = simulate(Config { alpha: 2.0, gamma0: 3.0, ..Config::default() }, 12, 2, 1).unwrap().x;
    let learned = |scheme| {
        let mut config = Config { scheme, ..Config::default() };
        config.priors.alpha = Some(Gamma::default());
        config.priors.gamma = Some(Gamma::default());
        config.priors.gamma0 = Some(Gamma::default());
        config.set_noise_prior(x.view(), "learn").unwrap();
        config.set_base_prior(x.view(), "learn-diagonal").unwrap();
        config
    };
    let configs = [
        Config { C: 0.0, noise_cov: Covariance::Full(array![[1.0, 0.3], [0.3, 2.0]]), ..Config::default() },
        Config { base_cov: Covariance::Diagonal(vec![3.0, 4.0]), n_levels: 2, ..Config::default() },
        Config { scheme: Scheme::Exact, path_move: Some(PathMove::Mh), ..Config::default() },
        Config { scheme: Scheme::Paper, n_levels: 2, ..Config::default() },
        learned(Scheme::Collapsed),
        Config { intercept: 0.8, noise_warmup: 3, ..learned(Scheme::Collapsed) },
        Config { intercept: 0.8, ..learned(Scheme::Exact) },
    ];
    let body = |config: Config| {
        let mut sampler = Sampler::new(x.view(), config, None, 3).unwrap();
        (0..5).for_each(|_| sampler.sweep());
        sampler.to_bytes().unwrap()[HEADER..].to_vec()
    };
    configs.into_iter().map(body).collect()
}

/// An integer as postcard writes it: seven bits per byte; the highest bit is set if more bytes follow.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A body with one to three changes.
fn damaged(rng: &mut ChaCha8Rng, bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut body = bodies[rng.random_range(0..bodies.len())].clone();
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=body.len());
        let end = (at + rng.random_range(0..24)).min(body.len());
        match rng.random_range(0..8) {
            0 | 1 if at < body.len() => body[at] ^= rng.random_range(1..=255u8),
            2 if at < body.len() => body[at] = body[at].wrapping_add(if rng.random() { 1 } else { 255 }),
            3 => body.truncate(at),
            4 => drop(body.drain(at..end)),
            5 => {
                let number = varint(ENDS[rng.random_range(0..ENDS.len())]);
                body.splice(at..(at + 1).min(body.len()), number);
            }
            6 => {
                let number = EXTREMES[rng.random_range(0..EXTREMES.len())].to_le_bytes();
                body.splice(at..(at + 8).min(body.len()), number);
            }
            7 => {
                let other = &bodies[rng.random_range(0..bodies.len())];
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..400)).min(other.len());
                body.splice(at..(at + to - from).min(body.len()), other[from..to].iter().copied());
            }
            _ => {}
        }
    }
    body
}

fn with_header(header: &[u8], body: &[u8]) -> Vec<u8> {
    let checksum = crc32fast::hash(body).to_le_bytes();
    [&header[..HEADER - 4], &checksum, body].concat()
}

/// Reads a forged checkpoint; returns whether it gave a chain.
fn is_taken(bytes: &[u8]) -> bool {
    LARGEST.set(0);
    let read = Sampler::from_bytes(bytes);
    let most = PER_BYTE * bytes.len() + SLACK;
    assert!(LARGEST.get() <= most, "{} bytes at once for {} in the file", LARGEST.get(), bytes.len());
    let Ok(mut sampler) = read else { return false };
    for _ in 0..2 {
        sampler.sweep();
        sampler.state().check(sampler.model()).unwrap();
    }
    Sampler::from_bytes(&sampler.to_bytes().unwrap()).unwrap();
    true
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a whole number"))
}

#[test]
fn a_forged_checkpoint_is_an_error_or_a_chain() {
    let header = Sampler::new(array![[0.0]].view(), Config::default(), None, 0).unwrap().to_bytes().unwrap();
    let bodies = bodies();
    let seconds = setting("FUZZ_SECONDS").map(Duration::from_secs);
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() << 32;
    let first = setting("FUZZ_SEED").unwrap_or_else(|| if seconds.is_some() { now() } else { 0 });
    let end = seconds.map(|seconds| Instant::now() + seconds);
    let (mut taken, mut seed) = (0, first);
    while end.map_or(seed - first < CASES, |end| Instant::now() < end) {
        let body = damaged(&mut ChaCha8Rng::seed_from_u64(seed), &bodies);
        let outcome = catch_unwind(AssertUnwindSafe(|| is_taken(&with_header(&header, &body))));
        taken += u64::from(outcome.unwrap_or_else(|_| panic!("the case of seed {seed}")));
        seed += 1;
    }
    println!("{} forged checkpoints, of which {taken} were chains", seed - first);
    // Changes of a mean, of the last digits of a weight or of the random stream leave a valid chain; if none or all of the
    // cases gave a chain, they would test nothing.
    assert!(taken > 0 && taken < seed - first);
}
