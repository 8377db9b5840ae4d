//! When a handoff is written, and how: at the end of an exchange at most once a minute, unless three exchanges have passed; at
//! once when a session ends, is shortened or falls silent. The rows come first, both in one transaction; the files are their
//! renderings. Whoever kills it anywhere leaves the old one or the new one, whole.

use super::{
    compose::{HandoffHeading, compose},
    files, markdown,
};
use crate::{Agent, Result, quote, write::stored_name};
use cairn_domain::{
    Handoff, HandoffHealth, HandoffLine, HandoffReason, HandoffScope, Invalid, MILLIS_PER_DAY, Role, Time,
};
use cairn_store::{HandoffRecord, MessageRecord};
use std::path::PathBuf;

/// Handoffs among which other projects are looked for.
const MAX_PROJECTS_SEARCHED: u32 = 50;
/// Other projects that a session's handoff names …
const MAX_PROJECTS: usize = 5;
/// … if they were worked on in so many days.
const PROJECT_DAYS: i64 = 14;

/// A handoff that is stored, with its condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHandoff {
    /// The session or thread it is about.
    pub scope: HandoffScope,
    /// Its condition.
    pub health: HandoffHealth,
    /// When it was written.
    pub written_at: Time,
    /// When a later session began with it.
    pub consumed_at: Option<Time>,
    /// The handoff; none if it cannot be read, or what it quoted was erased.
    pub handoff: Option<Handoff>,
    /// The Markdown.
    pub text: String,
    /// Its lines as a language model says them, held against them; none if none did.
    pub prose: Option<String>,
    /// The file that holds it, too; none on a database server.
    pub file: Option<PathBuf>,
}

/// The place where a session stands.
struct SessionPlace {
    thread: Option<String>,
    exchanges: u32,
    /// When its last message was recorded.
    last_at: Time,
}

impl Agent {
    /// The handoff of a thread, or of the last session; none if there is none.
    pub async fn handoff(&self, thread: Option<&str>) -> Result<Option<StoredHandoff>> {
        let scope = thread.map_or(HandoffScope::Session, |thread| HandoffScope::Thread(stored_name(thread)));
        let record = self.store.read(|view| view.handoff(&scope)).await?;
        self.stored_handoff(scope, record).await
    }

    /// At most `limit` handoffs, the last written first.
    pub async fn handoffs(&self, limit: u32) -> Result<Vec<StoredHandoff>> {
        let mut stored = Vec::new();
        for record in self.store.read(|view| view.handoffs(limit)).await? {
            stored.extend(self.stored_handoff(record.scope.clone(), Some(record)).await?);
        }
        Ok(stored)
    }

    /// A handoff with its condition. A file that cannot be read is set aside; one whose row was lost stands for it.
    async fn stored_handoff(
        &self,
        scope: HandoffScope,
        record: Option<HandoffRecord>,
    ) -> Result<Option<StoredHandoff>> {
        let file = (!self.on_server).then(|| files::path(&self.folder, &scope));
        let written = file.as_deref().map(files::read).transpose()?.flatten();
        let unreadable = written.as_deref().is_some_and(|text| markdown::parse(text).is_err());
        let record = match (record, written) {
            (None, None) => return Ok(None),
            (Some(record), Some(text)) if unreadable => HandoffRecord { text, ..record },
            (Some(record), _) => record,
            (None, Some(text)) => adopted(scope.clone(), text),
        };
        if unreadable {
            // It stays unreadable until it is written anew; whoever cannot write now says so the next time.
            self.store.put_handoffs(vec![record.clone()]).await?;
            files::quarantine(&self.folder, &scope, self.now())?;
        }
        let HandoffRecord { written_at, consumed_at, text, prose, .. } = record;
        let prose = prose.filter(|prose| !prose.is_empty());
        let handoff = markdown::parse(&text).ok();
        let health = match &handoff {
            _ if text.is_empty() => HandoffHealth::Absent,
            None => HandoffHealth::Quarantined,
            Some(_) => HandoffHealth::of_age(written_at, consumed_at, self.now()),
        };
        Ok(Some(StoredHandoff { scope, health, written_at, consumed_at, handoff, text, prose, file }))
    }

    /// Writes the handoff of a session, and of its thread if it has one, if it is time: those that were written.
    pub async fn write_handoff(&self, session: &str, reason: HandoffReason) -> Result<Vec<StoredHandoff>> {
        let Some(place) = self.session_place(session).await? else { return Ok(Vec::new()) };
        let last = self.store.read(|view| view.handoff(&HandoffScope::Session)).await?;
        if !self.is_due(last.as_ref(), session, &place, reason) {
            return Ok(Vec::new());
        }
        let own = last.filter(|last| last.session == session).map_or(0, |last| last.compactions);
        let counted = |before: u32| before + u32::from(reason == HandoffReason::Compaction);
        let mut written = vec![(HandoffScope::Session, counted(own))];
        if let Some(thread) = place.thread {
            let scope = HandoffScope::Thread(thread);
            let before = self.store.read(|view| view.handoff(&scope)).await?;
            let compactions = counted(before.map_or(0, |before| before.compactions));
            written[0].1 = compactions;
            written.push((scope, compactions));
        }
        let mut stored = Vec::new();
        for (scope, compactions) in written {
            stored.extend(self.composed(scope, session, reason, compactions).await?);
        }
        let record = |(scope, handoff): &(HandoffScope, Handoff)| record_of(scope.clone(), handoff, None);
        self.store.put_handoffs(stored.iter().map(record).collect()).await?;
        self.render_files(&stored)?;
        let stored = stored.into_iter().map(|(scope, handoff)| self.just_written(scope, handoff));
        Ok(stored.collect())
    }

    /// Writes the handoff of the session that was last at work, in a thread if one is named.
    ///
    /// # Errors
    /// If nothing was said there yet.
    pub async fn write_handoff_of(&self, thread: Option<&str>) -> Result<Vec<StoredHandoff>> {
        let thread = thread.map(stored_name);
        let Some(last) = self.last_message(thread.as_deref()).await? else {
            let place =
                thread.map_or_else(|| "this agent".to_owned(), |thread| format!("the thread `{thread}`"));
            let hint =
                "`cairn threads` lists the threads; `cairn remember TEXT --thread T` says something in one";
            return Err(Invalid::new(format!("nothing was said in {place} yet"), hint).into());
        };
        self.write_handoff(&last.message.session, HandoffReason::Requested).await
    }

    /// Writes the handoff of the session that was last at work, if it is time and the exchange has ended.
    pub async fn write_latest_handoff(&self, reason: HandoffReason) -> Result<Vec<StoredHandoff>> {
        let last = self.last_message(None).await?.map(|last| last.message);
        match last {
            Some(last) if reason != HandoffReason::Exchange || last.role == Role::Assistant => {
                self.write_handoff(&last.session, reason).await
            }
            Some(_) | None => Ok(Vec::new()),
        }
    }

    /// The message that was recorded last, in a thread if one is named.
    pub(crate) async fn last_message(&self, thread: Option<&str>) -> Result<Option<MessageRecord>> {
        let last = self.store.read(|view| {
            let seq = match thread {
                Some(thread) => view.seqs_of_thread(thread, 1)?.first().copied(),
                None => view.next_seq()?.checked_sub(1),
            };
            seq.map_or(Ok(None), |seq| view.message_at(seq))
        });
        Ok(last.await?)
    }

    /// Lets the handoff of the last session go, because another one has begun with it.
    pub(crate) async fn consume_handoff(&self) -> Result<()> {
        let now = self.now();
        if self.store.consume_handoff(HandoffScope::Session, now).await? && !self.on_server {
            files::consume(&self.folder, now)?;
        }
        Ok(())
    }

    /// Begins to count the compactions of a thread anew.
    pub(crate) async fn reset_compactions(&self, thread: &str) -> Result<()> {
        let scope = HandoffScope::Thread(thread.to_owned());
        let Some(record) = self.store.read(|view| view.handoff(&scope)).await? else { return Ok(()) };
        let Ok(handoff) = markdown::parse(&record.text) else { return Ok(()) };
        let handoff = Handoff { compactions: 0, ..handoff };
        self.store.put_handoffs(vec![record_of(scope.clone(), &handoff, record.consumed_at)]).await?;
        self.render_files(&[(scope, handoff)])
    }

    /// A handoff as it would be written now; none if nothing was said.
    pub(crate) async fn composed(
        &self,
        scope: HandoffScope,
        session: &str,
        reason: HandoffReason,
        compactions: u32,
    ) -> Result<Option<(HandoffScope, Handoff)>> {
        let material = self.handoff_material(&scope, session).await?;
        let projects = match scope {
            HandoffScope::Session => self.other_projects(session).await?,
            HandoffScope::Thread(_) => Vec::new(),
        };
        let last = material.messages.last().map(|last| &last.message);
        let thread = scope.thread().map(str::to_owned).or_else(|| last?.thread.clone());
        let heading = HandoffHeading {
            agent: self.name.to_string(),
            thread,
            session: last.map_or(session, |last| &last.session).to_owned(),
            reason,
            compactions,
            now: self.now(),
            projects,
        };
        Ok(compose(&material, heading).map(|handoff| (scope, handoff)))
    }

    /// Lines about the other threads that were worked on lately.
    async fn other_projects(&self, session: &str) -> Result<Vec<HandoffLine>> {
        let since = self.now().millis() - PROJECT_DAYS * MILLIS_PER_DAY;
        let known = self.store.read(|view| view.handoffs(MAX_PROJECTS_SEARCHED)).await?;
        let line = |record: HandoffRecord| {
            let thread = record.scope.thread()?;
            let handoff = markdown::parse(&record.text).ok()?;
            let newest = handoff.sections.first()?.lines.last()?.refs.first()?.clone();
            let text =
                format!("project {}, worked on until {}", quote::name(thread), record.written_at.day());
            (record.session != session && record.written_at.millis() >= since)
                .then(|| HandoffLine::new(&text, None, vec![newest]))
        };
        Ok(known.into_iter().filter_map(line).take(MAX_PROJECTS).collect())
    }

    async fn session_place(&self, session: &str) -> Result<Option<SessionPlace>> {
        let last = self.store.read(|view| view.of_session(session, None, 1)).await?.pop();
        Ok(last.map(|last| SessionPlace {
            thread: last.message.thread,
            exchanges: last.exchange_index + 1,
            last_at: last.message.recorded_at,
        }))
    }

    /// Whether a handoff is to be written. At the end of an exchange: if enough time or enough exchanges have passed since the
    /// last one of this session. When nobody speaks any more: if something was said after the last one of any session.
    fn is_due(
        &self,
        last: Option<&HandoffRecord>,
        session: &str,
        place: &SessionPlace,
        reason: HandoffReason,
    ) -> bool {
        let config = &self.config.continuity;
        let is_newer = last.is_none_or(|last| place.last_at > last.written_at);
        let of_session = last.filter(|last| last.session == session && last.consumed_at.is_none());
        match (reason, of_session) {
            (HandoffReason::Exchange, Some(last)) => {
                let passed_ms = self.now().millis() - last.written_at.millis();
                let said = place.exchanges.saturating_sub(last.exchanges);
                let has_time_passed = passed_ms >= config.handoff_every_seconds * 1_000;
                said > 0 && (has_time_passed || said >= config.handoff_every_exchanges)
            }
            (HandoffReason::Exchange, None) | (HandoffReason::Gap | HandoffReason::Shutdown, _) => is_newer,
            (HandoffReason::SessionEnd | HandoffReason::Compaction | HandoffReason::Requested, _) => true,
        }
    }

    fn render_files(&self, handoffs: &[(HandoffScope, Handoff)]) -> Result<()> {
        if self.on_server {
            return Ok(());
        }
        let replace = |(scope, handoff): &(HandoffScope, Handoff)| {
            files::replace(&files::path(&self.folder, scope), &markdown::render(handoff))
        };
        handoffs.iter().try_for_each(replace)
    }

    fn just_written(&self, scope: HandoffScope, handoff: Handoff) -> StoredHandoff {
        StoredHandoff {
            file: (!self.on_server).then(|| files::path(&self.folder, &scope)),
            health: HandoffHealth::Fresh,
            written_at: handoff.written_at,
            consumed_at: None,
            text: markdown::render(&handoff),
            prose: None,
            handoff: Some(handoff),
            scope,
        }
    }

    /// The files of handoffs that could not be read and were set aside.
    pub(crate) fn quarantined_handoffs(&self) -> Vec<PathBuf> {
        files::quarantined(&self.folder)
    }
}

fn record_of(scope: HandoffScope, handoff: &Handoff, consumed_at: Option<Time>) -> HandoffRecord {
    HandoffRecord {
        scope,
        session: handoff.session.clone(),
        written_at: handoff.written_at,
        reason: handoff.reason,
        exchanges: handoff.exchanges,
        compactions: handoff.compactions,
        consumed_at,
        text: markdown::render(handoff),
        prose: None,
    }
}

/// A file whose row was lost.
fn adopted(scope: HandoffScope, text: String) -> HandoffRecord {
    match markdown::parse(&text) {
        Ok(handoff) => record_of(scope, &handoff, None),
        Err(_) => HandoffRecord {
            scope,
            session: String::new(),
            written_at: Time::from_millis(0),
            reason: HandoffReason::Requested,
            exchanges: 0,
            compactions: 0,
            consumed_at: None,
            text,
            prose: None,
        },
    }
}
