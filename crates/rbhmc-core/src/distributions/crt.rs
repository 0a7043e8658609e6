//! CRT(n, a): the number of occupied tables after n customers have sat down in a Chinese restaurant.
//!
//! CRT(n, a) = Σ_{i=0}^{n−1} Bernoulli(a / (a + i)); the first customer always opens a table, even
//! if a = 0.

use crate::rng::{Rng, uniform};

#[inline]
pub fn crt(rng: &mut Rng, n: u32, concentration: f64) -> u32 {
    if n == 0 {
        return 0;
    }
    let mut tables = 1;
    for seated in 1..n {
        // u < a / (a + i), without the division.
        let opens = uniform(rng) * (concentration + f64::from(seated)) < concentration;
        tables += u32::from(opens);
    }
    tables
}
