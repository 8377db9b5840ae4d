//! The rhythms of an agent: when each was carried out, how far a run came, what its steps did and how far steps have come
//! over all runs.

use super::{job::claim, message::stored};
use crate::{
    Result, StoreError, View,
    database::{Connection, Row, values},
};
use cairn_domain::{AskedBy, MemoryId, RunState, Time};

/// What the lease of a rhythm is called among the jobs.
pub(crate) fn lease_of(rhythm: &str) -> String {
    format!("rhythm:{rhythm}")
}

/// A rhythm as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RhythmRecord {
    /// What it is called.
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

/// What a step of a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRecord {
    /// Its place in the run.
    pub step: u32,
    /// What it is called.
    pub name: String,
    /// How many records it looked at.
    pub looked_at: u64,
    /// How many changes it made.
    pub changed: u64,
    /// How long it took, in milliseconds.
    pub worked_ms: u64,
    /// What is worth saying about it.
    pub note: String,
}

/// What a rhythm changed about a memory.
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
    /// What of it.
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

/// A moment of a schedule: the one seen as carried out, and the one to be carried out now.
pub(crate) type Moment = (Time, Time);

/// Makes sure that a rhythm is known; new ones count from `now`.
pub(crate) fn know_rhythm(connection: &mut Connection, agent_id: i64, name: &str, now: Time) -> Result<()> {
    let sql = "INSERT INTO rhythm (agent_id, name, reached) VALUES (?1, ?2, ?3) ON CONFLICT (agent_id, name) DO NOTHING";
    connection.execute(sql, values![agent_id, name, now.millis()]).map(drop)
}

/// Says that a moment of a schedule is carried out, if the one before it is still the last; false if it is not.
pub(crate) fn reach(
    connection: &mut Connection,
    agent_id: i64,
    name: &str,
    (seen, moment): Moment,
) -> Result<bool> {
    let sql = "UPDATE rhythm SET reached = ?3 WHERE agent_id = ?1 AND name = ?2 AND reached = ?4";
    Ok(connection.execute(sql, values![agent_id, name, moment.millis(), seen.millis()])? == 1)
}

pub(crate) fn set_paused(
    connection: &mut Connection,
    agent_id: i64,
    name: &str,
    paused_at: Option<Time>,
) -> Result<()> {
    let sql = "UPDATE rhythm SET paused_at = ?3 WHERE agent_id = ?1 AND name = ?2";
    connection.execute(sql, values![agent_id, name, paused_at.map(Time::millis)]).map(drop)
}

/// The run of a rhythm that is not done, if there is one.
pub(crate) fn unfinished_run(
    connection: &mut Connection,
    agent_id: i64,
    rhythm: &str,
) -> Result<Option<RunRecord>> {
    let sql = select_run!(
        "AND rhythm = ?2 AND run >= (SELECT MAX(r.run) FROM rhythm_run AS r WHERE r.agent_id = ?1
                 AND r.rhythm = ?2) AND state = 'running'"
    );
    connection.first(sql, values![agent_id, rhythm], read_run)
}

/// Begins a run.
pub(crate) fn insert_run(
    connection: &mut Connection,
    agent_id: i64,
    rhythm: &str,
    asked_by: AskedBy,
    now: Time,
) -> Result<RunRecord> {
    // Changes of runs that were carried out elsewhere came along with the memories.
    let last = "SELECT MAX(run) FROM (SELECT MAX(run) AS run FROM rhythm_run WHERE agent_id = ?1
                UNION ALL SELECT MAX(run) FROM memory_change WHERE agent_id = ?1) AS known";
    let run = connection.first(last, values![agent_id], |row| row.maybe_int(0))?.flatten().unwrap_or(0) + 1;
    let sql = "INSERT INTO rhythm_run (agent_id, run, rhythm, asked_by, as_of, begun_at, updated_at, state, step, place,
               worked_ms, changed, note) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5, 'running', 0, 0, 0, 0, '')";
    connection.execute(sql, values![agent_id, run, rhythm, asked_by.as_str(), now.millis()])?;
    Ok(RunRecord {
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
    })
}

/// Where a run stands: its step and how far that came. `None` if it is done.
pub(crate) fn run_stands(connection: &mut Connection, agent_id: i64, run: u32) -> Result<Option<(u32, i64)>> {
    let sql = "SELECT step, place FROM rhythm_run WHERE agent_id = ?1 AND run = ?2 AND state = 'running'";
    connection.first(sql, values![agent_id, i64::from(run)], |row| Ok((row.int(0)? as u32, row.int(1)?)))
}

/// What a batch did for its run.
pub(crate) struct Advance<'a> {
    pub(crate) run: u32,
    pub(crate) to: (u32, i64),
    pub(crate) state: RunState,
    pub(crate) worked_ms: u64,
    pub(crate) changed: u64,
    pub(crate) note: &'a str,
}

pub(crate) fn advance_run(
    connection: &mut Connection,
    agent_id: i64,
    advance: &Advance<'_>,
    now: Time,
) -> Result<()> {
    let Advance { run, to: (step, place), state, worked_ms, changed, note } = advance;
    let sql = "UPDATE rhythm_run SET step = ?3, place = ?4, state = ?5, worked_ms = worked_ms + ?6,
               changed = changed + ?7, note = ?8, updated_at = ?9 WHERE agent_id = ?1 AND run = ?2";
    let values = values![
        agent_id,
        i64::from(*run),
        i64::from(*step),
        *place,
        state.as_str(),
        *worked_ms as i64,
        *changed as i64,
        *note,
        now.millis(),
    ];
    connection.execute(sql, values).map(drop)
}

/// Says why a run does not go on.
pub(crate) fn note_run(connection: &mut Connection, agent_id: i64, run: u32, note: &str) -> Result<()> {
    let sql = "UPDATE rhythm_run SET note = ?3 WHERE agent_id = ?1 AND run = ?2 AND state = 'running'";
    connection.execute(sql, values![agent_id, i64::from(run), note]).map(drop)
}

/// Adds what a batch did to what its step has done.
pub(crate) fn add_to_step(
    connection: &mut Connection,
    agent_id: i64,
    run: u32,
    did: &StepRecord,
) -> Result<()> {
    let sql = "INSERT INTO rhythm_step (agent_id, run, step, name, looked_at, changed, worked_ms, note)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (agent_id, run, step) DO UPDATE SET
               looked_at = rhythm_step.looked_at + ?5, changed = rhythm_step.changed + ?6,
               worked_ms = rhythm_step.worked_ms + ?7, note = ?8";
    let values = values![
        agent_id,
        i64::from(run),
        i64::from(did.step),
        did.name.as_str(),
        did.looked_at as i64,
        did.changed as i64,
        did.worked_ms as i64,
        did.note.as_str(),
    ];
    connection.execute(sql, values).map(drop)
}

pub(crate) fn set_watermark(
    connection: &mut Connection,
    agent_id: i64,
    name: &str,
    reached: i64,
) -> Result<()> {
    let sql = "INSERT INTO watermark (agent_id, name, reached) VALUES (?1, ?2, ?3)
               ON CONFLICT (agent_id, name) DO UPDATE SET reached = ?3";
    connection.execute(sql, values![agent_id, name, reached]).map(drop)
}

/// Appends to what was changed.
pub(crate) fn insert_changes(
    connection: &mut Connection,
    agent_id: i64,
    changes: &[ChangeRecord],
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let next = "SELECT COALESCE(MAX(change_id), 0) + 1 FROM memory_change WHERE agent_id = ?1";
    let next = connection.first(next, values![agent_id], |row| row.int(0))?.unwrap_or(1);
    let sql = "INSERT INTO memory_change (agent_id, change_id, run, step, number, what, was, becomes, reason, changed_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut rows = Vec::with_capacity(changes.len());
    for (id, change) in (next..).zip(changes) {
        let ChangeRecord { run, step, number, what, was, becomes, reason, changed_at, .. } = change;
        let (run, number) = (i64::from(*run), i64::from(*number));
        let texts = (step.as_str(), what.as_str(), was.as_str(), becomes.as_str(), reason.as_str());
        let (step, what, was, becomes, reason) = texts;
        let at = changed_at.millis();
        rows.push(values![agent_id, id, run, step, number, what, was, becomes, reason, at].to_vec());
    }
    connection.execute_each(sql, &rows)
}

/// Takes the lease of a rhythm; who has it, if somebody else does.
pub(crate) fn take_lease(
    connection: &mut Connection,
    agent_id: i64,
    (rhythm, holder): (&str, &str),
    now: Time,
    until: Time,
) -> Result<Option<(String, Time)>> {
    let name = lease_of(rhythm);
    if claim(connection, agent_id, &name, holder, now, until)? {
        return Ok(None);
    }
    let sql = "SELECT holder, lease_until FROM job WHERE agent_id = ?1 AND name = ?2";
    let held = connection.first(sql, values![agent_id, name.as_str()], |row| {
        Ok((row.maybe_text(0)?.unwrap_or_default(), Time::from_millis(row.maybe_int(1)?.unwrap_or(0))))
    })?;
    Ok(Some(held.unwrap_or_else(|| (String::new(), now))))
}

/// Whether `holder` still has the lease of a rhythm; if so, until `until`.
pub(crate) fn keep_lease(
    connection: &mut Connection,
    agent_id: i64,
    (rhythm, holder): (&str, &str),
    until: Time,
) -> Result<bool> {
    let sql = "UPDATE job SET lease_until = ?4 WHERE agent_id = ?1 AND name = ?2 AND holder = ?3";
    let name = lease_of(rhythm);
    Ok(connection.execute(sql, values![agent_id, name.as_str(), holder, until.millis()])? == 1)
}

macro_rules! select_run {
    ($rest:literal) => {
        concat!(
            "SELECT run, rhythm, asked_by, as_of, begun_at, updated_at, state, step, place, worked_ms, changed, note
             FROM rhythm_run WHERE agent_id = ?1 ",
            $rest
        )
    };
}
use select_run;

macro_rules! select_change {
    ($rest:literal) => {
        concat!(
            "SELECT c.run, c.step, c.number, c.what, c.was, c.becomes, c.reason, c.changed_at, m.memory_id
             FROM memory_change AS c JOIN memory AS m ON m.agent_id = c.agent_id AND m.number = c.number
             WHERE c.agent_id = ?1 ",
            $rest
        )
    };
}

impl View<'_> {
    /// The rhythms that are known, by name.
    pub fn rhythms(&mut self) -> Result<Vec<RhythmRecord>> {
        let sql = "SELECT name, reached, paused_at FROM rhythm WHERE agent_id = ?1 ORDER BY name";
        self.connection.query(sql, values![self.agent_id], |row| {
            Ok(RhythmRecord {
                name: row.text(0)?,
                reached: Time::from_millis(row.int(1)?),
                paused_at: row.maybe_int(2)?.map(Time::from_millis),
            })
        })
    }

    /// The newest runs of a rhythm, the newest first.
    pub fn runs(&mut self, rhythm: &str, limit: u32) -> Result<Vec<RunRecord>> {
        let sql = select_run!("AND rhythm = ?2 ORDER BY run DESC LIMIT ?3");
        self.connection.query(sql, values![self.agent_id, rhythm, i64::from(limit)], read_run)
    }

    /// One run.
    pub fn run(&mut self, run: u32) -> Result<Option<RunRecord>> {
        let sql = select_run!("AND run = ?2");
        self.connection.first(sql, values![self.agent_id, i64::from(run)], read_run)
    }

    /// What the steps of a run did, in their order.
    pub fn steps_of(&mut self, run: u32) -> Result<Vec<StepRecord>> {
        let sql = "SELECT step, name, looked_at, changed, worked_ms, note FROM rhythm_step
                   WHERE agent_id = ?1 AND run = ?2 ORDER BY step";
        self.connection.query(sql, values![self.agent_id, i64::from(run)], |row| {
            Ok(StepRecord {
                step: row.int(0)? as u32,
                name: row.text(1)?,
                looked_at: row.int(2)? as u64,
                changed: row.int(3)? as u64,
                worked_ms: row.int(4)? as u64,
                note: row.text(5)?,
            })
        })
    }

    /// What a run changed, in order.
    pub fn changes_in(&mut self, run: u32, limit: u32) -> Result<Vec<ChangeRecord>> {
        let sql = select_change!("AND c.run = ?2 ORDER BY c.change_id LIMIT ?3");
        self.connection.query(sql, values![self.agent_id, i64::from(run), i64::from(limit)], read_change)
    }

    /// What rhythms changed about a memory, the oldest first.
    pub fn changes_of(&mut self, number: u32) -> Result<Vec<ChangeRecord>> {
        let sql = select_change!("AND c.number = ?2 ORDER BY c.change_id");
        self.connection.query(sql, values![self.agent_id, i64::from(number)], read_change)
    }

    /// How far a step has come over all runs.
    pub fn watermark(&mut self, name: &str) -> Result<Option<i64>> {
        let sql = "SELECT reached FROM watermark WHERE agent_id = ?1 AND name = ?2";
        self.connection.first(sql, values![self.agent_id, name], |row| row.int(0))
    }

    /// When the newest message was recorded.
    pub fn last_recorded(&mut self) -> Result<Option<Time>> {
        let sql = "SELECT recorded_at FROM message WHERE agent_id = ?1 ORDER BY seq DESC LIMIT 1";
        self.connection.first(sql, values![self.agent_id], |row| Ok(Time::from_millis(row.int(0)?)))
    }
}

fn read_run(row: &Row<'_>) -> Result<RunRecord> {
    let time = |column| row.int(column).map(Time::from_millis);
    Ok(RunRecord {
        run: row.int(0)? as u32,
        rhythm: row.text(1)?,
        asked_by: stored(row.str(2)?)?,
        as_of: time(3)?,
        begun_at: time(4)?,
        updated_at: time(5)?,
        state: stored(row.str(6)?)?,
        step: row.int(7)? as u32,
        place: row.int(8)?,
        worked_ms: row.int(9)? as u64,
        changed: row.int(10)? as u64,
        note: row.text(11)?,
    })
}

fn read_change(row: &Row<'_>) -> Result<ChangeRecord> {
    Ok(ChangeRecord {
        run: row.int(0)? as u32,
        step: row.text(1)?,
        number: row.int(2)? as u32,
        what: row.text(3)?,
        was: row.text(4)?,
        becomes: row.text(5)?,
        reason: row.text(6)?,
        changed_at: Time::from_millis(row.int(7)?),
        memory: MemoryId::from_bytes(row.bytes(8)?.try_into().map_err(|_| StoreError::Closed)?),
    })
}
