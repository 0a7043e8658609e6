//! A chain as bytes: signature, version, checksum, payload. Nothing in it is ever executed.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use crate::chain::{Acceptance, Chain, Counter};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::rng::Rng;
use crate::state::State;

const SIGNATURE: &[u8; 8] = b"rbhmc\r\n\x1a";
/// Raised whenever the layout of the payload, or the meaning of the random stream, changes.
const VERSION: u32 = 9;
const HEADER: usize = SIGNATURE.len() + 4 + 4;

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedChain {
    pub(crate) n_dims: usize,
    pub(crate) x: Vec<f64>,
    pub(crate) config: Config,
    pub(crate) state: State,
    pub(crate) rng: Rng,
    /// Since the last draw: a chain may be saved between two draws.
    pub(crate) acceptance: Acceptance,
    pub(crate) n_sweeps: u64,
}

pub(crate) fn write(saved: &SavedChain) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(saved).map_err(|error| bad(error.to_string()))?;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(SIGNATURE);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

pub(crate) fn read(bytes: &[u8]) -> Result<SavedChain> {
    let Some((signature, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(bad(format!("it has only {} bytes", bytes.len())));
    };
    if signature != SIGNATURE {
        return Err(bad("it does not begin with the signature of an rbhmc checkpoint"));
    }
    let Some((version, rest)) = rest.split_first_chunk::<4>() else {
        return Err(bad("it ends within its header"));
    };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(bad(format!(
            "it has version {version}; this version of rbhmc reads version {VERSION} only"
        )));
    }
    let Some((checksum, body)) = rest.split_first_chunk::<4>() else {
        return Err(bad("it ends within its header"));
    };
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(bad("its checksum does not match: it was truncated or altered"));
    }
    let (saved, left) =
        postcard::take_from_bytes(body).map_err(|error| bad(format!("its contents: {error}")))?;
    if !left.is_empty() {
        return Err(bad(format!("{} bytes follow its end", left.len())));
    }
    Ok(saved)
}

/// Restores a chain, its state checked against its settings and its table.
pub(crate) fn restore(saved: SavedChain) -> Result<Chain> {
    let SavedChain { n_dims, x, config, state, rng, acceptance, .. } = saved;
    let Acceptance { path, eta, split_merge } = acceptance;
    if ![path, eta, split_merge].into_iter().all(Counter::is_valid) {
        return Err(bad("its counts of proposals are impossible"));
    }
    let n_items = x.len().checked_div(n_dims).unwrap_or(0);
    let x = ArrayView2::from_shape((n_items, n_dims), &x).map_err(|_| bad("its table is not rectangular"))?;
    let model = Model::new(x, config).map_err(|error| bad(error.to_string()))?;
    state.check(&model).map_err(|problem| bad(format!("its state is inconsistent: {problem}")))?;
    let mut chain = Chain::at(model, state, rng);
    chain.acceptance = acceptance;
    chain.workspace.reserve(&chain.model)?;
    Ok(chain)
}

fn bad(problem: impl Into<String>) -> Error {
    Error::BadCheckpoint { problem: problem.into() }
}
