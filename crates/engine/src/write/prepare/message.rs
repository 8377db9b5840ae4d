//! Prepare: from a message to the statements it makes, before anything is known about them. Nothing here reads or writes
//! anything, so many messages can be prepared, and their statements embedded, at once.

use crate::write::{
    metadata::DATA_SOURCE,
    prepare::observe::{
        MessageOrigin, ObservedText, POISONED_CONFIDENCE, TextCharacter, observe_text, text_character,
        text_character_with_names,
    },
    reasons::Filtered,
};
use cairn_cognition::{
    entity::{Mention, entities, entities_in},
    formation::{FormedStatement, form},
    keywords::names,
    personal::text_privacy,
    reading::Reading,
    standalone::SpeakerContext,
    statement::{Statement, statements_in},
    temporal::Foresight,
};
use cairn_domain::{Category, DataSource, EntityKind, Message, Privacy, Role};

/// Names that stand for those who have none.
const UNNAMED_USER: &str = "User";
const UNNAMED_ASSISTANT: &str = "Assistant";
const UNNAMED_AUTHOR: &str = "Author";
const UNNAMED_TASK: &str = "Task";
/// How far a correction is believed that is not the user's own word: less than anything the agent says by the way.
const AGENT_CORRECTION_CONFIDENCE: f64 = 0.2;
/// The longest quotation that is kept as a memory.
const MAX_QUOTED_CHARS: usize = 500;

/// One statement of a message.
#[derive(Debug, Clone)]
pub(crate) struct Proposition {
    /// What it says, understood without its conversation.
    pub(crate) text: String,
    /// The words it stands on.
    pub(crate) said: String,
    pub(crate) character: TextCharacter,
    pub(crate) category: Category,
    pub(crate) statements: Vec<Statement>,
    pub(crate) entities: Vec<Mention>,
    pub(crate) foresight: Option<Foresight>,
    pub(crate) confidence: f64,
    pub(crate) privacy: Privacy,
    /// It gives orders: it is quoted and changes nothing.
    pub(crate) poisoned: bool,
    pub(crate) vector: Option<Vec<f32>>,
}

/// A message, ready for the gate.
#[derive(Debug, Clone)]
pub(crate) struct PreparedMessage {
    pub(crate) origin: MessageOrigin,
    pub(crate) filters: Vec<Filtered>,
    /// Its statements, or why there are none.
    pub(crate) propositions: Result<Vec<Proposition>, String>,
}

/// The statements of a message; `before` is the message before it in its session.
pub(crate) fn prepare_message(message: &Message, before: Option<&Message>) -> PreparedMessage {
    let origin = MessageOrigin::of(message);
    let nobody = matches!(message.role, Role::System | Role::Tool);
    if nobody && !message.metadata.contains_key(DATA_SOURCE) {
        let skip = Err(format!("it was said by no one: {}", message.role));
        return PreparedMessage { origin, filters: Vec::new(), propositions: skip };
    }
    match observe_text(&message.text, origin) {
        Err(skip) => PreparedMessage { origin, filters: Vec::new(), propositions: Err(skip) },
        Ok(observed) => {
            let propositions = propositions(message, before, origin, &observed);
            PreparedMessage { origin, filters: observed.filters, propositions }
        }
    }
}

fn propositions(
    message: &Message,
    before: Option<&Message>,
    origin: MessageOrigin,
    observed: &ObservedText,
) -> Result<Vec<Proposition>, String> {
    if observed.poison.is_some() {
        return Ok(vec![quoted_proposition(message, origin, &observed.text)]);
    }
    let speaker = speaker_name(message);
    let other = before.filter(|before| before.role != message.role).map(self::speaker_name);
    let last = before.and_then(|before| last_named_entity(&before.text));
    let context = SpeakerContext { speaker: &speaker, other: other.as_deref(), last_entity: last.as_deref() };
    let mut formed = form(&Reading::of(&observed.text), &context, message.at);
    if formed.is_empty() && origin.is_kept_verbatim() {
        formed = verbatim_formed(&observed.text, message);
    }
    if formed.is_empty() {
        return Err("it makes no statement".to_owned());
    }
    let subject = first_person_subject(message);
    let propositions: Vec<Proposition> =
        formed.into_iter().map(|formed| proposition_of(formed, &subject, origin)).collect();
    let (kept, thin): (Vec<Proposition>, Vec<Proposition>) =
        propositions.into_iter().partition(|proposition| {
            origin.meant || proposition.character.information_count() >= origin.min_density()
        });
    match thin.first() {
        Some(thin) if kept.is_empty() => {
            let (says, needed) = (thin.character.information_count(), origin.min_density());
            Err(format!("it says too little: density {says}, and {needed} are needed"))
        }
        _ => Ok(kept),
    }
}

fn proposition_of(formed: FormedStatement, subject: &str, origin: MessageOrigin) -> Proposition {
    let FormedStatement { text, said, stated, entities, foresight } = formed;
    let reading = Reading::of(&stated);
    let names = if stated == said { entities.len() } else { entities_in(&reading).len() };
    let character = text_character_with_names(&stated, names);
    Proposition {
        statements: statements_in(&reading, subject),
        category: if origin.corrects {
            Category::Correction
        } else if foresight.is_some() && character.classes.is_empty() {
            Category::Plan
        } else {
            character.category()
        },
        confidence: match origin.data_source {
            DataSource::UserMessage => character.base_confidence(origin),
            _ if origin.corrects => AGENT_CORRECTION_CONFIDENCE,
            _ => character.base_confidence(origin),
        },
        privacy: text_privacy(&text),
        character,
        text,
        said,
        entities,
        foresight,
        poisoned: false,
        vector: None,
    }
}

/// Words that give orders, as what they are: a quotation that nobody vouches for.
fn quoted_proposition(message: &Message, origin: MessageOrigin, text: &str) -> Proposition {
    let said: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    Proposition {
        text: format!("{} sent this text: “{said}”", speaker_name(message)),
        character: text_character(&said),
        category: Category::Other,
        statements: Vec::new(),
        entities: Vec::new(),
        foresight: None,
        confidence: POISONED_CONFIDENCE.min(origin.base_confidence()),
        privacy: text_privacy(&said),
        said,
        poisoned: true,
        vector: None,
    }
}

/// What a person asked to remember and what is no sentence, as it stands.
fn verbatim_formed(text: &str, message: &Message) -> Vec<FormedStatement> {
    let said: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let text = format!("{}: {said}", speaker_name(message));
    vec![FormedStatement { entities: entities(&said), text, stated: said.clone(), said, foresight: None }]
}

/// The speaker's own name; none if they have none. Nobody speaks for the user, or for the agent, by bearing that name.
fn speaker_own_name(message: &Message) -> Option<String> {
    let name = names(&message.speaker).join(" ");
    let reserved = name.is_empty() || ["user", "agent", "assistant"].contains(&name.as_str());
    (message.speaker != message.role.as_str() && !reserved).then_some(name)
}

/// How a memory names who said something.
pub(crate) fn speaker_name(message: &Message) -> String {
    match message.role {
        _ if speaker_own_name(message).is_some() => message.speaker.clone(),
        Role::User => UNNAMED_USER.to_owned(),
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
        Role::Assistant => "agent".to_owned(),
        Role::System | Role::Tool => speaker_name(message).to_lowercase(),
    })
}

/// The last somebody, else the last something, that a message names: what a pronoun after it may stand for.
fn last_named_entity(text: &str) -> Option<String> {
    let entities = entities(text);
    let person = entities.iter().rev().find(|entity| entity.kind == EntityKind::Person);
    person.or(entities.last()).map(|entity| entity.name.clone())
}
