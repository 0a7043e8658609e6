//! The distributions that `rand_distr` lacks, or that it draws less safely at the extremes.

pub mod beta;
pub mod crt;
pub mod dirichlet;
pub mod gamma;
pub mod gig;
pub mod inverse_gaussian;
mod scaled_gamma;

pub use beta::beta;
pub use crt::crt;
pub use dirichlet::dirichlet;
pub use gamma::{gamma, inverse_gamma};
pub use gig::Gig;
pub use inverse_gaussian::inverse_gaussian;
