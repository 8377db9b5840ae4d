//! Accept: what of a model's answer is taken, piece by piece. Everything here is decided by rules.

use super::{
    super::{
        neighbourhood::word_overlap,
        observe::character,
        prepare::{Piece, subject},
        shape::SEPARATOR,
    },
    faithful::{Ground, refused, unfit},
    material::{Material, may_change},
    question::{FACT_CHARS, Fact, Told},
};
use cairn_cognition::{
    entity::{Mention, entities, slug},
    personal::privacy,
    sentence::sentences,
    statement::statements,
    temporal::{Foresight, foresight},
};
use cairn_domain::{Day, EntityKind, Time};
use cairn_store::MemoryRecord;

/// Two facts that are more alike are one.
const SAME: f64 = 0.9;
/// The longest citation.
const SAID_CHARS: usize = 500;
const DAY_MS: i64 = 86_400_000;

/// What of an answer is taken.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    /// Facts, each with its place in the answer and the memory that it says more clearly.
    pub(super) facts: Vec<Taken>,
    /// What is not taken, and why.
    pub(super) refused: Vec<String>,
}

/// A fact that is taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// Its place in the answer: `f1` is 0.
    pub(super) place: usize,
    pub(super) piece: Piece,
    /// The memory that it says more clearly.
    pub(super) instead_of: Option<MemoryRecord>,
}

/// What of an answer is taken.
pub(super) fn accept(material: &Material, told: &Told) -> Accepted {
    let mut accepted = Accepted::default();
    let ground = material.ground();
    let own = Ground::of(material.own.iter().map(|record| record.memory.text.as_str()));
    for (place, fact) in told.facts.iter().enumerate() {
        match one(material, fact, &ground, &own, &accepted) {
            Ok((piece, instead_of)) => accepted.facts.push(Taken { place, piece, instead_of }),
            Err(why) => accepted.refused.push(format!("f{}: {why}", place + 1)),
        }
    }
    accepted
}

fn one(
    material: &Material,
    fact: &Fact,
    ground: &Ground,
    own: &Ground,
    accepted: &Accepted,
) -> Result<(Piece, Option<MemoryRecord>), String> {
    let text = fact.text.trim();
    if text.chars().count() > FACT_CHARS {
        return Err("it is too long".to_owned());
    }
    if let Some(why) = refused(text, ground) {
        return Err(why);
    }
    if accepted.facts.iter().any(|taken| word_overlap(&taken.piece.text, text) >= SAME) {
        return Err("it was said already".to_owned());
    }
    let piece = piece(material, fact, text);
    let named = fact.says_again.as_deref().and_then(|id| id.strip_prefix('m')?.parse::<usize>().ok());
    let named = named.and_then(|number| material.own.get(number.checked_sub(1)?));
    let alike = || material.own.iter().find(|record| word_overlap(&record.memory.text, text) >= SAME);
    if let Some(record) = named.or_else(alike) {
        let again = |taken: &Taken| taken.instead_of.as_ref().is_some_and(|it| it.number == record.number);
        let memory = &record.memory;
        return match unfit(text, &[&memory.text], &[&material.speaker]) {
            Some(why) => Err(why),
            None if memory.text == text => Err("it is worded so already".to_owned()),
            None if !may_change(memory) => Err(format!("{} stays as it is", memory.id)),
            None if accepted.facts.iter().any(again) => Err(format!("{} is said again already", memory.id)),
            None => Ok((piece, Some(record.clone()))),
        };
    }
    if own.share(text) >= 1.0 {
        return Err("it is remembered already".to_owned());
    }
    if character(text).says() < material.origin.least() && !material.origin.explicit {
        return Err("it says too little".to_owned());
    }
    Ok((piece, None))
}

/// A fact as the gate wants it. What it is worth is told by the words that were said, not by a model.
fn piece(material: &Material, fact: &Fact, text: &str) -> Piece {
    let said = cited(&material.said, text);
    let character = character(&said);
    Piece {
        text: text.to_owned(),
        category: fact.category,
        statements: statements(text, &subject(&material.record.message)),
        entities: named(fact, text),
        foresight: until(fact, text, material.record.message.at),
        confidence: character.confidence(material.origin),
        privacy: privacy(text),
        character,
        said,
        poisoned: false,
        vector: None,
    }
}

/// The sentence that a fact stands on, as it was said.
fn cited(said: &str, text: &str) -> String {
    let like = |sentence: &str| word_overlap(sentence, text);
    let best =
        sentences(said).into_iter().max_by(|a, b| like(a).total_cmp(&like(b)).then(b.len().cmp(&a.len())));
    best.unwrap_or_default().chars().take(SAID_CHARS).collect()
}

/// The names in a fact: those that are found in it, told more closely by the model, and those it names besides that stand
/// in it.
fn named(fact: &Fact, text: &str) -> Vec<Mention> {
    let mut mentions = entities(text);
    for named in &fact.entities {
        let (name, slug) = (named.name.trim(), slug(&named.name));
        match mentions.iter_mut().find(|mention| mention.slug == slug) {
            Some(mention) if mention.kind == EntityKind::Concept => mention.kind = named.kind,
            Some(_) => {}
            None => {
                if slug.is_empty() || !text.contains(name) {
                    continue;
                }
                mentions.push(Mention { kind: named.kind, name: name.to_owned(), slug, range: 0..0 });
            }
        }
    }
    // They stand in the model's words, and nowhere in those that were said.
    for mention in &mut mentions {
        mention.range = 0..0;
    }
    mentions
}

/// Until when a fact is worth watching: as its words say, or until a day that it names.
fn until(fact: &Fact, text: &str, said_at: Time) -> Option<Foresight> {
    let day = fact.valid_until.as_deref().filter(|day| text.contains(*day));
    let day = day.and_then(|day| day.parse::<Day>().ok()).filter(|day| *day >= said_at.day());
    let end = |day: Day| day.to_string().parse::<Time>().ok().map(|day| day.millis() + DAY_MS - 1);
    let told =
        day.and_then(end).map(|until| Foresight { words: text.to_owned(), until: Time::from_millis(until) });
    foresight(text, said_at).or(told)
}

/// The texts that rules have joined in a memory.
pub(super) fn parts(text: &str) -> Vec<&str> {
    text.split(SEPARATOR).collect()
}

/// Why a paragraph may not tell what some lines say: it says something that they do not, or more than they do.
pub(crate) fn unfit_as_prose(text: &str, lines: &[&str]) -> Option<String> {
    let all: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    if text.chars().count() > all {
        return Some("it is no shorter".to_owned());
    }
    refused(text, &Ground::of(lines.iter().copied()))
}

/// Why one text may not take the place of those that were joined.
pub(crate) fn unfit_for(text: &str, joined: &str) -> Option<String> {
    let parts = parts(joined);
    if text.contains(SEPARATOR.trim()) || text.chars().count() > joined.chars().count() + 40 {
        return Some("it is no better".to_owned());
    }
    let ground = Ground::of([text]);
    let lost = |part: &&str| ground.loses(part, &[]).map(|lost| format!("it loses {lost}"));
    refused(text, &Ground::of(parts.iter().copied()))
        .or_else(|| parts.iter().find_map(lost))
        // An earlier text may be over; the latest holds.
        .or_else(|| unfit(text, parts.last().map_or(&[][..], std::slice::from_ref), &[]))
}
