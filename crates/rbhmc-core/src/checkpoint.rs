//! A chain as bytes: magic, version, checksum, payload. Nothing in it is ever executed.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::kernels::Work;
use crate::model::Model;
use crate::rng::Rng;
use crate::state::State;
use crate::tempering::Replica;

const MAGIC: &[u8; 8] = b"rbhmc\r\n\x1a";
/// Raised whenever the payload's layout, or the meaning of the random stream, changes.
const VERSION: u32 = 5;
const HEADER: usize = MAGIC.len() + 4 + 4;

#[derive(Serialize, Deserialize)]
pub(crate) struct Payload {
    pub(crate) n_dims: usize,
    pub(crate) x: Vec<f64>,
    /// The chain itself, then its replicas.
    pub(crate) replicas: Vec<Kept>,
    pub(crate) n_sweeps: u64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) config: Config,
    pub(crate) state: State,
    pub(crate) rng: Rng,
}

pub(crate) fn write(payload: &Payload) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(payload).map_err(|error| bad(error.to_string()))?;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

pub(crate) fn read(bytes: &[u8]) -> Result<Payload> {
    let Some((magic, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(bad(format!("only {} bytes long", bytes.len())));
    };
    if magic != MAGIC {
        return Err(bad("it does not start as one written by rbhmc does"));
    }
    let Some((version, rest)) = rest.split_first_chunk::<4>() else {
        return Err(bad("it ends within its header"));
    };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(bad(format!("it is of version {version}, and this rbhmc reads version {VERSION}")));
    }
    let Some((checksum, body)) = rest.split_first_chunk::<4>() else {
        return Err(bad("it ends within its header"));
    };
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(bad("its checksum does not match: it was truncated or altered"));
    }
    let (payload, left) =
        postcard::take_from_bytes(body).map_err(|error| bad(format!("its contents: {error}")))?;
    if !left.is_empty() {
        return Err(bad(format!("{} bytes too many", left.len())));
    }
    Ok(payload)
}

/// A replica, its state checked against its settings and the table.
pub(crate) fn replica(x: &[f64], n_dims: usize, kept: Kept) -> Result<Replica> {
    let model = model(x, n_dims, kept.config)?;
    kept.state.check(&model).map_err(|problem| bad(format!("its state is inconsistent: {problem}")))?;
    let work = Work::new(&model)?;
    Ok(Replica { model, state: kept.state, rng: kept.rng, work })
}

fn model(x: &[f64], n_dims: usize, config: Config) -> Result<Model> {
    let n_items = x.len().checked_div(n_dims).unwrap_or(0);
    let x = ArrayView2::from_shape((n_items, n_dims), x).map_err(|_| bad("its table is not rectangular"))?;
    Model::new(x, config).map_err(|error| bad(error.to_string()))
}

pub(crate) fn bad(problem: impl Into<String>) -> Error {
    Error::BadCheckpoint { problem: problem.into() }
}
