//! Prepare: from a message to the statements it makes, before anything is known about them. Nothing here reads or writes
//! anything, so many messages can be prepared, and their statements embedded, at once.

use crate::meter::fallback;
use crate::write::{
    metadata::{DATA_SOURCE, TOLD_FOR_USER},
    prepare::observe::{
        MessageOrigin, ObservedText, POISONED_CONFIDENCE, TextCharacter, observe_text, text_character,
    },
    reasons::Filtered,
};
use cairn_cognition::{
    entity::{Mention, entities},
    formation::{FormedMessage, FormedStatement, KeepRule, LeftClause, MessageTurn, form_with_reader},
    injection::{OrderSource, injected_order},
    judge::worth::{MIN_WORTH, SpeakerKind},
    keywords::names,
    personal::text_privacy,
    reading::Reading,
    shown::{ShownPart, ShownWords},
    standalone::{SpeakerContext, sent_text, shown_text},
    statement::{Statement, statements_in},
    temporal::Foresight,
};
use cairn_domain::{Category, DataSource, EntityKind, Message, Privacy, Role};
use cairn_models::{ClauseInMessage, ClauseSpeaker, Embedder};
use std::borrow::Cow;

/// Names that stand for those who have none.
const UNNAMED_USER: &str = "User";
const UNNAMED_ASSISTANT: &str = "Assistant";
const UNNAMED_AUTHOR: &str = "Author";
const UNNAMED_TASK: &str = "Task";
/// How far a correction is believed that is not the user's own word: less than anything the agent says by the way.
const AGENT_CORRECTION_CONFIDENCE: f64 = 0.2;
/// Characters of a message that its statements are compared in the light of.
pub(crate) const MAX_COMPARED_CHARS: usize = 600;
/// The longest quotation that is kept as a memory.
const MAX_QUOTED_CHARS: usize = 500;

/// One statement of a message.
#[derive(Debug, Clone)]
pub(crate) struct Proposition {
    /// Its text, readable without the conversation.
    pub(crate) text: String,
    /// The words it stands on.
    pub(crate) said: String,
    pub(crate) character: TextCharacter,
    pub(crate) category: Category,
    pub(crate) statements: Vec<Statement>,
    pub(crate) entities: Vec<Mention>,
    pub(crate) foresight: Option<Foresight>,
    pub(crate) confidence: f64,
    /// The probability that somebody would write it down.
    pub(crate) worth: f64,
    /// The sentence beside it in its message, in brackets: the value that it changes may stand there.
    pub(crate) beside: Option<String>,
    pub(crate) privacy: Privacy,
    /// It gives orders: it is quoted and changes nothing.
    pub(crate) poisoned: bool,
    /// How far the user only shows it, and somebody else said it.
    pub(crate) shown: ShownPart,
    /// Whether it becomes a memory whatever is known.
    pub(crate) kept: KeptStatement,
    pub(crate) vector: Option<Vec<f32>>,
}

impl Proposition {
    /// The same with the sentence that stands beside it in its message.
    pub(crate) fn with_beside(&self) -> Cow<'_, Self> {
        let Some(beside) = &self.beside else { return Cow::Borrowed(self) };
        let text = format!("{}{beside}", self.text);
        Cow::Owned(Self { privacy: text_privacy(&text), text, beside: None, ..self.clone() })
    }
}

/// When a statement becomes a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeptStatement {
    /// For its own sake.
    ForItself,
    /// Only if it replaces something that is known: by itself it is worth too little.
    IfItReplaces {
        /// Why it is left out otherwise.
        otherwise: String,
    },
}

/// A message, ready for the gate.
#[derive(Debug, Clone)]
pub(crate) struct PreparedMessage {
    pub(crate) origin: MessageOrigin,
    pub(crate) filters: Vec<Filtered>,
    /// Its statements, or why there are none.
    pub(crate) propositions: Result<Vec<Proposition>, String>,
    /// The head of what passed the filters: a statement is also compared with what stood around it.
    pub(crate) words: String,
    /// The vector of these words.
    pub(crate) vector: Option<Vec<f32>>,
}

impl PreparedMessage {
    /// A message that makes no statement, and why.
    fn without_statements(origin: MessageOrigin, skip: String) -> Self {
        Self { origin, filters: Vec::new(), propositions: Err(skip), words: String::new(), vector: None }
    }
}

/// Everything that a message says, whatever it is worth; nothing that gives orders. `before` as in [`prepare_message`].
pub(crate) fn every_statement(message: &Message, before: Option<&Message>) -> Vec<Proposition> {
    let origin = MessageOrigin::of(message);
    if matches!(message.role, Role::System | Role::Tool) {
        return Vec::new();
    }
    let observed = observe_text(&message.text, origin).ok().filter(|observed| observed.poison.is_none());
    let meant = MessageOrigin { meant: true, ..origin };
    let said = observed.and_then(|observed| propositions(message, before, meant, &observed, None).ok());
    said.unwrap_or_default()
}

/// The statements of a message; `before` is the message before it in its session. What is worth keeping is told by the words,
/// and by the reader where they leave it in doubt.
pub(crate) fn prepare_message(
    message: &Message,
    before: Option<&Message>,
    reader: Option<&dyn Embedder>,
) -> PreparedMessage {
    let origin = MessageOrigin::of(message);
    let nobody = matches!(message.role, Role::System | Role::Tool);
    if nobody && !message.metadata.contains_key(DATA_SOURCE) {
        let skip = format!("it was said by no one: {}", message.role);
        return PreparedMessage::without_statements(origin, skip);
    }
    match observe_text(&message.text, origin) {
        Err(skip) => PreparedMessage::without_statements(origin, skip),
        Ok(observed) => {
            let propositions = propositions(message, before, origin, &observed, reader);
            let words = observed.text.chars().take(MAX_COMPARED_CHARS).collect();
            PreparedMessage { origin, filters: observed.filters, propositions, words, vector: None }
        }
    }
}

fn propositions(
    message: &Message,
    before: Option<&Message>,
    origin: MessageOrigin,
    observed: &ObservedText,
    reader: Option<&dyn Embedder>,
) -> Result<Vec<Proposition>, String> {
    if observed.poison.is_some() {
        return Ok(vec![quoted_proposition(message, origin, &observed.text)]);
    }
    if origin.reflects {
        return Ok(vec![thought(&observed.text, message, origin)]);
    }
    let formed = formed_message(message, before, origin, observed, reader);
    let subject = first_person_subject(message);
    let told_for_user = is_told_for_user(message);
    let shown = shown_words(message);
    let proposition = |mut formed: FormedStatement| {
        if told_for_user {
            formed.text = with_teller(formed.text);
        }
        let part = shown.hold(&formed.said);
        // What is shown and gives orders is written for whoever reads it, and not for its sender.
        if part == ShownPart::Most && injected_order(&formed.said, OrderSource::Other).is_some() {
            return None;
        }
        let proposition = proposition_of(formed, &subject, origin);
        Some(match part {
            ShownPart::Nothing => proposition,
            // What is quoted in it may be what it seems to state.
            ShownPart::Some => Proposition { statements: Vec::new(), shown: part, ..proposition },
            ShownPart::Most => shown_proposition(proposition, message, origin),
        })
    };
    let mut propositions: Vec<Proposition> = formed.statements.into_iter().filter_map(proposition).collect();
    if propositions.is_empty() && origin.is_kept_verbatim() {
        return Ok(vec![verbatim_proposition(&observed.text, message, origin)]);
    }
    let Some(LeftClause { worth, because, statement }) = formed.best_left else {
        let none = "it makes no statement".to_owned();
        return if propositions.is_empty() { Err(none) } else { Ok(propositions) };
    };
    let because = because.join(", ");
    let otherwise = format!("it says too little: worth {worth:.2}, and {MIN_WORTH:.2} is needed ({because})");
    match statement {
        // What is only shown replaces nothing.
        Some(statement) if shown.hold(&statement.said) == ShownPart::Nothing => {
            let kept = KeptStatement::IfItReplaces { otherwise };
            propositions
                .extend(proposition(statement).map(|proposition| Proposition { kept, ..proposition }));
        }
        Some(_) | None if propositions.is_empty() => return Err(otherwise),
        Some(_) | None => {}
    }
    Ok(propositions)
}

/// The statements of a message, as they were said.
fn formed_message(
    message: &Message,
    before: Option<&Message>,
    origin: MessageOrigin,
    observed: &ObservedText,
    reader: Option<&dyn Embedder>,
) -> FormedMessage {
    let speaker = speaker_name(message);
    let other = before.filter(|before| before.role != message.role).map(self::speaker_name);
    let last = before.and_then(|before| only_named_entity(&before.text));
    let context = SpeakerContext { speaker: &speaker, other: other.as_deref(), last_entity: last.as_deref() };
    let turn = MessageTurn {
        context,
        speaker: origin.speaker_kind(),
        before: before.map_or("", |before| &before.text),
        said_at: message.at,
        keep: if origin.meant { KeepRule::Everything } else { KeepRule::Judged },
    };
    let worth_odds = |clause: &str| {
        let clause = ClauseInMessage {
            clause,
            speaker: match turn.speaker {
                SpeakerKind::Person => ClauseSpeaker::Person,
                SpeakerKind::Assistant => ClauseSpeaker::Assistant,
            },
            before: turn.before,
            message: &observed.text,
        };
        let odds = reader?.worth_odds(&clause)?;
        if odds.is_err() {
            fallback("clause_reading");
        }
        odds.ok().map(f64::from)
    };
    form_with_reader(&Reading::of(&observed.text), &turn, &worth_odds)
}

fn proposition_of(formed: FormedStatement, subject: &str, origin: MessageOrigin) -> Proposition {
    let FormedStatement { text, said, stated, entities, foresight, density, categories, kind, worth, beside } =
        formed;
    let character = TextCharacter::of(&stated, categories, density);
    Proposition {
        statements: statements_in(&Reading::of(&stated), subject),
        category: if origin.corrects { Category::Correction } else { kind.category() },
        confidence: base_confidence(&character, origin),
        privacy: text_privacy(&text),
        character,
        text,
        said,
        entities,
        foresight,
        worth,
        beside,
        poisoned: false,
        shown: ShownPart::Nothing,
        kept: KeptStatement::ForItself,
        vector: None,
    }
}

/// A statement that the user only shows, as what it is: a quotation that says nothing of anybody.
fn shown_proposition(proposition: Proposition, message: &Message, origin: MessageOrigin) -> Proposition {
    let said: String = proposition.said.chars().take(MAX_QUOTED_CHARS).collect();
    let text = shown_text(&speaker_name(message), &said);
    Proposition {
        privacy: text_privacy(&text),
        text,
        category: Category::Other,
        statements: Vec::new(),
        foresight: None,
        confidence: proposition.character.base_confidence(origin.of_shown_words()),
        beside: None,
        shown: ShownPart::Most,
        ..proposition
    }
}

/// The words that a message of the user's only shows. What somebody meant for the memory is all said.
pub(crate) fn shown_words(message: &Message) -> ShownWords<'_> {
    ShownWords::of(if may_show(message) { &message.text } else { "" })
}

/// The words of a message without those that it only shows.
pub(crate) fn own_words(message: &Message) -> Cow<'_, str> {
    if may_show(message) { ShownWords::of(&message.text).own_words() } else { Cow::Borrowed(&message.text) }
}

fn may_show(message: &Message) -> bool {
    let origin = MessageOrigin::of(message);
    origin.data_source == DataSource::UserMessage && !origin.meant
}

/// How far a statement is believed before anything is known about it.
fn base_confidence(character: &TextCharacter, origin: MessageOrigin) -> f64 {
    match origin.data_source {
        DataSource::UserMessage => character.base_confidence(origin),
        _ if origin.corrects => AGENT_CORRECTION_CONFIDENCE,
        _ => character.base_confidence(origin),
    }
}

/// Words that give orders, as what they are: a quotation that nobody vouches for.
fn quoted_proposition(message: &Message, origin: MessageOrigin, text: &str) -> Proposition {
    let said: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    Proposition {
        text: sent_text(&sender_name(message), &said),
        character: text_character(&said),
        category: Category::Other,
        statements: Vec::new(),
        entities: Vec::new(),
        foresight: None,
        confidence: POISONED_CONFIDENCE.min(origin.base_confidence()),
        worth: 0.0,
        beside: None,
        privacy: text_privacy(&said),
        said,
        poisoned: true,
        shown: ShownPart::Nothing,
        kept: KeptStatement::ForItself,
        vector: None,
    }
}

/// The thought of an agent about something, as one: nothing in it is a statement that a belief could rest on.
fn thought(text: &str, message: &Message, origin: MessageOrigin) -> Proposition {
    Proposition { statements: Vec::new(), ..verbatim_proposition(text, message, origin) }
}

/// The words that a person asked to remember, verbatim, where they form no sentence.
fn verbatim_proposition(text: &str, message: &Message, origin: MessageOrigin) -> Proposition {
    let said: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let character = text_character(&said);
    Proposition {
        text: format!("{}: {said}", speaker_name(message)),
        category: if origin.corrects { Category::Correction } else { character.category() },
        statements: statements_in(&Reading::of(&said), &first_person_subject(message)),
        entities: entities(&said),
        foresight: None,
        confidence: base_confidence(&character, origin),
        worth: 1.0,
        beside: None,
        privacy: text_privacy(&said),
        character,
        said,
        poisoned: false,
        shown: ShownPart::Nothing,
        kept: KeptStatement::ForItself,
        vector: None,
    }
}

/// The speaker's own name; none if they have none. Nobody speaks for the user, or for the agent, by bearing that name.
fn speaker_own_name(message: &Message) -> Option<String> {
    let name = names(&message.speaker).join(" ");
    let reserved = name.is_empty() || ["user", "agent", "assistant"].contains(&name.as_str());
    (message.speaker != message.role.as_str() && !reserved).then_some(name)
}

/// Who sent a message, whoever it is about.
fn sender_name(message: &Message) -> String {
    if is_told_for_user(message) { UNNAMED_ASSISTANT.to_owned() } else { speaker_name(message) }
}

/// Whether an agent tells this of its user.
fn is_told_for_user(message: &Message) -> bool {
    let told = message.metadata.get(TOLD_FOR_USER).is_some_and(|told| told.as_bool() == Some(true));
    told && message.role == Role::Assistant
}

/// A statement in quotation marks, with who quotes: the user did not say this here.
fn with_teller(text: String) -> String {
    match text.split_once(": “") {
        Some((speaker, words)) if !speaker.contains(char::is_whitespace) => {
            format!("{speaker} [told by the assistant]: “{words}")
        }
        _ => text,
    }
}

/// How a memory names who said something.
pub(crate) fn speaker_name(message: &Message) -> String {
    match message.role {
        _ if speaker_own_name(message).is_some() => message.speaker.clone(),
        Role::User => UNNAMED_USER.to_owned(),
        Role::Assistant if is_told_for_user(message) => UNNAMED_USER.to_owned(),
        Role::Assistant => UNNAMED_ASSISTANT.to_owned(),
        Role::System | Role::Tool => match MessageOrigin::of(message).data_source {
            DataSource::Feed | DataSource::Federation => UNNAMED_AUTHOR.to_owned(),
            DataSource::Task => UNNAMED_TASK.to_owned(),
            _ => message.role.to_string(),
        },
    }
}

/// Whom a first person means.
pub(crate) fn first_person_subject(message: &Message) -> String {
    speaker_own_name(message).unwrap_or_else(|| match message.role {
        Role::User => "user".to_owned(),
        Role::Assistant if is_told_for_user(message) => "user".to_owned(),
        Role::Assistant => "agent".to_owned(),
        Role::System | Role::Tool => speaker_name(message).to_lowercase(),
    })
}

/// The only somebody, else the only something, that a message names: what a pronoun after it may stand for. Of several, none
/// is certain.
fn only_named_entity(text: &str) -> Option<String> {
    let entities = entities(text);
    let people = entities.iter().filter(|entity| entity.kind == EntityKind::Person);
    let meant: Vec<&Mention> = people.collect();
    match (&meant[..], &entities[..]) {
        ([only], _) => Some(only.name.clone()),
        ([], [only]) => Some(only.name.clone()),
        _ => None,
    }
}
