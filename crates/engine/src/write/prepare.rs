//! Prepare: from a message to the statements it makes, before anything is known about them. Nothing here reads or writes
//! anything, so many messages can be prepared, and their statements embedded, at once.

use super::{
    observe::{Character, Observed, Origin, POISONED_CONFIDENCE, character, character_among, observe},
    reasons::Filtered,
};
use cairn_cognition::{
    entity::{Mention, entities},
    formation::{Formed, form},
    keywords::names,
    personal::privacy,
    standalone::Context,
    statement::{Statement, statements},
    temporal::Foresight,
};
use cairn_domain::{Category, DataSource, EntityKind, Message, Privacy, Role};

/// Names that stand for those who have none.
const USER: &str = "User";
const ASSISTANT: &str = "Assistant";
const AUTHOR: &str = "Author";
const TASK: &str = "Task";
/// How far a correction is believed that is not the user's own word: less than anything the agent says by the way.
const AGENT_CORRECTION: f64 = 0.2;
/// The longest quotation that is kept as a memory.
const QUOTED_CHARS: usize = 500;

/// One statement of a message.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// What it says, understood without its conversation.
    pub(super) text: String,
    /// The words it stands on.
    pub(super) said: String,
    pub(super) character: Character,
    pub(super) category: Category,
    pub(super) statements: Vec<Statement>,
    pub(super) entities: Vec<Mention>,
    pub(super) foresight: Option<Foresight>,
    pub(super) confidence: f64,
    pub(super) privacy: Privacy,
    /// It gives orders: it is quoted and changes nothing.
    pub(super) poisoned: bool,
    pub(super) vector: Option<Vec<f32>>,
}

/// A message, ready for the gate.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) origin: Origin,
    pub(super) filters: Vec<Filtered>,
    /// Its statements, or why there are none.
    pub(super) pieces: Result<Vec<Piece>, String>,
}

/// The statements of a message; `before` is the message before it in its session.
pub(super) fn prepare(message: &Message, before: Option<&Message>) -> Prepared {
    let origin = Origin::of(message);
    let nobody = matches!(message.role, Role::System | Role::Tool);
    if nobody && !message.metadata.contains_key(super::observe::DATA_SOURCE) {
        let skip = Err(format!("it was said by no one: {}", message.role));
        return Prepared { origin, filters: Vec::new(), pieces: skip };
    }
    match observe(&message.text, origin) {
        Err(skip) => Prepared { origin, filters: Vec::new(), pieces: Err(skip) },
        Ok(observed) => {
            let pieces = pieces(message, before, origin, &observed);
            Prepared { origin, filters: observed.filters, pieces }
        }
    }
}

fn pieces(
    message: &Message,
    before: Option<&Message>,
    origin: Origin,
    observed: &Observed,
) -> Result<Vec<Piece>, String> {
    if observed.poison.is_some() {
        return Ok(vec![quoted(message, origin, &observed.text)]);
    }
    let speaker = speaker(message);
    let other = before.filter(|before| before.role != message.role).map(self::speaker);
    let last = before.and_then(|before| last_name(&before.text));
    let context = Context { speaker: &speaker, other: other.as_deref(), last_entity: last.as_deref() };
    let mut formed = form(&observed.text, &context, message.at);
    if formed.is_empty() && origin.as_it_stands() {
        formed = whole(&observed.text, message);
    }
    if formed.is_empty() {
        return Err("it makes no statement".to_owned());
    }
    let subject = subject(message);
    let pieces: Vec<Piece> = formed.into_iter().map(|formed| piece(formed, &subject, origin)).collect();
    let (kept, thin): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| origin.meant || piece.character.says() >= origin.least());
    match thin.first() {
        Some(thin) if kept.is_empty() => {
            let (says, needed) = (thin.character.says(), origin.least());
            Err(format!("it says too little: density {says}, and {needed} are needed"))
        }
        _ => Ok(kept),
    }
}

fn piece(formed: Formed, subject: &str, origin: Origin) -> Piece {
    let Formed { text, said, stated, entities, foresight } = formed;
    let names = if stated == said { entities.len() } else { self::entities(&stated).len() };
    let character = character_among(&stated, names);
    Piece {
        statements: statements(&stated, subject),
        category: if origin.corrects {
            Category::Correction
        } else if foresight.is_some() && character.classes.is_empty() {
            Category::Plan
        } else {
            character.category()
        },
        confidence: match origin.data_source {
            DataSource::UserMessage => character.confidence(origin),
            _ if origin.corrects => AGENT_CORRECTION,
            _ => character.confidence(origin),
        },
        privacy: privacy(&text),
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
fn quoted(message: &Message, origin: Origin, text: &str) -> Piece {
    let said: String = text.chars().take(QUOTED_CHARS).collect();
    Piece {
        text: format!("{} sent this text: “{said}”", speaker(message)),
        character: character(&said),
        category: Category::Other,
        statements: Vec::new(),
        entities: Vec::new(),
        foresight: None,
        confidence: POISONED_CONFIDENCE.min(origin.confidence()),
        privacy: privacy(&said),
        said,
        poisoned: true,
        vector: None,
    }
}

/// What a person asked to remember and what is no sentence, as it stands.
fn whole(text: &str, message: &Message) -> Vec<Formed> {
    let said: String = text.chars().take(QUOTED_CHARS).collect();
    let text = format!("{}: {said}", speaker(message));
    vec![Formed { entities: entities(&said), text, stated: said.clone(), said, foresight: None }]
}

/// The speaker's own name; none if they have none. Nobody speaks for the user, or for the agent, by bearing that name.
fn own_name(message: &Message) -> Option<String> {
    let name = names(&message.speaker).join(" ");
    let reserved = name.is_empty() || ["user", "agent", "assistant"].contains(&name.as_str());
    (message.speaker != message.role.as_str() && !reserved).then_some(name)
}

/// How a memory names who said something.
pub(super) fn speaker(message: &Message) -> String {
    match message.role {
        _ if own_name(message).is_some() => message.speaker.clone(),
        Role::User => USER.to_owned(),
        Role::Assistant => ASSISTANT.to_owned(),
        Role::System | Role::Tool => match Origin::of(message).data_source {
            DataSource::Feed | DataSource::Federation => AUTHOR.to_owned(),
            DataSource::Task => TASK.to_owned(),
            _ => message.role.to_string(),
        },
    }
}

/// Whom a first person means.
pub(super) fn subject(message: &Message) -> String {
    own_name(message).unwrap_or_else(|| match message.role {
        Role::User => "user".to_owned(),
        Role::Assistant => "agent".to_owned(),
        Role::System | Role::Tool => speaker(message).to_lowercase(),
    })
}

/// The last somebody, else the last something, that a message names: what a pronoun after it may stand for.
fn last_name(text: &str) -> Option<String> {
    let entities = entities(text);
    let person = entities.iter().rev().find(|entity| entity.kind == EntityKind::Person);
    person.or(entities.last()).map(|entity| entity.name.clone())
}
