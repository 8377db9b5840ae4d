//! Tending: what one batch of a rhythm changes, in one transaction with how far the rhythm came. Whoever decided while
//! somebody else changed something is told so, and decides again.

use crate::{
    Believing, ClusterRecord, End, NewMemory, RelationRecord, Result, ReviewRecord, RunRecord, Store,
    believing::believe,
    database::Connection,
    formation::{make_all, say},
    record::{
        self, Advance, ChangeRecord, Column, MemoryState, StepRecord, add_to_step, advance_run,
        insert_changes, insert_digest, insert_relation, insert_run, keep_lease, know_rhythm, memory_state,
        move_on, note_run, reach, rehearsed, release, run_stands, set_clusters, set_confidence, set_number,
        set_paused, set_review, set_topics, set_watermark, set_word, supersede, take_lease, unfinished_run,
        unrelate, untag,
    },
    store::Shared,
};
use cairn_domain::{AskedBy, Digest, RelationKind, RunState, Status, Tier, Time};

/// One thing that a rhythm changes about a memory, and why.
#[derive(Debug, Clone)]
pub struct Effect {
    /// The memory.
    pub on: End,
    /// What of it.
    pub what: What,
    /// Why.
    pub reason: String,
}

/// What a rhythm changes about a memory.
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
        /// What it said.
        was: String,
        /// What it says.
        text: String,
        /// What it rests on besides, what it is about.
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

/// What one batch of a step changes, and how far its run comes with it.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The state of the memories that this was decided on.
    pub version: i64,
    /// How many records were looked at.
    pub looked_at: u32,
    /// Memories to be made.
    pub made: Vec<NewMemory>,
    /// What changes about memories.
    pub effects: Vec<Effect>,
    /// How memories stood when they were reviewed.
    pub reviews: Vec<ReviewRecord>,
    /// What belongs together, in place of what did.
    pub clusters: Option<Vec<ClusterRecord>>,
    /// Digests whose next version is written.
    pub digests: Vec<Digest>,
    /// What entities are parts of, in place of what they were: entity, parent, share.
    pub topics: Option<Vec<(u32, u32, f64)>>,
    /// What changes about beliefs.
    pub beliefs: Believing,
    /// How far steps have come over all runs.
    pub watermarks: Vec<(String, i64)>,
    /// What is worth saying about the step.
    pub note: String,
}

impl Batch {
    /// How many changes it holds.
    pub fn changes(&self) -> usize {
        self.made.len() + self.effects.len() + self.digests.len() + self.beliefs.count()
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
    /// What the step at hand is called.
    pub step: &'static str,
    /// The step and the place in it that comes next; `None` when the run is done.
    pub next: Option<(u32, i64)>,
    /// How long the batch took, in milliseconds.
    pub worked_ms: u64,
}

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tended {
    /// It is written, and noted so.
    Done(Vec<ChangeRecord>),
    /// Something else was written since it was decided; nothing of it is.
    Stale,
    /// Somebody else has the run in hand, or has done this already; nothing of it is written.
    Lost,
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

/// What became of the wish to begin a run.
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
        let know = move |connection: &mut Connection, shared: &Shared| {
            names.iter().try_for_each(|name| know_rhythm(connection, shared.agent_id, name, now))
        };
        self.writer.claim(know).await
    }

    /// Takes a rhythm in hand: its interrupted run if there is one, else a new one. For a moment of its schedule only if
    /// the one before it still is the last; it then counts as carried out.
    pub async fn begin_run(
        &self,
        rhythm: String,
        (holder, lease_until): (String, Time),
        occasion: Occasion,
        now: Time,
    ) -> Result<Begun> {
        let begin = move |connection: &mut Connection, shared: &Shared| {
            let agent_id = shared.agent_id;
            know_rhythm(connection, agent_id, &rhythm, now)?;
            if let Some((holder, until)) =
                take_lease(connection, agent_id, (&rhythm, &holder), now, lease_until)?
            {
                return Ok(Begun::Busy(holder, until));
            }
            let unfinished = unfinished_run(connection, agent_id, &rhythm)?;
            let goes_ahead = match occasion {
                Occasion::Moment(seen, moment) => reach(connection, agent_id, &rhythm, (seen, moment))?,
                Occasion::Interrupted => unfinished.is_some(),
                Occasion::Asked => true,
            };
            if !goes_ahead {
                release(connection, agent_id, &record::lease_of(&rhythm), &holder)?;
                return Ok(Begun::Over);
            }
            if let Some(run) = unfinished {
                return Ok(Begun::Run(run));
            }
            let asked_by = if occasion == Occasion::Asked { AskedBy::Person } else { AskedBy::Schedule };
            insert_run(connection, agent_id, &rhythm, asked_by, now).map(Begun::Run)
        };
        self.writer.run(begin).await
    }

    /// Writes what a batch changes and moves its run on, all of it or nothing.
    pub async fn tend(&self, turn: Turn, batch: Batch, now: Time) -> Result<Tended> {
        self.writer.run(move |connection, shared| tend(connection, shared.agent_id, &turn, &batch, now)).await
    }

    /// Lets go of a run, which goes on later if it is not done; `note` says why.
    pub async fn leave_run(&self, run: RunRecord, holder: String, note: String) -> Result<()> {
        let leave = move |connection: &mut Connection, shared: &Shared| {
            note_run(connection, shared.agent_id, run.run, &note)?;
            release(connection, shared.agent_id, &record::lease_of(&run.rhythm), &holder)
        };
        self.writer.claim(leave).await
    }

    /// Lets a rhythm rest from now on, or wakes it.
    pub async fn pause_rhythm(&self, name: String, paused_at: Option<Time>) -> Result<()> {
        let pause = move |connection: &mut Connection, shared: &Shared| {
            set_paused(connection, shared.agent_id, &name, paused_at)
        };
        self.writer.claim(pause).await
    }

    /// Counts the schedule of a rhythm from another moment on, if it still stands where it was seen.
    pub async fn reach_rhythm(&self, name: String, seen: Time, moment: Time) -> Result<bool> {
        let write = move |connection: &mut Connection, shared: &Shared| {
            reach(connection, shared.agent_id, &name, (seen, moment))
        };
        self.writer.claim(write).await
    }
}

fn tend(connection: &mut Connection, agent_id: i64, turn: &Turn, batch: &Batch, now: Time) -> Result<Tended> {
    let Turn { run, holder, lease_until, step, next, worked_ms } = turn;
    let stands = run_stands(connection, agent_id, run.run)?;
    if stands != Some((run.step, run.place))
        || !keep_lease(connection, agent_id, (&run.rhythm, holder), *lease_until)?
    {
        return Ok(Tended::Lost);
    }
    let mut state = memory_state(connection, agent_id)?;
    let touches = batch.changes() > 0
        || !batch.reviews.is_empty()
        || batch.topics.is_some()
        || !batch.beliefs.is_empty();
    if touches && state.version != batch.version {
        return Ok(Tended::Stale);
    }
    let made = make_all(connection, agent_id, &mut state, &batch.made, None, run.as_of)?;
    apply(connection, agent_id, &mut state, &batch.effects, &made, run.as_of)?;
    for review in &batch.reviews {
        set_review(connection, agent_id, review)?;
    }
    if let Some(clusters) = &batch.clusters {
        set_clusters(connection, agent_id, clusters)?;
    }
    for digest in &batch.digests {
        insert_digest(connection, agent_id, digest, run.as_of)?;
    }
    if let Some(topics) = &batch.topics {
        set_topics(connection, agent_id, topics)?;
    }
    believe(connection, agent_id, &batch.beliefs, run.as_of)?;
    for (name, reached) in &batch.watermarks {
        set_watermark(connection, agent_id, name, *reached)?;
    }
    let noted = noted(connection, agent_id, (run, step), batch, &made)?;
    insert_changes(connection, agent_id, &noted)?;
    let (changed, worked_ms) = (batch.changes() as u64, *worked_ms);
    let (name, note, looked_at) = ((*step).to_owned(), batch.note.clone(), u64::from(batch.looked_at));
    add_to_step(
        connection,
        agent_id,
        run.run,
        &StepRecord { step: run.step, name, looked_at, changed, worked_ms, note },
    )?;
    let run_state = if next.is_some() { RunState::Running } else { RunState::Done };
    let to = next.unwrap_or((run.step + 1, 0));
    let advance = Advance { run: run.run, to, state: run_state, worked_ms, changed, note: "" };
    advance_run(connection, agent_id, &advance, now)?;
    if next.is_none() {
        release(connection, agent_id, &record::lease_of(&run.rhythm), holder)?;
    }
    if batch.made.len() + batch.effects.len() + batch.beliefs.count() > 0 {
        move_on(connection, agent_id, &state)?;
    }
    Ok(Tended::Done(noted))
}

fn apply(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    effects: &[Effect],
    made: &[u32],
    now: Time,
) -> Result<()> {
    let (mut stabilities, mut utilities) = (Vec::new(), Vec::new());
    for Effect { on, what, reason } in effects {
        let Some(on) = on.number(made) else { continue };
        match what {
            What::Fades(_, becomes) | What::Steadies(_, becomes) => stabilities.push((on, *becomes)),
            What::Rehearsed(_, becomes) => {
                stabilities.push((on, *becomes));
                rehearsed(connection, agent_id, on, now)?;
            }
            What::Drifts(_, becomes) => utilities.push((on, *becomes)),
            What::Tier(_, becomes) => set_word(connection, agent_id, Column::Tier, on, becomes.as_str())?,
            What::Status(_, becomes) => set_word(connection, agent_id, Column::Status, on, becomes.as_str())?,
            What::Layer(_, becomes) => set_word(connection, agent_id, Column::Layer, on, becomes)?,
            What::Expired { until, .. } => {
                supersede(connection, agent_id, on, None, *until)?;
                set_word(connection, agent_id, Column::Tier, on, Tier::Dormant.as_str())?;
            }
            What::Replaced { by, until, .. } => {
                let Some(by) = by.number(made) else { continue };
                supersede(connection, agent_id, on, Some(by), *until)?;
                relate(connection, agent_id, (by, on, RelationKind::Supersedes), 1.0, reason, now)?;
            }
            What::Says { text, bound, .. } => {
                say(connection, agent_id, state, on, text, (bound, None), (reason, now))?;
            }
            What::Surer { to, kind, confidence: (_, becomes) } => {
                set_confidence(connection, agent_id, (on, *to, *kind), *becomes)?;
            }
            What::Related { to, kind, confidence } => {
                let Some(to) = to.number(made) else { continue };
                relate(connection, agent_id, (on, to, *kind), *confidence, reason, now)?;
            }
            What::Unrelated { to, kind } => unrelate(connection, agent_id, (on, *to, *kind))?,
            What::Untagged => untag(connection, agent_id, on)?,
            What::Property(..) => {}
        }
    }
    set_number(connection, agent_id, Column::Stability, &stabilities)?;
    set_number(connection, agent_id, Column::Utility, &utilities)
}

fn relate(
    connection: &mut Connection,
    agent_id: i64,
    (from, to, kind): (u32, u32, RelationKind),
    confidence: f64,
    reason: &str,
    now: Time,
) -> Result<()> {
    let relation = RelationRecord { from, to, kind, confidence, reason: reason.to_owned() };
    insert_relation(connection, agent_id, &relation, "rhythm", now)
}

/// What is noted of a batch.
fn noted(
    connection: &mut Connection,
    agent_id: i64,
    (run, step): (&RunRecord, &str),
    batch: &Batch,
    made: &[u32],
) -> Result<Vec<ChangeRecord>> {
    let mut changes = Vec::new();
    let change =
        |(number, memory), what: &str, (was, becomes): (String, String), reason: &str| ChangeRecord {
            run: run.run,
            step: step.to_owned(),
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
        let Some(id) = record::memory_id(connection, agent_id, on)? else { continue };
        let other = match what.other_end().and_then(|end| end.number(made)) {
            Some(other) => record::memory_id(connection, agent_id, other)?,
            None => None,
        };
        let other = other.map_or_else(String::new, |id| id.to_string());
        changes.push(change((on, id), what.name(), what.told(&other), reason));
    }
    Ok(changes)
}
