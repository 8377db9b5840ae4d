//! Keeping the nearest of many vectors without knowing beforehand how near that is.

/// The number of a vector's run, and its position there.
type VectorPosition = (u32, u32);

/// The vectors with the smallest distances seen so far. What is kept in the end does not depend on how the vectors were
/// split into runs: everything nearer than the limit, and at the limit the first ones in order.
pub(super) struct NearestSelection {
    /// The minimum number kept.
    wanted: usize,
    /// The maximum number kept if many are equally near.
    most: usize,
    limit: u16,
    /// The number kept at which the limit is lowered again.
    full: usize,
    /// The number kept at each distance.
    counts: Vec<usize>,
    /// Distance and position, in the order of positions.
    kept: Vec<(u16, VectorPosition)>,
}

impl NearestSelection {
    /// A selection of `wanted` whose distances are at most `largest`.
    pub(super) fn new(wanted: usize, largest: u16) -> Self {
        let most = wanted.saturating_mul(2);
        let (full, counts) = (most, vec![0; usize::from(largest) + 1]);
        Self { wanted, most, limit: largest, full, counts, kept: Vec::new() }
    }

    /// Distances above this are rejected.
    pub(super) fn limit(&self) -> u16 {
        self.limit
    }

    /// Adds a position behind all added before it. Its distance must not be above the limit.
    pub(super) fn add(&mut self, distance: u16, place: VectorPosition) {
        self.counts[usize::from(distance)] += 1;
        self.kept.push((distance, place));
        if self.kept.len() >= self.full {
            self.tighten();
            self.full = self.kept.len() + self.wanted.div_ceil(2);
        }
    }

    /// Lowers the limit to what the wanted number needs, and drops everything above it.
    fn tighten(&mut self) {
        let mut below = 0;
        let limit = self.counts.iter().position(|count| {
            below += count;
            below >= self.wanted
        });
        let Some(limit) = limit else { return };
        self.limit = limit as u16;
        let mut room = self.most - (below - self.counts[limit]).min(self.most);
        self.counts[limit] = self.counts[limit].min(room);
        self.counts[limit + 1..].fill(0);
        self.kept.retain(|(distance, _)| {
            let at_limit = *distance == limit as u16;
            let keeps = usize::from(*distance) < limit || (at_limit && room > 0);
            room -= usize::from(at_limit && room > 0);
            keeps
        });
    }

    /// Adds what another selection kept, all of it behind this one's positions.
    pub(super) fn append(&mut self, later: &Self) {
        for (distance, place) in &later.kept {
            if *distance <= self.limit {
                self.add(*distance, *place);
            }
        }
    }

    /// The positions kept, in order.
    pub(super) fn into_positions(mut self) -> Vec<VectorPosition> {
        self.tighten();
        self.kept.into_iter().map(|(_, place)| place).collect()
    }
}
