//! Numbers of turns, and what was learned from them. No word is in them; with words that are erased go the numbers of their
//! exchanges and everything that was learned.

use crate::{
    Result, StoreError,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{ExchangeId, MessageId, Time};

/// Turns that are kept.
const MAX_DYNAMICS_TURNS: i64 = 1_024;

/// The numbers measured of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsTurn {
    /// Its number; 0 until it is written.
    pub turn: u32,
    /// The exchange that it is.
    pub exchange: ExchangeId,
    /// The session.
    pub session: String,
    /// When it began.
    pub at: Time,
    /// The newest message that was counted.
    pub last_seq: u32,
    /// When that was said.
    pub last_at: Time,
    /// The turn before it.
    pub previous: Option<u32>,
    /// The counts.
    pub features: Vec<f32>,
    /// Whether it is over.
    pub is_over: bool,
    /// The numbers learned of it; not of one that goes on, nor after an erasure until somebody looks at it again.
    pub learned: Option<TurnNumbers>,
}

/// The numbers learned of a turn that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnNumbers {
    /// The state.
    pub state: Vec<f32>,
    /// How far it is from the usual state.
    pub frozen: f64,
    /// How far it is from the expected one, if there was a turn before.
    pub learned: Option<f64>,
    /// The mean squared error of the prediction.
    pub loss: Option<f64>,
    /// Turns that were learned from until then.
    pub updates: u32,
}

/// The learner of an agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DynamicsLearner {
    /// Grows whenever something was learned.
    pub version: i64,
    /// Grows whenever words were erased.
    pub generation: i64,
    /// The numbers learned; empty if nothing was, or if it was forgotten.
    pub numbers: Vec<f32>,
}

/// All that a message changes about the numbers of turns.
#[derive(Debug, Clone, Default)]
pub struct DynamicsChange {
    /// The turn that goes on.
    pub turn: Option<DynamicsTurn>,
    /// Turns that were learned from.
    pub over: Vec<DynamicsTurn>,
    /// The learner after that, if something was learned: it stands on the version before.
    pub learner: Option<DynamicsLearner>,
}

const COLUMNS: &str =
    "turn, exchange_id, session, at, last_seq, last_at, previous, features, is_over, state, frozen, learned,
                       loss, updates";

/// Whether somebody else has learned something since a change was decided.
pub(crate) fn is_learned_elsewhere(tx: &mut Tx<'_>, change: &DynamicsChange) -> Result<bool> {
    let Some(learner) = &change.learner else { return Ok(false) };
    let sql = "SELECT version FROM dynamics_learner WHERE agent_id = ?1";
    let version = tx.first(sql, values![tx.agent_id], |row| row.int(0))?;
    Ok(version.unwrap_or_default() + 1 != learner.version)
}

/// Writes a change.
pub(crate) fn write_dynamics(tx: &mut Tx<'_>, change: &DynamicsChange) -> Result<()> {
    if let Some(learner) = &change.learner {
        let sql = "INSERT INTO dynamics_learner (agent_id, version, generation, numbers) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (agent_id) DO UPDATE SET version = excluded.version, numbers = excluded.numbers";
        let numbers = bytes(&learner.numbers);
        tx.execute(sql, values![tx.agent_id, learner.version, learner.generation, numbers.as_slice()])?;
    }
    for turn in &change.over {
        finish_turn(tx, turn)?;
    }
    let Some(turn) = &change.turn else { return Ok(()) };
    let features = bytes(&turn.features);
    if turn.turn > 0 {
        let sql = "UPDATE dynamics_turn SET last_seq = ?3, last_at = ?4, features = ?5
                   WHERE agent_id = ?1 AND turn = ?2 AND is_over = 0";
        let (seq, at) = (i64::from(turn.last_seq), turn.last_at.millis());
        tx.execute(sql, values![tx.agent_id, i64::from(turn.turn), seq, at, features.as_slice()])?;
        return Ok(());
    }
    let number =
        tx.first("SELECT MAX(turn) FROM dynamics_turn WHERE agent_id = ?1", values![tx.agent_id], |row| {
            row.maybe_int(0)
        })?;
    let number = number.flatten().unwrap_or(0) + 1;
    let sql = "INSERT INTO dynamics_turn (agent_id, turn, exchange_id, session, at, last_seq, last_at, previous, features,
               is_over) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0) ON CONFLICT (agent_id, exchange_id) DO NOTHING";
    let values = values![
        tx.agent_id,
        number,
        turn.exchange.bytes().as_slice(),
        turn.session.as_str(),
        turn.at.millis(),
        i64::from(turn.last_seq),
        turn.last_at.millis(),
        turn.previous.map(i64::from),
        features.as_slice()
    ];
    tx.execute(sql, values)?;
    let sql = "DELETE FROM dynamics_turn WHERE agent_id = ?1 AND turn <= ?2";
    tx.execute(sql, values![tx.agent_id, number - MAX_DYNAMICS_TURNS]).map(drop)
}

fn finish_turn(tx: &mut Tx<'_>, turn: &DynamicsTurn) -> Result<()> {
    let Some(TurnNumbers { state, frozen, learned, loss, updates }) = &turn.learned else { return Ok(()) };
    let sql =
        "UPDATE dynamics_turn SET is_over = 1, state = ?3, frozen = ?4, learned = ?5, loss = ?6, updates = ?7
               WHERE agent_id = ?1 AND turn = ?2";
    let state = bytes(state);
    let values = values![
        tx.agent_id,
        i64::from(turn.turn),
        state.as_slice(),
        *frozen,
        *learned,
        *loss,
        i64::from(*updates)
    ];
    tx.execute(sql, values).map(drop)
}

/// Deletes the numbers of the exchanges that these messages belong to, and everything that was learned, from them or from others:
/// it is learned again of what stays.
pub(crate) fn delete_dynamics(tx: &mut Tx<'_>, messages: &[MessageId]) -> Result<()> {
    let sql = "DELETE FROM dynamics_turn WHERE agent_id = ?1 AND exchange_id IN (SELECT o.message_id FROM message AS m
               JOIN message AS o ON o.agent_id = m.agent_id AND o.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND o.agent_id = ?1 AND m.message_id = ?2)";
    let rows: Vec<Vec<_>> =
        messages.iter().map(|id| values![tx.agent_id, id.bytes().as_slice()].to_vec()).collect();
    tx.execute_each(sql, &rows)?;
    let sql =
        "UPDATE dynamics_turn SET state = NULL, frozen = NULL, learned = NULL, loss = NULL, updates = NULL
               WHERE agent_id = ?1";
    tx.execute(sql, values![tx.agent_id])?;
    let sql = "UPDATE dynamics_learner SET version = version + 1, generation = generation + 1, numbers = NULL
               WHERE agent_id = ?1";
    tx.execute(sql, values![tx.agent_id]).map(drop)
}

impl Tx<'_> {
    /// The numbers of an exchange; `None` if it was not measured.
    pub fn dynamics_of(&mut self, exchange: ExchangeId) -> Result<Option<DynamicsTurn>> {
        let sql = format!("SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 AND exchange_id = ?2");
        self.first(&sql, values![self.agent_id, exchange.bytes().as_slice()], read_turn)
    }

    /// One turn.
    pub fn dynamics_turn(&mut self, turn: u32) -> Result<Option<DynamicsTurn>> {
        let sql = format!("SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 AND turn = ?2");
        self.first(&sql, values![self.agent_id, i64::from(turn)], read_turn)
    }

    /// The newest turn of a session.
    pub fn newest_dynamics(&mut self, session: &str) -> Result<Option<DynamicsTurn>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 AND session = ?2 ORDER BY turn DESC LIMIT 1"
        );
        self.first(&sql, values![self.agent_id, session], read_turn)
    }

    /// At most `limit` turns, the newest first.
    pub fn dynamics(&mut self, limit: u32) -> Result<Vec<DynamicsTurn>> {
        let sql =
            format!("SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 ORDER BY turn DESC LIMIT ?2");
        self.query(&sql, values![self.agent_id, i64::from(limit)], read_turn)
    }

    /// At most `limit` turns after one, in order.
    pub fn dynamics_after(&mut self, turn: u32, limit: u32) -> Result<Vec<DynamicsTurn>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 AND turn > ?2 ORDER BY turn LIMIT ?3"
        );
        self.query(&sql, values![self.agent_id, i64::from(turn), i64::from(limit)], read_turn)
    }

    /// At most `limit` turns that go on, in order.
    pub fn open_dynamics(&mut self, limit: u32) -> Result<Vec<DynamicsTurn>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM dynamics_turn WHERE agent_id = ?1 AND is_over = 0 ORDER BY turn LIMIT ?2"
        );
        self.query(&sql, values![self.agent_id, i64::from(limit)], read_turn)
    }

    /// The learner of an agent.
    pub fn dynamics_learner(&mut self) -> Result<DynamicsLearner> {
        let sql = "SELECT version, generation, numbers FROM dynamics_learner WHERE agent_id = ?1";
        let read = |row: &Row<'_>| {
            let numbers = row.maybe_bytes(2)?.map(floats).transpose()?.unwrap_or_default();
            Ok(DynamicsLearner { version: row.int(0)?, generation: row.int(1)?, numbers })
        };
        Ok(self.first(sql, values![self.agent_id], read)?.unwrap_or_default())
    }
}

fn read_turn(row: &Row<'_>) -> Result<DynamicsTurn> {
    let numbers = |state: &[u8]| -> Result<TurnNumbers> {
        Ok(TurnNumbers {
            state: floats(state)?,
            frozen: row.float(10)?,
            learned: row.maybe_float(11)?,
            loss: row.maybe_float(12)?,
            updates: row.int(13)? as u32,
        })
    };
    Ok(DynamicsTurn {
        turn: row.int(0)? as u32,
        exchange: ExchangeId::from_bytes(row.byte_array(1, "dynamics_turn.exchange_id")?),
        session: row.text(2)?,
        at: Time::from_millis(row.int(3)?),
        last_seq: row.int(4)? as u32,
        last_at: Time::from_millis(row.int(5)?),
        previous: row.maybe_int(6)?.map(|turn| turn as u32),
        features: floats(row.bytes(7)?)?,
        is_over: row.int(8)? != 0,
        learned: row.maybe_bytes(9)?.map(numbers).transpose()?,
    })
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Result<Vec<f32>> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(StoreError::damaged("not a list of floats", "dynamics"));
    }
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}
