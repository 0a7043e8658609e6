//! Errors of invalid input: what was received, and what is allowed.

use thiserror::Error;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    #[error("X has shape ({n_items}, {n_dims}); it needs at least one item (row) and one dimension (column)")]
    EmptyData { n_items: usize, n_dims: usize },

    #[error(
        "X[{row}, {column}] is {}; every value must be finite and at most {limit:e} in size \
         (drop or impute the item, or rescale the data)",
        readable(*.value)
    )]
    BadValue { row: usize, column: usize, value: f64, limit: f64 },

    #[error("{name} is {value}; it must be {expected}")]
    BadParameter { name: &'static str, value: String, expected: String },

    #[error("{name}: {problem}; it must be {expected}")]
    BadCovariance { name: &'static str, problem: String, expected: String },

    #[error("initial_paths: {problem}")]
    BadPaths { problem: String },

    #[error("cannot read the checkpoint: {problem}")]
    BadCheckpoint { problem: String },

    #[error("cannot allocate {bytes} bytes for {what}")]
    OutOfMemory { what: &'static str, bytes: u128 },
}

/// A number in a message: in plain digits if they are few.
fn readable(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-4..1e9).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

impl Error {
    pub(crate) fn number(name: &'static str, value: f64, expected: impl ToString) -> Self {
        Self::parameter(name, readable(value), expected)
    }

    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: impl ToString) -> Self {
        Self::BadParameter { name, value: value.to_string(), expected: expected.to_string() }
    }
}
