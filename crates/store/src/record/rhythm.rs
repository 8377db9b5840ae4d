//! The rhythms of an agent: when each was carried out, how far a run came, what its steps did and how far steps have come
//! over all runs.

use super::{
    columns::{ColumnReader, StoredRecord, columns, insert_statement, read_record},
    job::claim,
};
use crate::{
    Result,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{AskedBy, MemoryId, RunState, Time};
use std::sync::LazyLock;

/// Name of the lease of a rhythm among the jobs.
pub(crate) fn lease_of(rhythm: &str) -> String {
    format!("rhythm:{rhythm}")
}

/// A rhythm as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RhythmRecord {
    /// Its name.
    pub name: String,
    /// The moment of its schedule that was carried out last, or when it was first seen.
    pub reached: Time,
    /// Since when it rests, if it does.
    pub paused_at: Option<Time>,
}

/// One time that a rhythm was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// Its number.
    pub run: u32,
    /// Which rhythm.
    pub rhythm: String,
    /// Who asked for it.
    pub asked_by: AskedBy,
    /// The moment that every step decides on.
    pub as_of: Time,
    /// When it began.
    pub begun_at: Time,
    /// When it last got on.
    pub updated_at: Time,
    /// Whether it is done.
    pub state: RunState,
    /// The step at hand.
    pub step: u32,
    /// How far that came.
    pub place: i64,
    /// How long was worked on it, in milliseconds.
    pub worked_ms: u64,
    /// How many changes it made.
    pub changed: u64,
    /// Why it does not go on at the moment; empty if nothing is in its way.
    pub note: String,
}

/// The report of one step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRecord {
    /// Its place in the run.
    pub step: u32,
    /// Its name.
    pub name: String,
    /// How many records it looked at.
    pub looked_at: u64,
    /// How many changes it made.
    pub changed: u64,
    /// How long it took, in milliseconds.
    pub worked_ms: u64,
    /// A remark, if there is one.
    pub note: String,
}

/// A change that a rhythm made to a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// In which run.
    pub run: u32,
    /// By which step.
    pub step: String,
    /// The memory.
    pub number: u32,
    /// Its name.
    pub memory: MemoryId,
    /// The property that changed.
    pub what: String,
    /// From what.
    pub was: String,
    /// To what.
    pub becomes: String,
    /// Why.
    pub reason: String,
    /// By the clock of its run.
    pub changed_at: Time,
}

columns! {
    run_columns: RunRecord, "rhythm_run" as "rhythm_run" {
        run: number "run",
        rhythm: text "rhythm",
        asked_by: word "asked_by",
        as_of: time "as_of",
        begun_at: time "begun_at",
        updated_at: time "updated_at",
        state: word "state",
        step: number "step",
        place: number "place",
        worked_ms: count "worked_ms",
        changed: count "changed",
        note: text "note",
    }
}

columns! {
    step_columns: StepRecord, "rhythm_step" as "rhythm_step" {
        step: number "step",
        name: text "name",
        looked_at: count "looked_at",
        changed: count "changed",
        worked_ms: count "worked_ms",
        note: text "note",
    }
}

columns! {
    change_columns: ChangeRecord, "memory_change" as "c" {
        run: number "run",
        step: text "step",
        number: number "number",
        what: text "what",
        was: text "was",
        becomes: text "becomes",
        reason: text "reason",
        changed_at: time "changed_at",
    } besides { memory: MemoryId::from_bytes([0; 16]), }
}

columns! {
    rhythm_columns: RhythmRecord, "rhythm" as "rhythm" {
        name: text "name",
        reached: time "reached",
        paused_at: maybe_time "paused_at",
    }
}

macro_rules! select_run {
    ($rest:literal) => {
        concat!("SELECT ", run_columns!(), " FROM rhythm_run WHERE agent_id = ?1 ", $rest)
    };
}

macro_rules! select_change {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            change_columns!(),
            ", m.memory_id FROM memory_change AS c JOIN memory AS m ON m.agent_id = c.agent_id AND m.number = c.number
             WHERE c.agent_id = ?1 ",
            $rest
        )
    };
}

/// Makes sure that a rhythm is known; new ones count from `now`.
pub(crate) fn know_rhythm(tx: &mut Tx<'_>, name: &str, now: Time) -> Result<()> {
    let sql = "INSERT INTO rhythm (agent_id, name, reached) VALUES (?1, ?2, ?3) ON CONFLICT (agent_id, name) DO NOTHING";
    tx.execute(sql, values![tx.agent_id, name, now.millis()]).map(drop)
}

/// Says that `moment` of a schedule is carried out, if `seen` is still the last that was; false if it is not.
pub(crate) fn advance_schedule(tx: &mut Tx<'_>, name: &str, seen: Time, moment: Time) -> Result<bool> {
    let sql = "UPDATE rhythm SET reached = ?3 WHERE agent_id = ?1 AND name = ?2 AND reached = ?4";
    Ok(tx.execute(sql, values![tx.agent_id, name, moment.millis(), seen.millis()])? == 1)
}

pub(crate) fn set_paused(tx: &mut Tx<'_>, name: &str, paused_at: Option<Time>) -> Result<()> {
    let sql = "UPDATE rhythm SET paused_at = ?3 WHERE agent_id = ?1 AND name = ?2";
    tx.execute(sql, values![tx.agent_id, name, paused_at.map(Time::millis)]).map(drop)
}

/// The run of a rhythm that is not done, if there is one.
pub(crate) fn unfinished_run(tx: &mut Tx<'_>, rhythm: &str) -> Result<Option<RunRecord>> {
    let sql = select_run!(
        "AND rhythm = ?2 AND run >= (SELECT MAX(r.run) FROM rhythm_run AS r WHERE r.agent_id = ?1
                 AND r.rhythm = ?2) AND state = 'running'"
    );
    tx.first(sql, values![tx.agent_id, rhythm], read_record)
}

/// Begins a run.
pub(crate) fn insert_run(tx: &mut Tx<'_>, rhythm: &str, asked_by: AskedBy, now: Time) -> Result<RunRecord> {
    // Changes of runs that were carried out elsewhere came along with the memories.
    let last = "SELECT MAX(run) FROM (SELECT MAX(run) AS run FROM rhythm_run WHERE agent_id = ?1
                UNION ALL SELECT MAX(run) FROM memory_change WHERE agent_id = ?1) AS known";
    let run = tx.first(last, values![tx.agent_id], |row| row.maybe_int(0))?.flatten().unwrap_or(0) + 1;
    let record = RunRecord {
        run: run as u32,
        rhythm: rhythm.to_owned(),
        asked_by,
        as_of: now,
        begun_at: now,
        updated_at: now,
        state: RunState::Running,
        step: 0,
        place: 0,
        worked_ms: 0,
        changed: 0,
        note: String::new(),
    };
    let mut values = values![tx.agent_id].to_vec();
    values.extend(record.column_values());
    tx.execute(&INSERT_RUN, &values)?;
    Ok(record)
}

static INSERT_RUN: LazyLock<String> =
    LazyLock::new(|| insert_statement("rhythm_run", &[], RunRecord::COLUMNS));

/// Where a run stands: its step and how far that came. `None` if it is done.
pub(crate) fn run_stands(tx: &mut Tx<'_>, run: u32) -> Result<Option<(u32, i64)>> {
    let sql = "SELECT step, place FROM rhythm_run WHERE agent_id = ?1 AND run = ?2 AND state = 'running'";
    tx.first(sql, values![tx.agent_id, i64::from(run)], |row| Ok((row.int(0)? as u32, row.int(1)?)))
}

/// The progress of a run after a batch.
pub(crate) struct Advance<'a> {
    pub(crate) run: u32,
    pub(crate) to: (u32, i64),
    pub(crate) state: RunState,
    pub(crate) worked_ms: u64,
    pub(crate) changed: u64,
    pub(crate) note: &'a str,
}

pub(crate) fn advance_run(tx: &mut Tx<'_>, advance: &Advance<'_>, now: Time) -> Result<()> {
    let Advance { run, to: (step, place), state, worked_ms, changed, note } = advance;
    let sql = "UPDATE rhythm_run SET step = ?3, place = ?4, state = ?5, worked_ms = worked_ms + ?6,
               changed = changed + ?7, note = ?8, updated_at = ?9 WHERE agent_id = ?1 AND run = ?2";
    let values = values![
        tx.agent_id,
        i64::from(*run),
        i64::from(*step),
        *place,
        state.as_str(),
        *worked_ms as i64,
        *changed as i64,
        *note,
        now.millis(),
    ];
    tx.execute(sql, values).map(drop)
}

/// Says why a run does not go on.
pub(crate) fn note_run(tx: &mut Tx<'_>, run: u32, note: &str) -> Result<()> {
    let sql = "UPDATE rhythm_run SET note = ?3 WHERE agent_id = ?1 AND run = ?2 AND state = 'running'";
    tx.execute(sql, values![tx.agent_id, i64::from(run), note]).map(drop)
}

/// Adds what a batch did to what its step has done.
pub(crate) fn add_to_step(tx: &mut Tx<'_>, run: u32, did: &StepRecord) -> Result<()> {
    let mut values = values![tx.agent_id, i64::from(run)].to_vec();
    values.extend(did.column_values());
    tx.execute(&ADD_TO_STEP, &values).map(drop)
}

static ADD_TO_STEP: LazyLock<String> = LazyLock::new(|| {
    let insert = insert_statement("rhythm_step", &["run"], StepRecord::COLUMNS);
    format!(
        "{insert} ON CONFLICT (agent_id, run, step) DO UPDATE SET looked_at = rhythm_step.looked_at + excluded.looked_at,
         changed = rhythm_step.changed + excluded.changed, worked_ms = rhythm_step.worked_ms + excluded.worked_ms,
         note = excluded.note"
    )
});

pub(crate) fn set_watermark(tx: &mut Tx<'_>, name: &str, reached: i64) -> Result<()> {
    let sql = "INSERT INTO watermark (agent_id, name, reached) VALUES (?1, ?2, ?3)
               ON CONFLICT (agent_id, name) DO UPDATE SET reached = ?3";
    tx.execute(sql, values![tx.agent_id, name, reached]).map(drop)
}

/// Appends to what was changed.
pub(crate) fn insert_changes(tx: &mut Tx<'_>, changes: &[ChangeRecord]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let next = "SELECT COALESCE(MAX(change_id), 0) + 1 FROM memory_change WHERE agent_id = ?1";
    let next = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(1);
    let mut rows = Vec::with_capacity(changes.len());
    for (id, change) in (next..).zip(changes) {
        let mut values = values![tx.agent_id, id].to_vec();
        values.extend(change.column_values());
        rows.push(values);
    }
    tx.execute_each(&INSERT_CHANGE, &rows)
}

static INSERT_CHANGE: LazyLock<String> =
    LazyLock::new(|| insert_statement("memory_change", &["change_id"], ChangeRecord::COLUMNS));

/// Who works on a rhythm, and until when nobody else may.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RhythmLease<'a> {
    pub(crate) rhythm: &'a str,
    pub(crate) holder: &'a str,
    pub(crate) until: Time,
}

/// Takes the lease of a rhythm; who has it, if somebody else does.
pub(crate) fn take_lease(
    tx: &mut Tx<'_>,
    lease: &RhythmLease<'_>,
    now: Time,
) -> Result<Option<(String, Time)>> {
    let RhythmLease { rhythm, holder, until } = *lease;
    let name = lease_of(rhythm);
    if claim(tx, &name, holder, now, until)? {
        return Ok(None);
    }
    let sql = "SELECT holder, lease_until FROM job WHERE agent_id = ?1 AND name = ?2";
    let held = tx.first(sql, values![tx.agent_id, name.as_str()], |row| {
        Ok((row.maybe_text(0)?.unwrap_or_default(), Time::from_millis(row.maybe_int(1)?.unwrap_or(0))))
    })?;
    Ok(Some(held.unwrap_or_else(|| (String::new(), now))))
}

/// Extends a lease; false if somebody else has it.
pub(crate) fn keep_lease(tx: &mut Tx<'_>, lease: &RhythmLease<'_>) -> Result<bool> {
    let RhythmLease { rhythm, holder, until } = *lease;
    let sql = "UPDATE job SET lease_until = ?4 WHERE agent_id = ?1 AND name = ?2 AND holder = ?3";
    let name = lease_of(rhythm);
    Ok(tx.execute(sql, values![tx.agent_id, name.as_str(), holder, until.millis()])? == 1)
}

impl Tx<'_> {
    /// The rhythms that are known, by name.
    pub fn rhythms(&mut self) -> Result<Vec<RhythmRecord>> {
        let sql = concat!("SELECT ", rhythm_columns!(), " FROM rhythm WHERE agent_id = ?1 ORDER BY name");
        self.query(sql, values![self.agent_id], read_record)
    }

    /// The newest runs of a rhythm, the newest first.
    pub fn runs(&mut self, rhythm: &str, limit: u32) -> Result<Vec<RunRecord>> {
        let sql = select_run!("AND rhythm = ?2 ORDER BY run DESC LIMIT ?3");
        self.query(sql, values![self.agent_id, rhythm, i64::from(limit)], read_record)
    }

    /// The newest runs of all rhythms before number `before`, the newest first.
    pub fn runs_before(&mut self, before: u32, limit: u32) -> Result<Vec<RunRecord>> {
        let sql = select_run!("AND run < ?2 ORDER BY run DESC LIMIT ?3");
        self.query(sql, values![self.agent_id, i64::from(before), i64::from(limit)], read_record)
    }

    /// One run.
    pub fn run(&mut self, run: u32) -> Result<Option<RunRecord>> {
        let sql = select_run!("AND run = ?2");
        self.first(sql, values![self.agent_id, i64::from(run)], read_record)
    }

    /// The reports of the steps of a run, in their order.
    pub fn steps_of(&mut self, run: u32) -> Result<Vec<StepRecord>> {
        let sql = concat!(
            "SELECT ",
            step_columns!(),
            " FROM rhythm_step WHERE agent_id = ?1 AND run = ?2 ORDER BY step"
        );
        self.query(sql, values![self.agent_id, i64::from(run)], read_record)
    }

    /// The changes that a run made, in order.
    pub fn changes_in(&mut self, run: u32, limit: u32) -> Result<Vec<ChangeRecord>> {
        let sql = select_change!("AND c.run = ?2 ORDER BY c.change_id LIMIT ?3");
        self.query(sql, values![self.agent_id, i64::from(run), i64::from(limit)], read_change)
    }

    /// The changes that rhythms made to a memory, oldest first.
    pub fn changes_of(&mut self, number: u32) -> Result<Vec<ChangeRecord>> {
        let sql = select_change!("AND c.number = ?2 ORDER BY c.change_id");
        self.query(sql, values![self.agent_id, i64::from(number)], read_change)
    }

    /// How far a step has come over all runs.
    pub fn watermark(&mut self, name: &str) -> Result<Option<i64>> {
        let sql = "SELECT reached FROM watermark WHERE agent_id = ?1 AND name = ?2";
        self.first(sql, values![self.agent_id, name], |row| row.int(0))
    }

    /// When the newest message was recorded.
    pub fn last_recorded(&mut self) -> Result<Option<Time>> {
        let sql = "SELECT recorded_at FROM message WHERE agent_id = ?1 ORDER BY seq DESC LIMIT 1";
        self.first(sql, values![self.agent_id], |row| Ok(Time::from_millis(row.int(0)?)))
    }
}

fn read_change(row: &Row<'_>) -> Result<ChangeRecord> {
    let columns = &mut ColumnReader::new(row);
    let change = ChangeRecord::read_columns(columns)?;
    Ok(ChangeRecord { memory: columns.named("memory.memory_id").id()?, ..change })
}
