//! Tending: what one batch of a rhythm changes, in one transaction with how far the rhythm came. Whoever decided while
//! somebody else changed something is told so, and decides again.

use crate::{
    Believing, ClusterRecord, End, GrowthBatch, NewMemory, RelationRecord, Result, ReviewRecord, RunRecord,
    Store,
    commit::{believing::believe, formation::MemoryRevision},
    record::{
        self, Advance, ChangeRecord, MemoryWriter, NumberColumn, RelationKey, RelationOrigin, RhythmLease,
        StepRecord, WordColumn, add_to_step, advance_run, advance_schedule, close_memory, delete_relation,
        delete_tag, grow, insert_changes, insert_digest, insert_rehearsal, insert_relation, insert_run,
        insert_scores, keep_lease, know_rhythm, note_run, release, run_stands, set_clusters, set_confidence,
        set_memory_numbers, set_memory_word, set_paused, set_review, set_topics, set_watermark, take_lease,
        unfinished_run,
    },
    transaction::Tx,
};
use cairn_cognition::parent_entity::ParentEntity;
use cairn_domain::{AskedBy, Digest, RelationKind, RunState, StandingScore, Status, Tier, Time};

/// One thing that a rhythm changes about a memory, and why.
#[derive(Debug, Clone)]
pub struct Effect {
    /// The memory.
    pub on: End,
    /// The change.
    pub what: What,
    /// Why.
    pub reason: String,
}

/// A change that a rhythm makes to a memory.
#[derive(Debug, Clone)]
pub enum What {
    /// It loses stability with time: from, to. So small and so frequent that it is counted and not noted one by one.
    Fades(f64, f64),
    /// Its utility drifts back to the middle: from, to. Counted as well.
    Drifts(f64, f64),
    /// It becomes more stable: from, to.
    Steadies(f64, f64),
    /// It is rehearsed, which makes it more stable: from, to.
    Rehearsed(f64, f64),
    /// It is kept another way: from, to.
    Tier(Tier, Tier),
    /// It stands elsewhere in its life: from, to.
    Status(Status, Status),
    /// It belongs to another layer: from, to.
    Layer(String, String),
    /// Its time is over: it is replaced by nothing, and dormant.
    Expired {
        /// How it stood.
        was: Status,
        /// Until when it held.
        until: Time,
    },
    /// Another memory stands for it from now on.
    Replaced {
        /// Which.
        by: End,
        /// How it stood.
        was: Status,
        /// From when on.
        until: Time,
    },
    /// It says something else.
    Says {
        /// The text before.
        was: String,
        /// The text after.
        text: String,
        /// Sources, statements, names and relations to add.
        bound: Box<crate::Bound>,
    },
    /// A relation that goes out from it is surer.
    Surer {
        /// To which memory.
        to: u32,
        /// Of which kind.
        kind: RelationKind,
        /// From, to.
        confidence: (f64, f64),
    },
    /// It belongs to another memory.
    Related {
        /// Which.
        to: End,
        /// How.
        kind: RelationKind,
        /// How sure that is.
        confidence: f64,
    },
    /// It no longer belongs to another memory.
    Unrelated {
        /// Which.
        to: u32,
        /// How it did.
        kind: RelationKind,
    },
    /// It no longer waits for something important.
    Untagged,
    /// A property of something it speaks of has changed: what it was, what it is. Noted, nothing else.
    Property(String, String),
}

impl What {
    /// Its word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fades(..) | Self::Steadies(..) => "stability",
            Self::Rehearsed(..) => "rehearsed",
            Self::Drifts(..) => "utility",
            Self::Tier(..) => "tier",
            Self::Status(..) | Self::Expired { .. } | Self::Replaced { .. } => "status",
            Self::Layer(..) => "layer",
            Self::Says { .. } => "text",
            Self::Surer { .. } | Self::Related { .. } | Self::Unrelated { .. } => "relation",
            Self::Untagged => "tag",
            Self::Property(..) => "property",
        }
    }

    /// Whether each one is noted, or only how many there were.
    pub fn is_noted(&self) -> bool {
        !matches!(self, Self::Fades(..) | Self::Drifts(..) | Self::Untagged)
    }

    /// The other memory that takes part in it.
    fn other_end(&self) -> Option<End> {
        match self {
            Self::Replaced { by, .. } => Some(*by),
            Self::Related { to, .. } => Some(*to),
            Self::Surer { to, .. } | Self::Unrelated { to, .. } => Some(End::Known(*to)),
            Self::Fades(..)
            | Self::Drifts(..)
            | Self::Steadies(..)
            | Self::Rehearsed(..)
            | Self::Tier(..)
            | Self::Status(..)
            | Self::Layer(..)
            | Self::Expired { .. }
            | Self::Says { .. }
            | Self::Untagged
            | Self::Property(..) => None,
        }
    }

    /// From what, to what, in words; `other` is the ref of the other memory that takes part in it.
    fn told(&self, other: &str) -> (String, String) {
        let numbers = |was: &f64, becomes: &f64| (format!("{was:.4}"), format!("{becomes:.4}"));
        match self {
            Self::Fades(was, becomes)
            | Self::Drifts(was, becomes)
            | Self::Steadies(was, becomes)
            | Self::Rehearsed(was, becomes) => numbers(was, becomes),
            Self::Tier(was, becomes) => (was.to_string(), becomes.to_string()),
            Self::Status(was, becomes) => (was.to_string(), becomes.to_string()),
            Self::Layer(was, becomes) | Self::Property(was, becomes) => (was.clone(), becomes.clone()),
            Self::Expired { was, until } => {
                (was.to_string(), format!("superseded, its time was over {}", until.minute()))
            }
            Self::Replaced { was, .. } => (was.to_string(), format!("superseded by {other}")),
            Self::Says { was, text, .. } => (was.clone(), text.clone()),
            Self::Surer { kind, confidence: (was, becomes), .. } => {
                (format!("{kind} {other} {was:.2}"), format!("{kind} {other} {becomes:.2}"))
            }
            Self::Related { kind, confidence, .. } => {
                (String::new(), format!("{kind} {other} {confidence:.2}"))
            }
            Self::Unrelated { kind, .. } => (format!("{kind} {other}"), String::new()),
            Self::Untagged => ("tagged".to_owned(), String::new()),
        }
    }
}

/// All changes of one batch of a step, and how far its run comes with it.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The state of the memories that this was decided on.
    pub version: i64,
    /// How many records were looked at.
    pub looked_at: u32,
    /// Memories to be made.
    pub made: Vec<NewMemory>,
    /// Changes of memories.
    pub effects: Vec<Effect>,
    /// How memories stood when they were reviewed.
    pub reviews: Vec<ReviewRecord>,
    /// The clusters that replace all those before.
    pub clusters: Option<Vec<ClusterRecord>>,
    /// Digests whose next version is written.
    pub digests: Vec<Digest>,
    /// The parents of entities, which replace all those before.
    pub topics: Option<Vec<ParentEntity>>,
    /// Changes of beliefs.
    pub beliefs: Believing,
    /// Changes of inquiries, and the proposals that came of them.
    pub growth: GrowthBatch,
    /// Scores of days that were weighed.
    pub standing: Vec<StandingScore>,
    /// How far steps have come over all runs.
    pub watermarks: Vec<(String, i64)>,
    /// A remark about the step; may be empty.
    pub note: String,
}

impl Batch {
    /// Whether it must have been decided on the memories as they are.
    fn touches_memory(&self) -> bool {
        self.changes() > 0 || !self.reviews.is_empty() || self.topics.is_some() || !self.beliefs.is_empty()
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
pub struct Turn {
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
pub enum Tended {
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
pub enum Occasion {
    /// A moment of its schedule: the one that was seen as carried out, and the one to be carried out now.
    Moment(Time, Time),
    /// A run was interrupted and is to go on; no new one begins.
    Interrupted,
    /// A person asks for it.
    Asked,
}

/// Whether a run may begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
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
        occasion: Occasion,
        now: Time,
    ) -> Result<Begun> {
        let begin = move |tx: &mut Tx<'_>| {
            know_rhythm(tx, &rhythm, now)?;
            let RunLease { holder, until } = &lease;
            let wanted = RhythmLease { rhythm: &rhythm, holder, until: *until };
            if let Some((holder, until)) = take_lease(tx, &wanted, now)? {
                return Ok(Begun::Busy(holder, until));
            }
            let unfinished = unfinished_run(tx, &rhythm)?;
            let goes_ahead = match occasion {
                Occasion::Moment(seen, moment) => advance_schedule(tx, &rhythm, seen, moment)?,
                Occasion::Interrupted => unfinished.is_some(),
                Occasion::Asked => true,
            };
            if !goes_ahead {
                release(tx, &record::lease_of(&rhythm), holder)?;
                return Ok(Begun::Over);
            }
            if let Some(run) = unfinished {
                return Ok(Begun::Run(run));
            }
            let asked_by = if occasion == Occasion::Asked { AskedBy::Person } else { AskedBy::Schedule };
            insert_run(tx, &rhythm, asked_by, now).map(Begun::Run)
        };
        self.writer.run(begin).await
    }

    /// Writes what a batch changes and moves its run on, all of it or nothing.
    pub async fn tend(&self, turn: Turn, batch: Batch, now: Time) -> Result<Tended> {
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

fn tend(tx: &mut Tx<'_>, turn: &Turn, batch: &Batch, now: Time) -> Result<Tended> {
    let Turn { run, holder, lease_until, .. } = turn;
    let lease = RhythmLease { rhythm: &run.rhythm, holder, until: *lease_until };
    if run_stands(tx, run.run)? != Some((run.step, run.place)) || !keep_lease(tx, &lease)? {
        return Ok(Tended::Lost);
    }
    let mut writer = MemoryWriter::begin(tx, run.as_of)?;
    if batch.touches_memory() && writer.state.version != batch.version {
        return Ok(Tended::Stale);
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
    if let Some(topics) = &batch.topics {
        set_topics(&mut writer, topics)?;
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
    Ok(Tended::Done(changes))
}

/// Adds what a batch did to its step, and moves its run on.
fn move_run_on(tx: &mut Tx<'_>, turn: &Turn, batch: &Batch, now: Time) -> Result<()> {
    let Turn { run, holder, step, next, worked_ms, .. } = turn;
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
    fn apply(&mut self, effects: &[Effect], made: &[u32]) -> Result<()> {
        let (mut stabilities, mut utilities) = (Vec::new(), Vec::new());
        let now = self.now;
        for Effect { on, what, reason } in effects {
            let Some(on) = on.number(made) else { continue };
            match what {
                What::Fades(_, becomes) | What::Steadies(_, becomes) => stabilities.push((on, *becomes)),
                What::Rehearsed(_, becomes) => {
                    stabilities.push((on, *becomes));
                    insert_rehearsal(self, on, now)?;
                }
                What::Drifts(_, becomes) => utilities.push((on, *becomes)),
                What::Tier(_, becomes) => set_memory_word(self, WordColumn::Tier, on, becomes.as_str())?,
                What::Status(_, becomes) => set_memory_word(self, WordColumn::Status, on, becomes.as_str())?,
                What::Layer(_, becomes) => set_memory_word(self, WordColumn::Layer, on, becomes)?,
                What::Expired { until, .. } => {
                    close_memory(self, on, None, *until)?;
                    set_memory_word(self, WordColumn::Tier, on, Tier::Dormant.as_str())?;
                }
                What::Replaced { by, until, .. } => {
                    let Some(by) = by.number(made) else { continue };
                    close_memory(self, on, Some(by), *until)?;
                    let relation = RelationKey { from: by, to: on, kind: RelationKind::Supersedes };
                    self.relate(relation, 1.0, reason)?;
                }
                What::Says { text, bound, .. } => {
                    self.revise(on, &MemoryRevision { text, bound, message: None, reason })?;
                }
                What::Surer { to, kind, confidence: (_, becomes) } => {
                    set_confidence(self, RelationKey { from: on, to: *to, kind: *kind }, *becomes)?;
                }
                What::Related { to, kind, confidence } => {
                    let Some(to) = to.number(made) else { continue };
                    self.relate(RelationKey { from: on, to, kind: *kind }, *confidence, reason)?;
                }
                What::Unrelated { to, kind } => {
                    delete_relation(self, RelationKey { from: on, to: *to, kind: *kind })?;
                }
                What::Untagged => delete_tag(self, on)?,
                What::Property(..) => {}
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
fn change_records(tx: &mut Tx<'_>, turn: &Turn, batch: &Batch, made: &[u32]) -> Result<Vec<ChangeRecord>> {
    let Turn { run, step, .. } = turn;
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
    for Effect { on, what, reason } in batch.effects.iter().filter(|effect| effect.what.is_noted()) {
        let Some(on) = on.number(made) else { continue };
        let Some(id) = record::memory_id(tx, on)? else { continue };
        let other = match what.other_end().and_then(|end| end.number(made)) {
            Some(other) => record::memory_id(tx, other)?,
            None => None,
        };
        let other = other.map_or_else(String::new, |id| id.to_string());
        changes.push(change((on, id), what.name(), what.told(&other), reason));
    }
    Ok(changes)
}
