//! Rhythms: what one batch of a rhythm changes, in one transaction with how far the rhythm came. Whoever decided while
//! somebody else changed something is told so, and decides again.

use crate::{
    BeliefChanges, ClusterRecord, GrowthBatch, MemoryChange, MemoryEffect, NewMemory, RelationRecord, Result,
    ReviewRecord, RunRecord, Store,
    commit::{believing::believe, formation::MemoryRevision},
    record::{
        self, Advance, ChangeRecord, MemoryWriter, NumberColumn, RelationKey, RelationOrigin, RhythmLease,
        StepRecord, WordColumn, add_to_step, advance_run, advance_schedule, close_memory, delete_relation,
        delete_tag, grow, insert_changes, insert_digest, insert_rehearsal, insert_relation, insert_run,
        insert_scores, keep_lease, know_rhythm, note_run, release, run_stands, set_clusters, set_confidence,
        set_entity_parents, set_memory_numbers, set_memory_word, set_paused, set_review, set_watermark,
        take_lease, unfinished_run,
    },
    transaction::Tx,
};
use cairn_cognition::parent_entity::ParentEntity;
use cairn_domain::{AskedBy, Digest, RelationKind, RunState, StandingScore, Tier, Time};

/// All changes of one batch of a step, and how far its run comes with it.
#[derive(Debug, Clone, Default)]
pub struct RhythmBatch {
    /// The state of the memories that this was decided on.
    pub version: i64,
    /// How many records were looked at.
    pub looked_at: u32,
    /// Memories to be made.
    pub made: Vec<NewMemory>,
    /// Changes of memories.
    pub effects: Vec<MemoryEffect>,
    /// How memories stood when they were reviewed.
    pub reviews: Vec<ReviewRecord>,
    /// The clusters that replace all those before.
    pub clusters: Option<Vec<ClusterRecord>>,
    /// Digests whose next version is written.
    pub digests: Vec<Digest>,
    /// The parents of entities, which replace all those before.
    pub entity_parents: Option<Vec<ParentEntity>>,
    /// Changes of beliefs.
    pub beliefs: BeliefChanges,
    /// Changes of inquiries, and the proposals that came of them.
    pub growth: GrowthBatch,
    /// Scores of days that were weighed.
    pub standing: Vec<StandingScore>,
    /// How far steps have come over all runs.
    pub watermarks: Vec<(String, i64)>,
    /// A remark about the step; may be empty.
    pub note: String,
}

impl RhythmBatch {
    /// Whether it must have been decided on the memories as they are.
    fn touches_memory(&self) -> bool {
        self.changes() > 0
            || !self.reviews.is_empty()
            || self.entity_parents.is_some()
            || !self.beliefs.is_empty()
    }

    /// How many changes it holds.
    pub fn changes(&self) -> usize {
        self.made.len()
            + self.effects.len()
            + self.digests.len()
            + self.beliefs.count()
            + self.growth.count()
            + self.standing.len()
    }
}

/// Who works on a run, on which step, and where it is then.
#[derive(Debug, Clone)]
pub struct RunProgress {
    /// The run, as it stands.
    pub run: RunRecord,
    /// Who works on it.
    pub holder: String,
    /// Until when nobody else may.
    pub lease_until: Time,
    /// Name of the step at hand.
    pub step: &'static str,
    /// The step and the place in it that comes next; `None` when the run is done.
    pub next: Option<(u32, i64)>,
    /// How long the batch took, in milliseconds.
    pub worked_ms: u64,
}

/// How the commit of a batch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchOutcome {
    /// It is written, and noted so.
    Done(Vec<ChangeRecord>),
    /// Something else was written since it was decided; nothing of it is.
    Stale,
    /// Somebody else has the run in hand, or has done this already; nothing of it is written.
    Lost,
}

/// Who works on a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLease {
    /// Who.
    pub holder: String,
    /// Until when nobody else may.
    pub until: Time,
}

/// Why a run is to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOccasion {
    /// A moment of its schedule: the one that was seen as carried out, and the one to be carried out now.
    Moment(Time, Time),
    /// A run was interrupted and is to go on; no new one begins.
    Interrupted,
    /// A person asks for it.
    Asked,
}

/// Whether a run may begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginOutcome {
    /// It may be worked on: a new one, or one that was interrupted.
    Run(RunRecord),
    /// Somebody else is at it: who, and until when at least.
    Busy(String, Time),
    /// Its moment was carried out already, or nothing is left to go on with.
    Over,
}

impl Store {
    /// Makes sure that these rhythms are known; new ones count from `now`.
    pub async fn know_rhythms(&self, names: Vec<String>, now: Time) -> Result<()> {
        let known = self.read(|view| view.rhythms()).await?;
        if names.iter().all(|name| known.iter().any(|known| known.name == *name)) {
            return Ok(());
        }
        let know = move |tx: &mut Tx<'_>| names.iter().try_for_each(|name| know_rhythm(tx, name, now));
        self.writer.claim(know).await
    }

    /// Takes a rhythm in hand: its interrupted run if there is one, else a new one. For a moment of its schedule only if
    /// the one before it still is the last; it then counts as carried out.
    pub async fn begin_run(
        &self,
        rhythm: String,
        lease: RunLease,
        occasion: RunOccasion,
        now: Time,
    ) -> Result<BeginOutcome> {
        let begin = move |tx: &mut Tx<'_>| {
            know_rhythm(tx, &rhythm, now)?;
            let RunLease { holder, until } = &lease;
            let wanted = RhythmLease { rhythm: &rhythm, holder, until: *until };
            if let Some((holder, until)) = take_lease(tx, &wanted, now)? {
                return Ok(BeginOutcome::Busy(holder, until));
            }
            let unfinished = unfinished_run(tx, &rhythm)?;
            let goes_ahead = match occasion {
                RunOccasion::Moment(seen, moment) => advance_schedule(tx, &rhythm, seen, moment)?,
                RunOccasion::Interrupted => unfinished.is_some(),
                RunOccasion::Asked => true,
            };
            if !goes_ahead {
                release(tx, &record::lease_of(&rhythm), holder)?;
                return Ok(BeginOutcome::Over);
            }
            if let Some(run) = unfinished {
                return Ok(BeginOutcome::Run(run));
            }
            let asked_by = if occasion == RunOccasion::Asked { AskedBy::Person } else { AskedBy::Schedule };
            insert_run(tx, &rhythm, asked_by, now).map(BeginOutcome::Run)
        };
        self.writer.run(begin).await
    }

    /// Writes what a batch changes and moves its run on, all of it or nothing.
    pub async fn tend(&self, turn: RunProgress, batch: RhythmBatch, now: Time) -> Result<BatchOutcome> {
        let believes = !batch.beliefs.is_empty();
        let tended = self.writer.run(move |tx| tend(tx, &turn, &batch, now)).await?;
        if believes {
            self.keep_beside().await;
        }
        Ok(tended)
    }

    /// Lets go of a run, which goes on later if it is not done; `note` says why.
    pub async fn leave_run(&self, run: RunRecord, holder: String, note: String) -> Result<()> {
        let leave = move |tx: &mut Tx<'_>| {
            note_run(tx, run.run, &note)?;
            release(tx, &record::lease_of(&run.rhythm), &holder)
        };
        self.writer.claim(leave).await
    }

    /// Lets a rhythm rest from now on, or wakes it.
    pub async fn pause_rhythm(&self, name: String, paused_at: Option<Time>) -> Result<()> {
        let pause = move |tx: &mut Tx<'_>| set_paused(tx, &name, paused_at);
        self.writer.claim(pause).await
    }

    /// Counts the schedule of a rhythm from another moment on, if it still stands where it was seen.
    pub async fn reach_rhythm(&self, name: String, seen: Time, moment: Time) -> Result<bool> {
        let write = move |tx: &mut Tx<'_>| advance_schedule(tx, &name, seen, moment);
        self.writer.claim(write).await
    }
}

fn tend(tx: &mut Tx<'_>, turn: &RunProgress, batch: &RhythmBatch, now: Time) -> Result<BatchOutcome> {
    let RunProgress { run, holder, lease_until, .. } = turn;
    let lease = RhythmLease { rhythm: &run.rhythm, holder, until: *lease_until };
    if run_stands(tx, run.run)? != Some((run.step, run.place)) || !keep_lease(tx, &lease)? {
        return Ok(BatchOutcome::Lost);
    }
    let mut writer = MemoryWriter::begin(tx, run.as_of)?;
    if batch.touches_memory() && writer.state.version != batch.version {
        return Ok(BatchOutcome::Stale);
    }
    let made = writer.insert_new_memories(&batch.made, None)?;
    writer.apply(&batch.effects, &made)?;
    for review in &batch.reviews {
        set_review(&mut writer, review)?;
    }
    if let Some(clusters) = &batch.clusters {
        set_clusters(&mut writer, clusters)?;
    }
    for digest in &batch.digests {
        insert_digest(&mut writer, digest, run.as_of)?;
    }
    if let Some(entity_parents) = &batch.entity_parents {
        set_entity_parents(&mut writer, entity_parents)?;
    }
    insert_scores(&mut writer, &batch.standing)?;
    believe(&mut writer, &batch.beliefs, run.as_of)?;
    grow(&mut writer, &batch.growth, run.as_of)?;
    for (name, reached) in &batch.watermarks {
        set_watermark(&mut writer, name, *reached)?;
    }
    let changes = change_records(&mut writer, turn, batch, &made)?;
    insert_changes(&mut writer, &changes)?;
    if batch.made.len() + batch.effects.len() + batch.beliefs.count() > 0 {
        writer.finish()?;
    }
    move_run_on(tx, turn, batch, now)?;
    Ok(BatchOutcome::Done(changes))
}

/// Adds what a batch did to its step, and moves its run on.
fn move_run_on(tx: &mut Tx<'_>, turn: &RunProgress, batch: &RhythmBatch, now: Time) -> Result<()> {
    let RunProgress { run, holder, step, next, worked_ms, .. } = turn;
    let (changed, worked_ms) = (batch.changes() as u64, *worked_ms);
    let (name, note, looked_at) = ((*step).to_owned(), batch.note.clone(), u64::from(batch.looked_at));
    add_to_step(tx, run.run, &StepRecord { step: run.step, name, looked_at, changed, worked_ms, note })?;
    let state = if next.is_some() { RunState::Running } else { RunState::Done };
    let to = next.unwrap_or((run.step + 1, 0));
    advance_run(tx, &Advance { run: run.run, to, state, worked_ms, changed, note: "" }, now)?;
    if next.is_none() {
        release(tx, &record::lease_of(&run.rhythm), holder)?;
    }
    Ok(())
}

impl MemoryWriter<'_, '_> {
    fn apply(&mut self, effects: &[MemoryEffect], made: &[u32]) -> Result<()> {
        let (mut stabilities, mut utilities) = (Vec::new(), Vec::new());
        let now = self.now;
        for MemoryEffect { on, what, reason } in effects {
            let Some(on) = on.number(made) else { continue };
            match what {
                MemoryChange::Fades(_, becomes) | MemoryChange::Steadies(_, becomes) => {
                    stabilities.push((on, *becomes));
                }
                MemoryChange::Rehearsed(_, becomes) => {
                    stabilities.push((on, *becomes));
                    insert_rehearsal(self, on, now)?;
                }
                MemoryChange::Drifts(_, becomes) => utilities.push((on, *becomes)),
                MemoryChange::Tier(_, becomes) => {
                    set_memory_word(self, WordColumn::Tier, on, becomes.as_str())?;
                }
                MemoryChange::Status(_, becomes) => {
                    set_memory_word(self, WordColumn::Status, on, becomes.as_str())?;
                }
                MemoryChange::Layer(_, becomes) => set_memory_word(self, WordColumn::Layer, on, becomes)?,
                MemoryChange::Expired { until, .. } => {
                    close_memory(self, on, None, *until)?;
                    set_memory_word(self, WordColumn::Tier, on, Tier::Dormant.as_str())?;
                }
                MemoryChange::Replaced { by, until, .. } => {
                    let Some(by) = by.number(made) else { continue };
                    close_memory(self, on, Some(by), *until)?;
                    let relation = RelationKey { from: by, to: on, kind: RelationKind::Supersedes };
                    self.relate(relation, 1.0, reason)?;
                }
                MemoryChange::Says { text, bound, .. } => {
                    self.revise(on, &MemoryRevision { text, bound, message: None, reason })?;
                }
                MemoryChange::Surer { to, kind, confidence: (_, becomes) } => {
                    set_confidence(self, RelationKey { from: on, to: *to, kind: *kind }, *becomes)?;
                }
                MemoryChange::Related { to, kind, confidence } => {
                    let Some(to) = to.number(made) else { continue };
                    self.relate(RelationKey { from: on, to, kind: *kind }, *confidence, reason)?;
                }
                MemoryChange::Unrelated { to, kind } => {
                    delete_relation(self, RelationKey { from: on, to: *to, kind: *kind })?;
                }
                MemoryChange::Untagged => delete_tag(self, on)?,
                MemoryChange::Property(..) => {}
            }
        }
        set_memory_numbers(self, NumberColumn::Stability, &stabilities)?;
        set_memory_numbers(self, NumberColumn::Utility, &utilities)
    }

    fn relate(&mut self, relation: RelationKey, confidence: f64, reason: &str) -> Result<()> {
        let RelationKey { from, to, kind } = relation;
        let relation = RelationRecord { from, to, kind, confidence, reason: reason.to_owned() };
        insert_relation(self, &relation, RelationOrigin::Rhythm)
    }
}

/// The changes of a batch that are kept one by one.
fn change_records(
    tx: &mut Tx<'_>,
    turn: &RunProgress,
    batch: &RhythmBatch,
    made: &[u32],
) -> Result<Vec<ChangeRecord>> {
    let RunProgress { run, step, .. } = turn;
    let mut changes = Vec::new();
    let change =
        |(number, memory), what: &str, (was, becomes): (String, String), reason: &str| ChangeRecord {
            run: run.run,
            step: (*step).to_owned(),
            number,
            memory,
            what: what.to_owned(),
            was,
            becomes,
            reason: reason.to_owned(),
            changed_at: run.as_of,
        };
    for (number, new) in made.iter().zip(&batch.made) {
        let told = (String::new(), new.memory.text.clone());
        changes.push(change((*number, new.memory.id), "made", told, &new.reason));
    }
    for MemoryEffect { on, what, reason } in batch.effects.iter().filter(|effect| effect.what.is_noted()) {
        let Some(on) = on.number(made) else { continue };
        let Some(id) = record::memory_id(tx, on)? else { continue };
        let other = match what.other_end().and_then(|end| end.number(made)) {
            Some(other) => record::memory_id(tx, other)?,
            None => None,
        };
        let other = other.map_or_else(String::new, |id| id.to_string());
        changes.push(change((on, id), what.name(), what.rendered(&other), reason));
    }
    Ok(changes)
}
