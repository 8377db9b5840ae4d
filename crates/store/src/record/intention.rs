//! Intentions: what messages ask to be told later, or promise.

use super::columns::{StoredRecord, columns, insert_statement, read_record};
use crate::{Result, Store, database::values, transaction::Tx};
use cairn_domain::{
    Day, IntentionDecision, IntentionRef, IntentionTrigger, MessageId, Role, Time, TriggerKind,
};
use std::{sync::LazyLock, time::Duration};

/// Sessions that are remembered to have been told of an intention.
const MAX_TOLD_SESSIONS: usize = 16;
/// How long taking note waits for another process.
const TOLD_PATIENCE: Duration = Duration::from_secs(2);

/// An intention as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentionRecord {
    /// The message that tells it.
    pub message: MessageId,
    /// Which of the intentions of the message it is.
    pub place: u32,
    /// Who told it: the user asks, the assistant promises.
    pub role: Role,
    /// When it was told.
    pub said_at: Time,
    /// The words of the message.
    pub words: String,
    /// The kind of its trigger.
    pub kind: TriggerKind,
    /// The person, file or topic of its trigger.
    pub subject: String,
    /// The number of its day.
    pub due_day: Option<i64>,
    /// The minute of that day.
    pub due_minute: Option<u32>,
    /// The decision about it.
    pub decision: IntentionDecision,
    /// When it was decided.
    pub decided_at: Option<Time>,
    /// The number of the day until which it was put off.
    pub snoozed_until: Option<i64>,
    /// Sessions that were told of it, each as a hash.
    pub told: String,
}

impl IntentionRecord {
    /// An open intention that a message tells.
    pub fn open(
        name: IntentionRef,
        role: Role,
        said_at: Time,
        words: String,
        trigger: &IntentionTrigger,
    ) -> Self {
        Self {
            message: name.message,
            place: name.place,
            role,
            said_at,
            words,
            kind: trigger.kind,
            subject: trigger.subject.clone(),
            due_day: trigger.day.map(Day::number),
            due_minute: trigger.minute,
            decision: IntentionDecision::Open,
            decided_at: None,
            snoozed_until: None,
            told: String::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> IntentionRef {
        IntentionRef { message: self.message, place: self.place }
    }

    /// The thing that makes it due.
    pub fn trigger(&self) -> IntentionTrigger {
        let day = self.due_day.and_then(Day::from_number);
        IntentionTrigger { kind: self.kind, subject: self.subject.clone(), day, minute: self.due_minute }
    }

    /// Whether a session, by its hash, was told of it.
    pub fn was_told(&self, session: &str) -> bool {
        self.told.split(' ').any(|told| told == session)
    }
}

columns! {
    intention_columns: IntentionRecord, "intention" as "i" {
        message: id "message_id",
        place: number "place",
        role: word "role",
        said_at: time "said_at",
        words: text "words",
        kind: word "kind",
        subject: text "subject",
        due_day: maybe_number "due_day",
        due_minute: maybe_number "due_minute",
        decision: word "decision",
        decided_at: maybe_time "decided_at",
        snoozed_until: maybe_number "snoozed_until",
        told: text "told",
    }
}

static INSERT_INTENTION: LazyLock<String> = LazyLock::new(|| {
    let insert = insert_statement("intention", &[], IntentionRecord::COLUMNS);
    format!("{insert} ON CONFLICT (agent_id, message_id, place) DO NOTHING")
});

/// Writes intentions that are not there yet: a message that is formed again changes nothing about them.
pub(crate) fn insert_intentions(tx: &mut Tx<'_>, intentions: &[IntentionRecord]) -> Result<()> {
    for intention in intentions {
        let mut values = values![tx.agent_id].to_vec();
        values.extend(intention.column_values());
        tx.execute(&INSERT_INTENTION, &values)?;
    }
    Ok(())
}

/// Closes open intentions of which a message says that they are done.
pub(crate) fn close_intentions(
    tx: &mut Tx<'_>,
    done: &[IntentionRef],
    by: MessageId,
    at: Time,
) -> Result<()> {
    let sql = "UPDATE intention SET decision = 'done', decided_at = ?4, closed_by = ?5
               WHERE agent_id = ?1 AND message_id = ?2 AND place = ?3 AND decision = 'open'";
    let rows: Vec<Vec<_>> = done
        .iter()
        .map(|name| {
            let (id, place) = (name.message.bytes().as_slice(), i64::from(name.place));
            values![tx.agent_id, id, place, at.millis(), by.bytes().as_slice()].to_vec()
        })
        .collect();
    tx.execute_each(sql, &rows)
}

/// Deletes the intentions of messages that go. What a message closed stays closed; nothing names the message any more.
pub(crate) fn delete_intentions(tx: &mut Tx<'_>, messages: &[MessageId]) -> Result<()> {
    let rows: Vec<Vec<_>> =
        messages.iter().map(|id| values![tx.agent_id, id.bytes().as_slice()].to_vec()).collect();
    tx.execute_each("DELETE FROM intention WHERE agent_id = ?1 AND message_id = ?2", &rows)?;
    tx.execute_each("UPDATE intention SET closed_by = NULL WHERE agent_id = ?1 AND closed_by = ?2", &rows)
}

impl Store {
    /// Writes what somebody decided about an intention; whether it is there.
    pub async fn decide_intention(
        &self,
        name: IntentionRef,
        decision: IntentionDecision,
        snoozed_until: Option<Day>,
        at: Time,
    ) -> Result<bool> {
        let work = move |tx: &mut Tx<'_>| {
            let sql = "UPDATE intention SET decision = ?4, snoozed_until = ?5, decided_at = ?6, closed_by = NULL, told = ''
                       WHERE agent_id = ?1 AND message_id = ?2 AND place = ?3";
            let (id, place) = (name.message.bytes().as_slice(), i64::from(name.place));
            let until = snoozed_until.map(Day::number);
            let values = values![tx.agent_id, id, place, decision.as_str(), until, at.millis()];
            Ok(tx.execute(sql, values)? == 1)
        };
        self.writer.run_durably(work).await
    }

    /// Takes note that a session, by its hash, was told of the intentions of messages. Where nobody can write at the moment it is
    /// left out: no answer waits for it.
    pub async fn note_told_intentions(&self, messages: Vec<MessageId>, session: String) -> Result<()> {
        let work = move |tx: &mut Tx<'_>| {
            for message in &messages {
                for record in tx.intentions_of(*message)?.iter().filter(|it| !it.was_told(&session)) {
                    let earlier = record.told.split_whitespace().take(MAX_TOLD_SESSIONS - 1);
                    let sessions: Vec<&str> = std::iter::once(session.as_str()).chain(earlier).collect();
                    let sql = "UPDATE intention SET told = ?4 WHERE agent_id = ?1 AND message_id = ?2 AND place = ?3";
                    let (id, place) = (message.bytes().as_slice(), i64::from(record.place));
                    let told = sessions.join(" ");
                    tx.execute(sql, values![tx.agent_id, id, place, told.as_str()])?;
                }
            }
            Ok(())
        };
        self.writer.run_within(TOLD_PATIENCE, work).await.map(drop)
    }
}

impl Tx<'_> {
    /// At most `limit` open intentions, the newest first.
    pub fn open_intentions(&mut self, limit: u32) -> Result<Vec<IntentionRecord>> {
        let sql = concat!(
            "SELECT ",
            intention_columns!(),
            " FROM intention AS i WHERE i.agent_id = ?1 AND i.decision = 'open'
             ORDER BY i.said_at DESC, i.message_id, i.place LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], read_record)
    }

    /// At most `limit` intentions that were decided about, the newest first.
    pub fn closed_intentions(&mut self, limit: u32) -> Result<Vec<IntentionRecord>> {
        let sql = concat!(
            "SELECT ",
            intention_columns!(),
            " FROM intention AS i WHERE i.agent_id = ?1 AND i.decision <> 'open'
             ORDER BY i.said_at DESC, i.message_id, i.place LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], read_record)
    }

    /// The intentions that a message tells, in order.
    pub fn intentions_of(&mut self, message: MessageId) -> Result<Vec<IntentionRecord>> {
        let sql = concat!(
            "SELECT ",
            intention_columns!(),
            " FROM intention AS i WHERE i.agent_id = ?1 AND i.message_id = ?2 ORDER BY i.place"
        );
        self.query(sql, values![self.agent_id, message.bytes().as_slice()], read_record)
    }

    /// An intention by its name.
    pub fn intention(&mut self, name: IntentionRef) -> Result<Option<IntentionRecord>> {
        let sql = concat!(
            "SELECT ",
            intention_columns!(),
            " FROM intention AS i WHERE i.agent_id = ?1 AND i.message_id = ?2 AND i.place = ?3"
        );
        let values = values![self.agent_id, name.message.bytes().as_slice(), i64::from(name.place)];
        self.first(sql, values, read_record)
    }
}
