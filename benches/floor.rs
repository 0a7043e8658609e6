//! The floor of a sweep: the arithmetic that every sweep needs (densities, mixture sums, draws and one Dirichlet draw per
//! node), by hand with AVX2 and fused operations, without tree, births or deaths. In the regime of the defaults it also whitens
//! the items, scores them at all nodes, in D + 1 dimensions, and has an exponential for each. It alternates with the core's
//! sweep. The floor runs on one core; `RAYON_NUM_THREADS=1` restricts the sweep likewise.

use std::arch::x86_64::*;
use std::hint::black_box;
use std::time::Instant;

use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};
use rand_distr::{Exp1, Open01, StandardNormal};
use rbhmc_benches::{DefaultFit, Forest};
use rbhmc_core::Sampler;

const LANES: usize = 4;
const ROUNDS: usize = 9;
/// 1/n! from n = 0 to 12, as constants: divisions would take most of an exponential's time.
const INVERSE_FACTORIALS: [f64; 13] = {
    let mut values = [1.0; 13];
    let mut n = 1;
    while n < values.len() {
        values[n] = values[n - 1] / n as f64;
        n += 1;
    }
    values
};

/// The arrays of a sweep, padded to whole registers.
struct Floor {
    n_items: usize,
    n_dims: usize,
    n_components: usize,
    n_nodes: usize,
    /// One row per item.
    x: Vec<f64>,
    /// The same divided by the noise, if it is learned, which every sweep does again.
    white: Vec<f64>,
    is_noise_learned: bool,
    /// −‖x‖²/2
    half_square: Vec<f64>,
    /// One row per dimension.
    means: Vec<f64>,
    /// −‖θ‖²/2
    half_norm: Vec<f64>,
    /// One row per component (and one for the rest), one column per node.
    weights: Vec<f64>,
    priors: Vec<f64>,
    /// One row per dimension of x̃, one column per node; none outside the regime of the defaults.
    etas: Vec<f64>,
    densities: Vec<f64>,
    sums: Vec<f64>,
    rng: SmallRng,
}

fn round_up(n: usize, to: usize) -> usize {
    n.next_multiple_of(to)
}

impl Floor {
    fn new(sampler: &Sampler) -> Self {
        let (model, state) = (sampler.model(), sampler.state());
        let (n_items, n_dims) = (model.n_items(), model.n_dims());
        let n_components = round_up(state.components.n_components() + 1, LANES);
        let n_nodes = round_up(state.tree.n_nodes(), 2 * LANES);
        let mut rng = SmallRng::seed_from_u64(1);
        let means: Vec<f64> = (0..n_dims * n_components).map(|_| 3.0 * rng.random::<f64>()).collect();
        let half_norm = (0..n_components)
            .map(|k| -0.5 * (0..n_dims).map(|d| means[d * n_components + k].powi(2)).sum::<f64>())
            .collect();
        let x = model.data.values().to_vec();
        let is_noise_learned = model.config.priors.noise_cov.is_some();
        let n_eta_dims = if is_noise_learned { model.n_eta_dims() } else { 0 };
        let half_square = model.data.square.iter().map(|square| -0.5 * square).collect();
        Self {
            n_items,
            n_dims,
            n_components,
            n_nodes,
            white: x.clone(),
            x,
            is_noise_learned,
            half_square,
            means,
            half_norm,
            weights: (0..n_components * n_nodes).map(|_| rng.random()).collect(),
            priors: (0..n_nodes).map(|_| rng.random()).collect(),
            etas: (0..n_eta_dims * n_nodes).map(|_| rng.random()).collect(),
            densities: vec![0.0; 4 * n_components],
            sums: vec![0.0; 4 * n_nodes],
            rng,
        }
    }

    fn sweep(&mut self) -> f64 {
        // SAFETY: `main` has checked for both features.
        unsafe {
            if self.is_noise_learned {
                self.whiten();
            }
            self.items() + self.dirichlets()
        }
    }

    /// x/σ, and −‖x/σ‖²/2.
    #[target_feature(enable = "avx2,fma")]
    fn whiten(&mut self) {
        let inverse = vec![black_box(1.0); self.n_dims];
        let rows = self.x.chunks_exact(self.n_dims).zip(self.white.chunks_exact_mut(self.n_dims));
        for ((x, white), half_square) in rows.zip(&mut self.half_square) {
            let mut square = 0.0;
            for ((white, x), inverse) in white.iter_mut().zip(x).zip(&inverse) {
                *white = x * inverse;
                square += *white * *white;
            }
            *half_square = -0.5 * square;
        }
    }

    /// e^{min(0, ηᵀx̃)} of up to four items at eight columns; the intercept's entry of x̃ is 1.
    #[target_feature(enable = "avx2,fma")]
    fn factors(&self, first: usize, n_block: usize, column: usize) -> [[__m256d; 2]; 4] {
        let mut scores = [[_mm256_setzero_pd(); 2]; 4];
        for (d, row) in self.etas.chunks_exact(self.n_nodes).enumerate() {
            // SAFETY: columns lie within the padded rows.
            let [low, high] =
                [0, LANES].map(|half| unsafe { _mm256_loadu_pd(row.as_ptr().add(column + half)) });
            for (b, scores) in scores.iter_mut().enumerate().take(n_block) {
                let x = if d < self.n_dims { self.x[(first + b) * self.n_dims + d] } else { 1.0 };
                let x = _mm256_set1_pd(x);
                scores[0] = _mm256_fmadd_pd(x, low, scores[0]);
                scores[1] = _mm256_fmadd_pd(x, high, scores[1]);
            }
        }
        for scores in scores.iter_mut().take(n_block) {
            for score in scores {
                *score = exp(_mm256_min_pd(*score, _mm256_setzero_pd()));
            }
        }
        scores
    }

    /// Four items at a time: densities, exponentials, sums over all nodes; then a node and a component.
    #[target_feature(enable = "avx2,fma")]
    fn items(&mut self) -> f64 {
        let (width, n_nodes) = (self.n_components, self.n_nodes);
        let mut drawn = 0.0;
        for first in (0..self.n_items).step_by(4) {
            let n_block = (self.n_items - first).min(4);
            for b in 0..n_block {
                self.density(first + b, b);
            }
            for column in (0..n_nodes).step_by(2 * LANES) {
                // SAFETY: columns and rows lie within the padded arrays.
                unsafe {
                    let mut sums = [[_mm256_setzero_pd(); 2]; 4];
                    for k in 0..width {
                        let at = self.weights.as_ptr().add(k * n_nodes + column);
                        let (low, high) = (_mm256_loadu_pd(at), _mm256_loadu_pd(at.add(LANES)));
                        for (b, sums) in sums.iter_mut().enumerate() {
                            let f = _mm256_broadcast_sd(self.densities.get_unchecked(b * width + k));
                            sums[0] = _mm256_fmadd_pd(f, low, sums[0]);
                            sums[1] = _mm256_fmadd_pd(f, high, sums[1]);
                        }
                    }
                    if !self.etas.is_empty() {
                        let factors = self.factors(first, n_block, column);
                        for (sum, factor) in sums.as_flattened_mut().iter_mut().zip(factors.as_flattened()) {
                            *sum = _mm256_mul_pd(*sum, *factor);
                        }
                    }
                    for (b, sums) in sums.iter().enumerate() {
                        let at = self.sums.as_mut_ptr().add(b * n_nodes + column);
                        let priors = self.priors.as_ptr().add(column);
                        _mm256_storeu_pd(at, _mm256_mul_pd(sums[0], _mm256_loadu_pd(priors)));
                        let priors = priors.add(LANES);
                        _mm256_storeu_pd(at.add(LANES), _mm256_mul_pd(sums[1], _mm256_loadu_pd(priors)));
                    }
                }
            }
            for b in 0..n_block {
                let node = draw(&mut self.rng, &self.sums[b * n_nodes..(b + 1) * n_nodes]);
                let densities = &mut self.densities[b * width..(b + 1) * width];
                for (k, density) in densities.iter_mut().enumerate() {
                    *density *= self.weights[k * n_nodes + node];
                }
                drawn += (node + draw(&mut self.rng, densities)) as f64;
            }
        }
        drawn
    }

    /// e^{xᵀθ − ‖x‖²/2 − ‖θ‖²/2} for all components.
    #[target_feature(enable = "avx2,fma")]
    fn density(&mut self, n: usize, b: usize) {
        let x = &self.white[n * self.n_dims..(n + 1) * self.n_dims];
        for k in (0..self.n_components).step_by(LANES) {
            // SAFETY: rows are padded to whole registers.
            unsafe {
                let mut sum = _mm256_add_pd(
                    _mm256_loadu_pd(self.half_norm.as_ptr().add(k)),
                    _mm256_set1_pd(self.half_square[n]),
                );
                for (d, x) in x.iter().enumerate() {
                    let mean = _mm256_loadu_pd(self.means.as_ptr().add(d * self.n_components + k));
                    sum = _mm256_fmadd_pd(_mm256_set1_pd(*x), mean, sum);
                }
                let out = self.densities.as_mut_ptr().add(b * self.n_components + k);
                _mm256_storeu_pd(out, exp(_mm256_min_pd(sum, _mm256_setzero_pd())));
            }
        }
    }

    /// One Dirichlet draw per node, with most shapes far below 1.
    fn dirichlets(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..self.n_nodes {
            let scale = 1.0 / self.n_components as f64;
            for k in 0..self.n_components {
                let shape = if k == 0 { 3.0 } else { scale };
                sum += gamma(&mut self.rng, shape);
            }
        }
        sum
    }
}

/// e^x for x ≤ 0.
#[target_feature(enable = "avx2,fma")]
fn exp(x: __m256d) -> __m256d {
    let x = _mm256_max_pd(x, _mm256_set1_pd(-708.0));
    let rounder = _mm256_set1_pd(6_755_399_441_055_744.0);
    let shifted = _mm256_fmadd_pd(x, _mm256_set1_pd(std::f64::consts::LOG2_E), rounder);
    let j = _mm256_sub_pd(shifted, rounder);
    let r = _mm256_fnmadd_pd(j, _mm256_set1_pd(std::f64::consts::LN_2), x);
    let mut series = _mm256_set1_pd(INVERSE_FACTORIALS[12]);
    for inverse in INVERSE_FACTORIALS[..12].iter().rev() {
        series = _mm256_fmadd_pd(series, r, _mm256_set1_pd(*inverse));
    }
    let bits = _mm256_add_epi64(_mm256_castpd_si256(shifted), _mm256_set1_epi64x(1023));
    _mm256_mul_pd(series, _mm256_castsi256_pd(_mm256_slli_epi64(bits, 52)))
}

fn draw(rng: &mut SmallRng, weights: &[f64]) -> usize {
    let mut sums = [0.0; LANES];
    for weights in weights.chunks_exact(LANES) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += weight;
        }
    }
    let mut left = rng.random::<f64>() * sums.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    weights.len() - 1
}

/// Draws a gamma variable by the method of Marsaglia and Tsang.
fn gamma(rng: &mut impl Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        let exponential: f64 = rng.sample(Exp1);
        return gamma(rng, shape + 1.0) * (-exponential / shape).exp();
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x: f64 = rng.sample(StandardNormal);
        let v = (1.0 + c * x).powi(3);
        let u: f64 = rng.sample(Open01);
        if v > 0.0 && (u < 1.0 - 0.0331 * x.powi(4) || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln())) {
            return d * v;
        }
    }
}

fn seconds(n_sweeps: usize, mut sweep: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..n_sweeps {
        sweep();
    }
    start.elapsed().as_secs_f64() / n_sweeps as f64
}

fn median(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0], values[values.len() - 1])
}

fn main() {
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "the floor needs AVX2");
    println!("table                 C  nodes leaves  comps   floor µs    core µs   ratio (spread)     goal");
    let forest = |n_items, n_dims, n_levels, n_components, fan| Forest {
        n_items,
        n_dims,
        n_levels,
        n_components,
        fan,
        alpha: 0.1,
    };
    // An argument restricts the run to tables with this number of items.
    let only: Option<usize> = std::env::args().nth(1).and_then(|argument| argument.parse().ok());
    let is_selected = |forest: &Forest| only.is_none_or(|only| only == forest.n_items);
    // With these α, for C = 0 and 1, the trees of 10,000 items have about 100 leaves, of 70,000 about 200.
    for (forest, alphas, n_warm, n_sweeps) in [
        (forest(33, 7, 3, 10, 2), [0.1, 0.1], 500, 1_000),
        (forest(100, 10, 4, 15, 2), [0.1, 0.1], 500, 500),
        (forest(10_000, 10, 3, 40, 5), [0.12, 0.08], 10, 4),
        (forest(70_000, 10, 3, 60, 6), [0.04, 0.1], 10, 1),
    ]
    .into_iter()
    .filter(|(forest, ..)| is_selected(forest))
    {
        for ((c, goal), alpha) in [(0.0, 3), (1.0, 6)].into_iter().zip(alphas) {
            let name = format!("{} x {}, L={}", forest.n_items, forest.n_dims, forest.n_levels);
            compare(&name, c, Forest { alpha, ..forest }.warm(c, n_warm), n_sweeps, goal);
        }
    }
    for (n_items, n_warm, n_sweeps, goal) in
        [(500, 60, 40, 3), (1_000, 60, 20, 2), (2_000, 60, 10, 2), (10_000, 20, 1, 2)]
    {
        if only.is_none_or(|only| only == n_items) {
            let name = format!("{n_items} x 10, defaults");
            compare(&name, 1.0, DefaultFit { n_items, n_dims: 10 }.warm(n_warm), n_sweeps, goal);
        }
    }
}

fn compare(name: &str, c: f64, mut sampler: Sampler, n_sweeps: usize, goal: usize) {
    let (mut floors, mut cores, mut ratios) = (vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let mut floor = Floor::new(&sampler);
        floor.sweep();
        floors.push(seconds(n_sweeps, || {
            black_box(floor.sweep());
        }));
        cores.push(seconds(n_sweeps, || sampler.sweep()));
        ratios.push(cores[cores.len() - 1] / floors[floors.len() - 1]);
    }
    let (floor, core) = (1e6 * median(floors).0, 1e6 * median(cores).0);
    let (ratio, least, most) = median(ratios);
    let state = sampler.state();
    let (nodes, leaves) = (state.tree.n_nodes(), state.tree.level_nodes(state.tree.n_levels()).len());
    let components = state.components.n_components();
    println!(
        "{name:<20} {c:>2} {nodes:>6} {leaves:>6} {components:>6} {floor:>10.1} {core:>10.1} {ratio:>7.2} \
         ({least:.2} to {most:.2}) {goal:>4}"
    );
}
