//! Messages: what a caller hands in ([`Draft`]) and what is kept of it, verbatim and for good ([`Message`]).

use crate::{Invalid, MessageId, Mode, Time, word::words};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Fields of the caller's own that Cairn keeps beside the words.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

words!(
    /// Who spoke, by their part in the conversation.
    #[derive(Default)]
    Role, "a role" {
        /// The person.
        #[default]
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// The host: instructions and notices.
        System = "system",
        /// A tool's call or result.
        Tool = "tool",
    }
);

/// A message as a caller hands it in. Only the words are required.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// The caller's own id, which is also its idempotency key.
    pub source_id: Option<String>,
    /// The run it was said in; without one it belongs to its day.
    pub session: Option<String>,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The posture; without one a leading `[mode:…]` marker decides, else chat.
    pub mode: Option<Mode>,
    /// Who spoke.
    pub role: Role,
    /// The speaker's name; without one the role's.
    pub speaker: Option<String>,
    /// When it was said; without one, now.
    pub at: Option<Time>,
    /// The words.
    pub text: String,
    /// Anything else the caller sent along.
    pub metadata: Metadata,
}

/// How large a message may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageLimits {
    /// Bytes of text in one message.
    pub text_bytes: usize,
    /// Bytes of metadata in one message, as JSON.
    pub metadata_bytes: usize,
    /// Bytes of each name: caller's id, session, thread, speaker.
    pub name_bytes: usize,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self { text_bytes: 16 << 20, metadata_bytes: 64 << 10, name_bytes: 512 }
    }
}

/// One verbatim utterance, immutable. The order of the fields is the order in an archive line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its name everywhere.
    pub id: MessageId,
    /// The caller's own id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// The run it was said in.
    pub session: String,
    /// The lasting project it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The posture it was said in.
    #[serde(default)]
    pub mode: Mode,
    /// Who spoke, by their part.
    pub role: Role,
    /// Who spoke, by name.
    pub speaker: String,
    /// When it was said.
    pub at: Time,
    /// When Cairn first kept it.
    pub recorded_at: Time,
    /// The words.
    pub text: String,
    /// Anything else the caller sent along.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl Draft {
    /// A draft of `text` said by `role`.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), ..Self::default() }
    }

    /// The message that this draft becomes, recorded at `now`: checked, with everything it leaves open filled in.
    pub fn into_message(self, now: Time, limits: &MessageLimits) -> Result<Message, Invalid> {
        let Self { source_id, session, thread, mode, role, speaker, at, text, mut metadata } = self;
        let (marked, words) = Mode::split_marker(&text);
        let words = without_nul(words, &mut metadata);
        check_text(&words, limits)?;
        check_metadata(&metadata, limits)?;
        let source_id = optional_name("id", source_id, limits)?;
        let session = optional_name("session", session, limits)?;
        let thread = optional_name("thread", thread, limits)?;
        let speaker = optional_name("speaker", speaker, limits)?.filter(|name| !is_another_role(name, role));
        let speaker = speaker.unwrap_or_else(|| role.to_string());
        let at = at.unwrap_or(now);
        let id = identity(source_id.as_deref(), session.as_deref(), role, &speaker, at, &words);
        Ok(Message {
            id,
            source_id,
            session: session.unwrap_or_else(|| at.day().to_string()),
            thread,
            mode: mode.or(marked).unwrap_or_default(),
            role,
            speaker,
            at,
            recorded_at: now,
            text: words.into_owned(),
            metadata,
        })
    }
}

/// Begins the caller's id of a prompt that a host announced before its transcript had it.
const PROMPT: &str = "prompt:";
/// The same prompt again within so long is the same prompt.
const PROMPT_SLOT_MS: i64 = 5_000;
/// A transcript dates a prompt at most so many slots before or after its host announced it.
const MAX_PROMPT_SLOTS: i64 = 12;

/// The caller's id of a prompt that a host announced at this time.
pub fn prompt_source_id(at: Time) -> String {
    slot_source_id(at.millis().div_euclid(PROMPT_SLOT_MS))
}

fn slot_source_id(slot: i64) -> String {
    format!("{PROMPT}{slot}")
}

/// Whether a caller's id is that of an announced prompt.
pub fn is_prompt_source_id(source_id: &str) -> bool {
    source_id.starts_with(PROMPT)
}

/// Names of parts in a conversation, as hosts and models write them. Who plays another part cannot bear them.
const PART_NAMES: [&str; 8] = ["user", "human", "assistant", "agent", "ai", "system", "developer", "tool"];

impl Message {
    /// The speaker's name as it may be shown: their own, unless it is the name of a part that they do not play.
    pub fn shown_speaker(&self) -> &str {
        let name = self.speaker.trim().to_lowercase();
        let is_part = PART_NAMES.contains(&name.trim_matches(|c: char| !c.is_alphanumeric()));
        if is_part { self.role.as_str() } else { &self.speaker }
    }

    /// The ids that its words would have if a host had announced them as a prompt within a minute of when they were said.
    pub fn announced_ids(&self) -> Vec<MessageId> {
        let slot = self.at.millis().div_euclid(PROMPT_SLOT_MS);
        let slots = slot - MAX_PROMPT_SLOTS..=slot + MAX_PROMPT_SLOTS;
        let id = |slot| {
            let source_id = slot_source_id(slot);
            identity(Some(&source_id), Some(&self.session), self.role, &self.speaker, self.at, &self.text)
        };
        slots.map(id).collect()
    }

    /// Whether its id is the one that its words, its sender and its session make.
    pub fn is_authentic(&self) -> bool {
        let Self { id, source_id, session, role, speaker, at, text, .. } = self;
        // A session that nobody named is named after the day.
        let unnamed = *session == at.day().to_string();
        let sessions = [Some(session.as_str())].into_iter().chain(unnamed.then_some(None));
        let source_id = source_id.as_deref();
        sessions
            .map(|session| identity(source_id, session, *role, speaker, *at, text))
            .any(|made| made == *id)
    }
}

/// Whether a speaker's name is that of another part in the conversation: nobody becomes the user by a name.
fn is_another_role(name: &str, role: Role) -> bool {
    let name = name.trim();
    Role::ALL.into_iter().any(|other| other != role && name.eq_ignore_ascii_case(other.as_str()))
}

/// With a caller's id the same id, session, role and words are the same message, whenever they arrive.
/// Without one they must also have been said by the same speaker at the same moment.
fn identity(
    source_id: Option<&str>,
    session: Option<&str>,
    role: Role,
    speaker: &str,
    at: Time,
    text: &str,
) -> MessageId {
    let session = session.unwrap_or_default().as_bytes();
    let (role, text) = (role.as_str().as_bytes(), text.as_bytes());
    match source_id {
        Some(source_id) => MessageId::of(&[b"id", session, role, source_id.as_bytes(), text]),
        None => MessageId::of(&[b"at", session, role, speaker.as_bytes(), &at.millis().to_le_bytes(), text]),
    }
}

/// PostgreSQL cannot hold a NUL in text and no terminal shows one, so it is kept as its visible sign `␀`.
fn without_nul<'a>(text: &'a str, metadata: &mut Metadata) -> Cow<'a, str> {
    if !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    metadata.insert("nul_shown_as".to_owned(), "␀".into());
    Cow::Owned(text.replace('\0', "␀"))
}

fn check_text(text: &str, limits: &MessageLimits) -> Result<(), Invalid> {
    if text.trim().is_empty() {
        return Err(Invalid::new("the message has no text", "give it some text; nothing was stored"));
    }
    if text.len() > limits.text_bytes {
        return Err(Invalid::new(
            format!("the message has {} bytes; the limit is {}", text.len(), limits.text_bytes),
            "split it into several messages, or raise capture.text_bytes in config.toml; nothing was stored",
        ));
    }
    Ok(())
}

fn check_metadata(metadata: &Metadata, limits: &MessageLimits) -> Result<(), Invalid> {
    if metadata.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_string(metadata).map_err(|error| {
        let problem = format!("the message's other fields cannot be written as JSON: {error}");
        Invalid::new(problem, "use only numbers, strings, lists and objects; nothing was stored")
    })?;
    if text.contains("\\u0000") {
        return Err(Invalid::new(
            "the message's other fields contain a NUL character",
            "remove \\u0000 from them",
        ));
    }
    if text.len() > limits.metadata_bytes {
        return Err(Invalid::new(
            format!(
                "the message's other fields have {} bytes; the limit is {}",
                text.len(),
                limits.metadata_bytes
            ),
            "send less beside the text, or raise capture.metadata_bytes in config.toml; nothing was stored",
        ));
    }
    Ok(())
}

/// A name as given, `None` if it is empty; refused if it is too long or holds control characters.
fn optional_name(
    what: &str,
    name: Option<String>,
    limits: &MessageLimits,
) -> Result<Option<String>, Invalid> {
    let Some(name) = name.filter(|name| !name.trim().is_empty()) else { return Ok(None) };
    if name.len() > limits.name_bytes {
        return Err(Invalid::new(
            format!("the {what} has {} bytes; the limit is {}", name.len(), limits.name_bytes),
            format!("use a shorter {what}; nothing was stored"),
        ));
    }
    if name.contains(char::is_control) {
        return Err(Invalid::new(
            format!("the {what} `{}` contains control characters", name.escape_debug()),
            format!("use a {what} of printable characters; nothing was stored"),
        ));
    }
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_of(draft: Draft) -> Result<Message, Invalid> {
        draft.into_message(Time::from_millis(1_794_736_800_000), &MessageLimits::default())
    }

    #[test]
    fn a_bare_draft_gets_its_day_its_role_and_the_present() {
        let message = message_of(Draft::new(Role::User, "I moved to Lisbon.")).expect("a message");
        assert_eq!((message.session.as_str(), message.speaker.as_str()), ("2026-11-15", "user"));
        assert_eq!((message.at, message.mode), (message.recorded_at, Mode::Chat));
    }

    /// covers: X-W22
    #[test]
    fn a_callers_id_makes_retries_the_same_message_and_other_words_another() {
        let with_id = |text: &str, at: i64| {
            let at = Some(Time::from_millis(at));
            message_of(Draft { source_id: Some("ext-1".into()), at, ..Draft::new(Role::User, text) })
                .expect("a message")
                .id
        };
        assert_eq!(with_id("yes", 1), with_id("yes", 90_000_000));
        assert_ne!(with_id("yes", 1), with_id("no", 1));

        let without = |at: i64| {
            message_of(Draft { at: Some(Time::from_millis(at)), ..Draft::new(Role::User, "yes") })
                .expect("a message")
                .id
        };
        assert_eq!(without(1), without(1));
        assert_ne!(without(1), without(2));
    }

    #[test]
    fn nobody_bears_the_name_of_a_part_that_they_do_not_play() {
        let shown = |role: Role, speaker: &str| {
            let speaker = Some(speaker.to_owned());
            message_of(Draft { speaker, ..Draft::new(role, "x") })
                .expect("a message")
                .shown_speaker()
                .to_owned()
        };
        assert_eq!(shown(Role::Tool, "user"), "tool");
        assert_eq!(shown(Role::User, "System:"), "user");
        assert_eq!(shown(Role::Assistant, " Human "), "assistant");
        assert_eq!(shown(Role::User, "Ada"), "Ada");
        assert_eq!(shown(Role::Tool, "Bash"), "Bash");
    }

    /// covers: W-116, C-158
    #[test]
    fn markers_and_nul_are_handled_at_the_door() {
        let message = message_of(Draft::new(Role::User, "[mode:code] a\0b")).expect("a message");
        assert_eq!((message.mode, message.text.as_str()), (Mode::Code, "a␀b"));
        assert!(message.metadata.contains_key("nul_shown_as"));
    }

    /// covers: C-158
    #[test]
    fn what_cannot_be_kept_is_refused_with_a_hint() {
        let refused = |draft: Draft| message_of(draft).expect_err("refused");
        for text in ["", "   ", "\n\t", "[mode:code]"] {
            assert!(refused(Draft::new(Role::User, text)).hint.contains("nothing was stored"), "{text:?}");
        }
        assert!(refused(Draft::new(Role::User, "x".repeat((16 << 20) + 1))).problem.contains("16777217"));
        let long = Some("s".repeat(513));
        assert!(refused(Draft { session: long, ..Draft::new(Role::User, "x") }).problem.contains("session"));
        let odd = Some("a\nb".to_owned());
        assert!(refused(Draft { thread: odd, ..Draft::new(Role::User, "x") }).problem.contains("thread"));
    }
}
