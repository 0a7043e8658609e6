//! The loops over lanes, one per item, of the children of one node: scores, best rivals and their changes.
//!
//! Lanes are processed in tiles. The last tile of a range may reach into lanes of other nodes, which are left as they are.

use super::siblings::{Active, Change};
use crate::numerics::{TILE, fmax, simd};

/// No child. Children are stored as numbers of the lanes' own type, which keeps comparisons vectorised.
pub(crate) const NONE: f64 = -1.0;

pub(crate) type Tile = [f64; TILE];

/// The items at one level, by lane. A child is known by its position among its siblings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lanes {
    pub(crate) own_child: Vec<f64>,
    /// η_vᵀx_n of the item's own child v.
    pub(crate) own: Vec<f64>,
    /// The largest η_sᵀx_n over the siblings s of v (−∞ without siblings), and its s.
    pub(crate) best: Vec<f64>,
    pub(crate) best_child: Vec<f64>,
}

/// x_n of all lanes, one row per dimension.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) width: usize,
    pub(crate) values: Vec<f64>,
}

impl Columns {
    /// ηᵀx of the tile from lane `first` on, in the order of the dimensions.
    #[inline(always)]
    fn scores(&self, first: usize, eta: &[f64]) -> Tile {
        let mut sums = [0.0; TILE];
        for (row, factor) in self.values.chunks_exact(self.width).zip(eta) {
            let row = tile(row, first);
            for lane in 0..TILE {
                sums[lane] += factor * row[lane];
            }
        }
        sums
    }
}

#[inline(always)]
fn tile(values: &[f64], first: usize) -> &Tile {
    values[first..].first_chunk().expect("rows are padded to whole tiles")
}

/// Writes the first `n_lanes` of a tile.
#[inline(always)]
fn store(values: &mut [f64], n_lanes: usize, new: &Tile) {
    let old: &mut Tile = values.first_chunk_mut().expect("rows are padded to whole tiles");
    for lane in 0..TILE {
        old[lane] = if lane < n_lanes { new[lane] } else { old[lane] };
    }
}

/// Scores a tile of lanes at all children except one: own score, best rival and its child.
#[inline(always)]
fn find_rivals(
    x: &Columns,
    first: usize,
    etas: &[f64],
    own_child: &Tile,
    except: usize,
) -> (Tile, Tile, Tile) {
    let n_dims = x.values.len() / x.width;
    let (mut own, mut best, mut best_child) = ([0.0; TILE], [f64::NEG_INFINITY; TILE], [NONE; TILE]);
    for (child, eta) in etas.chunks_exact(n_dims).enumerate().filter(|&(child, _)| child != except) {
        let scores = x.scores(first, eta);
        let child = child as f64;
        for lane in 0..TILE {
            let is_own = own_child[lane] == child;
            let wins = !is_own & (scores[lane] > best[lane]);
            own[lane] = if is_own { scores[lane] } else { own[lane] };
            best[lane] = if wins { scores[lane] } else { best[lane] };
            best_child[lane] = if wins { child } else { best_child[lane] };
        }
    }
    (own, best, best_child)
}

simd! {
    /// Computes own scores and best rivals of `n_lanes` lanes from `first` on; the other slices start at `first`.
    pub(crate) fn refresh(
        x: &Columns,
        etas: &[f64],
        first: usize,
        n_lanes: usize,
        own_child: &[f64],
        rows: [&mut [f64]; 3],
    ) {
        let [own, best, best_child] = rows;
        for start in (0..n_lanes).step_by(TILE) {
            let (new_own, new_best, new_best_child) =
                find_rivals(x, first + start, etas, tile(own_child, start), usize::MAX);
            store(&mut own[start..], n_lanes - start, &new_own);
            store(&mut best[start..], n_lanes - start, &new_best);
            store(&mut best_child[start..], n_lanes - start, &new_best_child);
        }
    }
}

simd! {
    /// Computes ρ_n, the largest ρ at other levels, and the rival if the maximum is at this level (otherwise NONE).
    pub(crate) fn compare_levels(
        levels: &[Lanes],
        level: usize,
        first: usize,
        margin: f64,
        other_levels: &mut [f64],
        violation: &mut [f64],
        rival: &mut [f64],
    ) {
        let tiles = other_levels.chunks_exact_mut(TILE).zip(violation.chunks_exact_mut(TILE));
        for (index, ((other_levels, violation), rival)) in tiles.zip(rival.chunks_exact_mut(TILE)).enumerate() {
            let start = first + index * TILE;
            let mut most = [f64::NEG_INFINITY; TILE];
            for (_, lanes) in levels.iter().enumerate().filter(|&(other, _)| other != level) {
                let (own, best) = (tile(&lanes.own, start), tile(&lanes.best, start));
                for lane in 0..TILE {
                    most[lane] = fmax(margin - own[lane] + best[lane], most[lane]);
                }
            }
            let Lanes { own, best, best_child, .. } = &levels[level];
            let (own, best, best_child) = (tile(own, start), tile(best, start), tile(best_child, start));
            for lane in 0..TILE {
                let here = margin - own[lane] + best[lane];
                violation[lane] = fmax(here, most[lane]);
                rival[lane] = if here > most[lane] { best_child[lane] } else { NONE };
            }
            other_levels.copy_from_slice(&most);
        }
    }
}

/// Lanes of a sibling group, to which a proposal is compared.
pub(crate) struct Chunk<'a> {
    pub(crate) x: &'a Columns,
    pub(crate) lanes: &'a Lanes,
    /// η of the children, one row per child.
    pub(crate) etas: &'a [f64],
    /// The first lane, and the number of lanes.
    pub(crate) first: usize,
    pub(crate) n_lanes: usize,
    /// From the first lane on: the largest ρ at the other levels.
    pub(crate) other_levels: &'a [f64],
    pub(crate) margin: f64,
}

simd! {
    /// Lists the tiles in which a discriminant η' of a child changes a score or a best rival.
    pub(crate) fn find_changes(chunk: &Chunk<'_>, child: usize, eta: &[f64], changes: &mut Vec<Change>) {
        let &Chunk { x, lanes, etas, first, n_lanes, other_levels, margin } = chunk;
        let has_third = etas.len() > 2 * eta.len();
        let index = child as f64;
        for start in (0..n_lanes).step_by(TILE) {
            let at = first + start;
            let scores = x.scores(at, eta);
            let (own_child, own) = (tile(&lanes.own_child, at), tile(&lanes.own, at));
            let (best, best_child) = (tile(&lanes.best, at), tile(&lanes.best_child, at));
            let (mut is_changed, mut is_dropped) = (false, false);
            for lane in 0..TILE {
                is_dropped |= best_child[lane] == index;
                is_changed |= (own_child[lane] == index) | (scores[lane] > best[lane]);
            }
            if !(is_changed | is_dropped) {
                continue;
            }
            // What is left of the lanes whose best rival is the child.
            let (mut next, mut next_child) = ([f64::NEG_INFINITY; TILE], [NONE; TILE]);
            if is_dropped && has_third {
                (_, next, next_child) = find_rivals(x, at, etas, own_child, child);
            }
            let other_levels = tile(other_levels, start);
            changes.push(Change { first: at, n_lanes: n_lanes - start, ..Change::default() });
            let Some(change) = changes.last_mut() else { continue };
            for lane in 0..TILE {
                let (is_own, drops) = (own_child[lane] == index, best_child[lane] == index);
                let top = if drops { next[lane] } else { best[lane] };
                let top_child = if drops { next_child[lane] } else { best_child[lane] };
                let wins = !is_own & (scores[lane] > top);
                let top = if wins { scores[lane] } else { top };
                let top_child = if wins { index } else { top_child };
                let base = if is_own { scores[lane] } else { own[lane] };
                let here = margin - base + top;
                change.own[lane] = base;
                change.best[lane] = top;
                change.best_child[lane] = top_child;
                change.violation[lane] = fmax(here, other_levels[lane]);
                change.rival[lane] = if here > other_levels[lane] { top_child } else { NONE };
            }
        }
    }
}

simd! {
    /// Makes the changes. `violation` and `rival` start at lane `first`.
    pub(crate) fn apply(
        changes: &[Change],
        lanes: &mut Lanes,
        first: usize,
        violation: &mut [f64],
        rival: &mut [f64],
    ) {
        for change in changes {
            let (at, n_lanes) = (change.first, change.n_lanes);
            store(&mut lanes.own[at..], n_lanes, &change.own);
            store(&mut lanes.best[at..], n_lanes, &change.best);
            store(&mut lanes.best_child[at..], n_lanes, &change.best_child);
            store(&mut violation[at - first..], n_lanes, &change.violation);
            store(&mut rival[at - first..], n_lanes, &change.rival);
        }
    }
}

/// Lists the lanes of a tile whose rival pair contains a child.
#[inline(always)]
fn push_active(
    items: &[u32],
    child: f64,
    [own_child, own, best, rival]: [&Tile; 4],
    active: &mut Vec<Active>,
) {
    let mut marks = 0_u32;
    for lane in 0..TILE {
        let is_active = (rival[lane] == child) | ((own_child[lane] == child) & (rival[lane] != NONE));
        marks |= if is_active { 1 << lane } else { 0 };
    }
    while marks != 0 {
        let lane = marks.trailing_zeros() as usize;
        marks &= marks - 1;
        let Some(&item) = items.get(lane) else { return };
        let is_own = own_child[lane] == child;
        active.push(Active { item, is_own, other_score: if is_own { best[lane] } else { own[lane] } });
    }
}

simd! {
    /// Lists the items whose rival pair contains a child. `items` and `rival` start at lane `first`.
    pub(crate) fn list_active(
        items: &[u32],
        lanes: &Lanes,
        rival: &[f64],
        first: usize,
        child: usize,
        active: &mut Vec<Active>,
    ) {
        for (index, (items, rival)) in items.chunks(TILE).zip(rival.chunks_exact(TILE)).enumerate() {
            let at = first + index * TILE;
            let tiles = [
                tile(&lanes.own_child, at),
                tile(&lanes.own, at),
                tile(&lanes.best, at),
                tile(rival, 0),
            ];
            push_active(items, child as f64, tiles, active);
        }
    }
}

simd! {
    /// Lists the items whose rival pair would contain a child after changes of its discriminant.
    pub(crate) fn list_changed_active(
        items: &[u32],
        lanes: &Lanes,
        changes: &[Change],
        child: usize,
        active: &mut Vec<Active>,
    ) {
        for change in changes {
            let at = change.first;
            let items = &items[at..at + change.n_lanes.min(TILE)];
            let tiles = [tile(&lanes.own_child, at), &change.own, &change.best, &change.rival];
            push_active(items, child as f64, tiles, active);
        }
    }
}
