//! The distributions that `rand_distr` lacks, or that it draws less accurately at extreme parameters.

mod crt;
mod dirichlet;
mod gamma;
mod gig;

pub use crt::crt;
pub use dirichlet::{beta, dirichlet};
pub use gamma::{gamma, inverse_gamma, inverse_gamma_above};
pub use gig::{Gig, inverse_gaussian};
