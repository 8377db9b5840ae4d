//! Intentions: what was asked to be told later, or promised, and how it stands now.

use crate::{
    Agent, EngineError, FormMemories, Result,
    limits::{MAX_ANSWER_INTENTIONS, MAX_CONTEXT_INTENTIONS, MAX_INTENTION_CHARS, MAX_OPEN_INTENTIONS},
    quote::quoted,
    write::{INTENTION, SetTrigger},
};
use cairn_cognition::{
    file_name::{file_names, may_be_same_file},
    intention::{named_day, speaks_of, told_intentions},
    keywords::query_terms,
};
use cairn_domain::{
    Day, Draft, IntentionDecision, IntentionRef, IntentionState, IntentionTrigger, Invalid, MILLIS_PER_DAY,
    MessageId, Ref, Role, Time, TriggerKind,
};
use cairn_store::IntentionRecord;
use std::cmp::Reverse;

/// A day that is over for so long is not told any more.
const EXPIRES_AFTER_DAYS: i64 = 30;
/// Letters of the hash of a session.
const SESSION_HASH_LETTERS: usize = 16;

/// An intention as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenIntention {
    /// As it is stored.
    pub record: IntentionRecord,
    /// How it stands.
    pub state: IntentionState,
}

/// Which intentions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentionScope {
    /// Those that are due.
    Due,
    /// Those that are due or wait.
    Open,
    /// All, those that are done, dropped or expired too.
    All,
}

/// An intention that somebody sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntentionDraft {
    /// The words.
    pub text: String,
    /// Who sets it.
    pub role: Role,
    /// The day, as a date or in words.
    pub on: Option<String>,
    /// The minute of that day.
    pub minute: Option<u32>,
    /// The person.
    pub person: Option<String>,
    /// The file.
    pub file: Option<String>,
    /// The topic.
    pub topic: Option<String>,
    /// The running session.
    pub session: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
}

impl SeenIntention {
    /// The day it is for, if it is for one: the one it was put off to, else its own.
    pub fn due_day(&self) -> Option<Day> {
        let IntentionRecord { snoozed_until, due_day, .. } = self.record;
        snoozed_until.or(due_day).and_then(Day::from_number)
    }

    /// The time of its day, as 09:30.
    pub fn due_time(&self) -> Option<String> {
        let minute = self.record.due_minute.filter(|_| self.record.snoozed_until.is_none())?;
        Some(format!("{:02}:{:02}", minute / 60, minute % 60))
    }

    /// In one line: `msg_… asked on 2026-11-18, for 2026-11-20: “…”`
    pub fn line(&self) -> String {
        let record = &self.record;
        let how = if record.role == Role::Assistant { "promised" } else { "asked" };
        let day = self.due_day().map_or_else(String::new, |day| format!(", for {day}"));
        let (name, said_on) = (record.name().short(), record.said_at.day());
        format!("{name} {how} on {said_on}{day}: {}", quoted(&record.words))
    }

    /// Whether what is spoken of now is its occasion. The words that told it are not.
    pub(crate) fn is_occasion(&self, said: &str) -> bool {
        let subject = self.record.subject.as_str();
        if !self.waits_for_occasion() || said.contains(&self.record.words) {
            return false;
        }
        match self.record.kind {
            TriggerKind::Person | TriggerKind::Topic => speaks_of(said, subject),
            TriggerKind::File => file_names(said).iter().any(|path| may_be_same_file(path, subject)),
            TriggerKind::Day | TriggerKind::Anytime => false,
        }
    }

    /// Whether it is meant for one of these files.
    fn is_for_file(&self, files: &[String]) -> bool {
        let subject = self.record.subject.as_str();
        let is_file = self.waits_for_occasion() && self.record.kind == TriggerKind::File;
        is_file && files.iter().any(|path| may_be_same_file(path, subject))
    }

    /// Whether its occasion makes it due: once it was put off, its day does instead.
    fn waits_for_occasion(&self) -> bool {
        let IntentionRecord { subject, snoozed_until, .. } = &self.record;
        !subject.is_empty() && snoozed_until.is_none() && self.state == IntentionState::Pending
    }

    fn is_in(&self, scope: IntentionScope) -> bool {
        match scope {
            IntentionScope::Due => self.state == IntentionState::Due,
            IntentionScope::Open => matches!(self.state, IntentionState::Due | IntentionState::Pending),
            IntentionScope::All => true,
        }
    }
}

impl Agent {
    /// Intentions: those that are due first, then by their day, then the newest.
    pub async fn intentions(&self, scope: IntentionScope, limit: usize) -> Result<Vec<SeenIntention>> {
        let records = self.store.read(move |view| {
            let mut records = view.open_intentions(MAX_OPEN_INTENTIONS)?;
            if scope == IntentionScope::All {
                records.extend(view.closed_intentions(MAX_OPEN_INTENTIONS)?);
            }
            Ok(records)
        });
        let seen = records.await?.into_iter().map(|record| self.seen_intention(record));
        let mut seen: Vec<SeenIntention> = seen.filter(|it| it.is_in(scope)).collect();
        seen.sort_by_key(|it| (it.state, it.due_day().is_none(), it.due_day(), Reverse(it.record.said_at)));
        seen.truncate(limit);
        Ok(seen)
    }

    /// Intentions to tell a session now: those that are due and those whose occasion is spoken of, each once a session.
    pub(crate) async fn intentions_to_tell(
        &self,
        said: &str,
        session: Option<&str>,
        limit: usize,
    ) -> Result<Vec<SeenIntention>> {
        let untold = self.untold_intentions(session).await?;
        let now = |it: &SeenIntention| it.state == IntentionState::Due || it.is_occasion(said);
        Ok(untold.into_iter().filter(now).take(limit).collect())
    }

    /// Intentions that a question calls for: those of which it is the occasion, and those that are due and have to do with it;
    /// each once a session.
    pub(crate) async fn intentions_called_for(
        &self,
        question: &str,
        session: &str,
    ) -> Result<Vec<SeenIntention>> {
        let untold = self.untold_intentions(Some(session)).await?;
        let asked = query_terms(question);
        let has_to_do =
            |it: &SeenIntention| query_terms(&it.record.words).iter().any(|term| asked.contains(term));
        let fits =
            |it: &SeenIntention| it.state == IntentionState::Due && has_to_do(it) || it.is_occasion(question);
        Ok(untold.into_iter().filter(fits).take(MAX_ANSWER_INTENTIONS).collect())
    }

    /// Intentions that wait for one of the files a tool touches now, each once a session.
    pub(crate) async fn intentions_of_files(
        &self,
        files: &[String],
        session: &str,
    ) -> Result<Vec<SeenIntention>> {
        let untold = self.untold_intentions(Some(session)).await?;
        Ok(untold.into_iter().filter(|it| it.is_for_file(files)).take(MAX_CONTEXT_INTENTIONS).collect())
    }

    /// Open intentions of which a session was not told yet.
    async fn untold_intentions(&self, session: Option<&str>) -> Result<Vec<SeenIntention>> {
        let session = session.map(session_hash);
        let open = self.intentions(IntentionScope::Open, MAX_OPEN_INTENTIONS as usize).await?;
        let is_new = |it: &SeenIntention| session.as_ref().is_none_or(|session| !it.record.was_told(session));
        Ok(open.into_iter().filter(is_new).collect())
    }

    /// Takes note that a session was told of the intentions of messages.
    pub(crate) async fn note_told_intentions(
        &self,
        messages: Vec<MessageId>,
        session: Option<&str>,
    ) -> Result<()> {
        let Some(session) = session.filter(|_| !messages.is_empty()) else { return Ok(()) };
        Ok(self.store.note_told_intentions(messages, session_hash(session)).await?)
    }

    /// Sets an intention: a message that says so, kept as any other.
    pub async fn intend(&self, draft: IntentionDraft) -> Result<SeenIntention> {
        let trigger = self.checked_trigger(&draft)?;
        let IntentionDraft { text, role, session, thread, .. } = draft;
        let mut message = Draft { session, thread, ..Draft::new(role, worded(text.trim(), role, &trigger)) };
        let set = serde_json::to_value(SetTrigger::from(&trigger)).map_err(|error| {
            Invalid::new(format!("the trigger cannot be written: {error}"), "report this")
        })?;
        message.metadata.insert(INTENTION.to_owned(), set);
        let kept = self.remember_on_request(message, FormMemories::Now).await?;
        self.intention(IntentionRef { message: kept.message.message, place: 0 }).await
    }

    /// Puts an intention off until a day, told as a date or in words.
    pub async fn snooze_intention(&self, written: &str, until: &str) -> Result<SeenIntention> {
        let day = self.day_ahead(until)?;
        self.decide_intention(written, IntentionDecision::Open, Some(day)).await
    }

    /// Closes an intention as done or dropped, or opens it again.
    pub async fn close_intention(&self, written: &str, decision: IntentionDecision) -> Result<SeenIntention> {
        self.decide_intention(written, decision, None).await
    }

    async fn decide_intention(
        &self,
        written: &str,
        decision: IntentionDecision,
        until: Option<Day>,
    ) -> Result<SeenIntention> {
        let (message, place) = IntentionRef::split(written)?;
        let Ref::Message(message) = self.resolve(message).await? else {
            return Err(no_intention(written));
        };
        let name = IntentionRef { message, place };
        if !self.store.decide_intention(name, decision, until, self.now()).await? {
            return Err(no_intention(written));
        }
        self.intention(name).await
    }

    async fn intention(&self, name: IntentionRef) -> Result<SeenIntention> {
        let record = self.store.read_on_writer(move |view| view.intention(name)).await?;
        let record = record.ok_or_else(|| EngineError::NotFound(name.to_string()))?;
        Ok(self.seen_intention(record))
    }

    /// An intention as it stands now, by the clock on the wall.
    fn seen_intention(&self, record: IntentionRecord) -> SeenIntention {
        let state = state_of(&record, self.wall_time(record.said_at).day(), self.wall_time(self.now()));
        SeenIntention { record, state }
    }

    fn checked_trigger(&self, draft: &IntentionDraft) -> Result<IntentionTrigger> {
        let IntentionDraft { text, on, minute, person, file, topic, .. } = draft;
        if text.trim().is_empty() || text.chars().count() > MAX_INTENTION_CHARS {
            let problem = format!("an intention has 1 to {MAX_INTENTION_CHARS} characters");
            return Err(Invalid::new(problem, "say in a sentence what is to be done").into());
        }
        let subjects =
            [(TriggerKind::Person, person), (TriggerKind::File, file), (TriggerKind::Topic, topic)];
        let mut named = subjects.into_iter().filter_map(|(kind, subject)| Some((kind, subject.as_ref()?)));
        let (first, second) = (named.next(), named.next());
        if second.is_some() || first.is_some() && on.is_some() {
            return Err(Invalid::new(
                "an intention has one trigger",
                "give a day, a person, a file or a topic",
            )
            .into());
        }
        if let Some((kind, subject)) = first {
            return Ok(IntentionTrigger::at(kind, subject.trim()));
        }
        match on {
            Some(on) => Ok(IntentionTrigger::on_day(self.day_ahead(on)?, *minute)),
            None if minute.is_some() => {
                Err(Invalid::new("a time needs its day", "name the day too, for example today").into())
            }
            None => {
                let read = format!("Remind me: {text}");
                let told = told_intentions(&read, Role::User, self.wall_time(self.now())).into_iter().next();
                Ok(told.map_or_else(IntentionTrigger::anytime, |told| told.trigger))
            }
        }
    }

    /// The day that somebody names, as a date or in words; not one that is over.
    fn day_ahead(&self, written: &str) -> Result<Day> {
        let now = self.wall_time(self.now());
        let day = written.trim().parse().ok().or_else(|| named_day(written, now));
        day.filter(|day| *day >= now.day()).ok_or_else(|| {
            let problem = format!("`{}` is not a day to come", written.escape_debug());
            Invalid::new(problem, "write it as 2026-11-20, or as in “next Friday” or “in two weeks”").into()
        })
    }
}

fn no_intention(written: &str) -> EngineError {
    let problem = format!("`{}` is not an intention", written.escape_debug());
    Invalid::new(problem, "`cairn intentions --all` lists them with their refs").into()
}

/// The words of a message that sets an intention, so that it reads as one.
fn worded(text: &str, role: Role, trigger: &IntentionTrigger) -> String {
    let asks = if role == Role::Assistant { "I will remind you" } else { "Remind me" };
    let IntentionTrigger { kind, subject, day, minute } = trigger;
    let when = match (kind, day) {
        (TriggerKind::Day, Some(day)) => format!(" on {day}"),
        (TriggerKind::Person, _) => format!(" when {subject} is spoken of"),
        (TriggerKind::File, _) => format!(" when {subject} is worked on"),
        (TriggerKind::Topic, _) => format!(" when {subject} comes up"),
        (TriggerKind::Day | TriggerKind::Anytime, _) => String::new(),
    };
    let at = minute.map_or_else(String::new, |minute| format!(" at {:02}:{:02}", minute / 60, minute % 60));
    format!("{asks}{when}{at}: {text}")
}

fn session_hash(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex()[..SESSION_HASH_LETTERS].to_owned()
}

fn state_of(record: &IntentionRecord, said_on: Day, now: Time) -> IntentionState {
    match record.decision {
        IntentionDecision::Done => return IntentionState::Done,
        IntentionDecision::Dropped => return IntentionState::Dropped,
        IntentionDecision::Open => {}
    }
    let today = now.day().number();
    let long_over = Time::from_millis(now.millis() - EXPIRES_AFTER_DAYS * MILLIS_PER_DAY).day().number();
    let by_day = |day: i64, minute: Option<u32>| {
        let minute_now = now.millis().rem_euclid(MILLIS_PER_DAY) / 60_000;
        let waits = day == today && minute.is_some_and(|minute| i64::from(minute) > minute_now);
        match () {
            () if day > today || waits => IntentionState::Pending,
            () if day < long_over => IntentionState::Expired,
            () => IntentionState::Due,
        }
    };
    if let Some(until) = record.snoozed_until {
        return by_day(until, None);
    }
    match (record.kind, record.due_day) {
        (TriggerKind::Day, Some(day)) => by_day(day, record.due_minute),
        // What has no day comes up on the next day it can, and not for ever.
        (TriggerKind::Anytime | TriggerKind::Day, _) => by_day(said_on.next().number(), None),
        (TriggerKind::Person | TriggerKind::File | TriggerKind::Topic, _) => IntentionState::Pending,
    }
}
