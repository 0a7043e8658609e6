//! Each of the core's errors as one Python exception.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use rbhmc_core::Error;

create_exception!(
    rbhmc,
    InvalidInput,
    PyValueError,
    "A value that rbhmc cannot use; the message says what is wrong and what would be right."
);
create_exception!(
    rbhmc,
    InvalidCheckpoint,
    InvalidInput,
    "Bytes that are no checkpoint of this version, or that were truncated or altered."
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
