//! The Python exception for each error of the core.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use rbhmc_core::Error;

create_exception!(
    rbhmc,
    InvalidInput,
    PyValueError,
    "Invalid input. The message states what was received and what is allowed."
);
create_exception!(
    rbhmc,
    InvalidCheckpoint,
    InvalidInput,
    "Bytes that are not a checkpoint of this version, or that are truncated or altered."
);

pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::EmptyData { .. }
        | Error::BadValue { .. }
        | Error::BadParameter { .. }
        | Error::BadCovariance { .. }
        | Error::BadPaths { .. } => InvalidInput::new_err(message),
        Error::BadCheckpoint { .. } => InvalidCheckpoint::new_err(message),
        Error::OutOfMemory { .. } => PyMemoryError::new_err(message),
    }
}
