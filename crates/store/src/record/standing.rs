//! Patterns of standing that were found, and the scores of each day.

use super::columns::parse_word;
use crate::{
    Result,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{Day, MessageId, ReceiptAction, StandingDimension, StandingEvidence, StandingScore, Time};

/// The subject of the receipt by which all of it was erased.
pub(crate) const STANDING: &str = "standing";

/// Evidence of a dimension on some days.
#[derive(Debug, Clone, Copy)]
pub struct StandingDays {
    /// The dimension.
    pub dimension: StandingDimension,
    /// After this day.
    pub after: Option<Day>,
    /// Before this day.
    pub before: Option<Day>,
}

/// Writes down what was found, except in words from before all of it was erased. Days from there on are weighed again.
pub(crate) fn insert_standing(tx: &mut Tx<'_>, found: &[StandingEvidence]) -> Result<()> {
    let sql = "INSERT INTO standing_evidence (agent_id, message_id, pattern, subject, dimension, direction, confidence, saw,
               at, day) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
               ON CONFLICT (agent_id, message_id, pattern) DO NOTHING";
    if found.is_empty() {
        return Ok(());
    }
    let erased_at = standing_erased_at(tx)?;
    for sign in found.iter().filter(|sign| erased_at.is_none_or(|erased| sign.at > erased)) {
        let StandingEvidence { message, subject, pattern, dimension, direction, confidence, saw, at } = sign;
        let (id, day) = (message.bytes().as_slice(), at.day().number());
        let (dimension, direction) = (dimension.as_str(), direction.as_str());
        let values = values![
            tx.agent_id,
            id,
            pattern.as_str(),
            subject.as_str(),
            dimension,
            direction,
            *confidence,
            saw.as_str(),
            at.millis(),
            day
        ];
        tx.later(sql, values)?;
        forget_scores(tx, dimension, day)?;
    }
    Ok(())
}

/// When all of it was erased last.
fn standing_erased_at(tx: &mut Tx<'_>) -> Result<Option<Time>> {
    let sql = "SELECT at FROM receipt WHERE agent_id = ?1 AND subject = ?2 AND action = ?3 ORDER BY number DESC LIMIT 1";
    let values = values![tx.agent_id, STANDING, ReceiptAction::Erase.as_str()];
    tx.first(sql, values, |row| Ok(Time::from_millis(row.int(0)?)))
}

/// Deletes the scores of a dimension from a day on: they are weighed again.
fn forget_scores(tx: &mut Tx<'_>, dimension: &str, day: i64) -> Result<()> {
    let sql = "DELETE FROM standing_score WHERE agent_id = ?1 AND dimension = ?2 AND day >= ?3";
    tx.execute(sql, values![tx.agent_id, dimension, day]).map(drop)
}

/// Writes the scores of days that were weighed.
pub(crate) fn insert_scores(tx: &mut Tx<'_>, scores: &[StandingScore]) -> Result<()> {
    let sql =
        "INSERT INTO standing_score (agent_id, dimension, day, subject, score, change, trajectory, reason)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (agent_id, dimension, day) DO NOTHING";
    for weighed in scores {
        let StandingScore { subject, dimension, day, score, change, trajectory, reason } = weighed;
        let (dimension, trajectory) = (dimension.as_str(), trajectory.as_str());
        let (subject, reason) = (subject.as_str(), reason.as_str());
        let values =
            values![tx.agent_id, dimension, day.number(), subject, *score, *change, trajectory, reason];
        tx.later(sql, values)?;
    }
    Ok(())
}

/// Deletes what was found in these messages; days from there on are weighed again.
pub(crate) fn delete_standing_of(tx: &mut Tx<'_>, messages: &[MessageId]) -> Result<()> {
    let found = "SELECT dimension, day FROM standing_evidence WHERE agent_id = ?1 AND message_id = ?2";
    let gone = "DELETE FROM standing_evidence WHERE agent_id = ?1 AND message_id = ?2";
    for id in messages {
        let id = id.bytes().as_slice();
        let days = tx.query(found, values![tx.agent_id, id], |row| Ok((row.text(0)?, row.int(1)?)))?;
        for (dimension, day) in &days {
            forget_scores(tx, dimension, *day)?;
        }
        if !days.is_empty() {
            tx.execute(gone, values![tx.agent_id, id])?;
        }
    }
    Ok(())
}

/// Deletes all of it; how many rows.
pub(crate) fn delete_all_standing(tx: &mut Tx<'_>) -> Result<usize> {
    let scores = tx.execute("DELETE FROM standing_score WHERE agent_id = ?1", values![tx.agent_id])?;
    let found = tx.execute("DELETE FROM standing_evidence WHERE agent_id = ?1", values![tx.agent_id])?;
    Ok(scores + found)
}

impl Tx<'_> {
    /// At most `limit` scores of a dimension, the newest first.
    pub fn standing_scores(
        &mut self,
        dimension: StandingDimension,
        limit: u32,
    ) -> Result<Vec<StandingScore>> {
        let sql = "SELECT dimension, day, subject, score, change, trajectory, reason FROM standing_score
                   WHERE agent_id = ?1 AND dimension = ?2 ORDER BY day DESC LIMIT ?3";
        self.query(sql, values![self.agent_id, dimension.as_str(), i64::from(limit)], |row| {
            Ok(StandingScore {
                dimension: parse_word(row.str(0)?)?,
                day: Day::from_number(row.int(1)?).unwrap_or_else(|| Time::from_millis(0).day()),
                subject: row.text(2)?,
                score: row.float(3)?,
                change: row.float(4)?,
                trajectory: parse_word(row.str(5)?)?,
                reason: row.text(6)?,
            })
        })
    }

    /// At most `limit` signs of a dimension on some days, the first one first.
    pub fn standing_on(&mut self, days: StandingDays, limit: u32) -> Result<Vec<StandingEvidence>> {
        let sql = "SELECT message_id, pattern, subject, dimension, direction, confidence, saw, at FROM standing_evidence
                   WHERE agent_id = ?1 AND dimension = ?2 AND day > ?3 AND day < ?4 ORDER BY day, at, message_id, pattern
                   LIMIT ?5";
        let (after, before) =
            (days.after.map_or(i64::MIN, Day::number), days.before.map_or(i64::MAX, Day::number));
        let values = values![self.agent_id, days.dimension.as_str(), after, before, i64::from(limit)];
        self.query(sql, values, read_evidence)
    }

    /// At most `limit` signs of all dimensions, the last one first.
    pub fn newest_standing(&mut self, limit: u32) -> Result<Vec<StandingEvidence>> {
        let sql = "SELECT message_id, pattern, subject, dimension, direction, confidence, saw, at FROM standing_evidence
                   WHERE agent_id = ?1 AND at > ?2 ORDER BY at DESC, message_id, pattern LIMIT ?3";
        self.query(sql, values![self.agent_id, i64::MIN, i64::from(limit)], read_evidence)
    }
}

fn read_evidence(row: &Row<'_>) -> Result<StandingEvidence> {
    Ok(StandingEvidence {
        message: MessageId::from_bytes(row.byte_array(0, "standing_evidence.message_id")?),
        pattern: row.text(1)?,
        subject: row.text(2)?,
        dimension: parse_word(row.str(3)?)?,
        direction: parse_word(row.str(4)?)?,
        confidence: row.float(5)?,
        saw: row.text(6)?,
        at: Time::from_millis(row.int(7)?),
    })
}
