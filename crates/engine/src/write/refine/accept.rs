//! Accept: what of a model's answer is taken, piece by piece. Everything here is decided by rules.

use crate::write::{
    decide::neighborhood::text_overlap,
    form::memory::MERGED_TEXT_SEPARATOR,
    prepare::{
        message::{KeptStatement, Proposition, first_person_subject, shown_words},
        observe::text_character,
    },
    refine::{
        faithful::{SourceWords, refusal, unfit_replacement},
        material::{RefineMaterial, may_reword},
        question::{MAX_FACT_CHARS, ModelAnswer, ModelFact},
    },
};
use cairn_cognition::{
    entity::{Mention, entities, slug},
    personal::text_privacy,
    sentence::sentences,
    shown::ShownPart,
    statement::statements,
    temporal::{Foresight, foresight},
};
use cairn_domain::{Day, EntityKind, MILLIS_PER_DAY, Time};
use cairn_store::MemoryRecord;

/// Two facts that are more alike are one.
const SAME_FACT_OVERLAP: f64 = 0.9;
/// The longest citation.
const MAX_CITATION_CHARS: usize = 500;

/// The part of an answer that passed the rules.
#[derive(Debug, Default)]
pub(super) struct AcceptedAnswer {
    /// Facts, each with its place in the answer and the memory that it says more clearly.
    pub(super) facts: Vec<AcceptedFact>,
    /// Why each of the other facts was refused.
    pub(super) refused: Vec<String>,
}

/// A fact that is taken.
#[derive(Debug)]
pub(super) struct AcceptedFact {
    /// Its place in the answer: `f1` is 0.
    pub(super) place: usize,
    pub(super) proposition: Proposition,
    /// The memory that it says more clearly.
    pub(super) instead_of: Option<MemoryRecord>,
}

/// Applies the rules to every fact of an answer.
pub(super) fn accepted_answer(material: &RefineMaterial, told: &ModelAnswer) -> AcceptedAnswer {
    let mut accepted = AcceptedAnswer::default();
    let source_words = material.source_words();
    let own = SourceWords::of(material.own.iter().map(|record| record.memory.text.as_str()));
    for (place, fact) in told.facts.iter().enumerate() {
        match accepted_fact(material, fact, &source_words, &own, &accepted) {
            Ok((proposition, instead_of)) => {
                accepted.facts.push(AcceptedFact { place, proposition, instead_of });
            }
            Err(why) => accepted.refused.push(format!("f{}: {why}", place + 1)),
        }
    }
    accepted
}

fn accepted_fact(
    material: &RefineMaterial,
    fact: &ModelFact,
    source_words: &SourceWords,
    own: &SourceWords,
    accepted: &AcceptedAnswer,
) -> Result<(Proposition, Option<MemoryRecord>), String> {
    let text = fact.text.trim();
    if text.chars().count() > MAX_FACT_CHARS {
        return Err("it is too long".to_owned());
    }
    if let Some(why) = refusal(text, source_words) {
        return Err(why);
    }
    if accepted.facts.iter().any(|taken| text_overlap(&taken.proposition.text, text) >= SAME_FACT_OVERLAP) {
        return Err("it was said already".to_owned());
    }
    let proposition = proposition_of(material, fact, text);
    if shown_words(&material.record.message).hold(&proposition.said) != ShownPart::Nothing {
        return Err("the user only shows it".to_owned());
    }
    let named = fact.says_again.as_deref().and_then(|id| id.strip_prefix('m')?.parse::<usize>().ok());
    let named = named.and_then(|number| material.own.get(number.checked_sub(1)?));
    let alike =
        || material.own.iter().find(|record| text_overlap(&record.memory.text, text) >= SAME_FACT_OVERLAP);
    if let Some(record) = named.or_else(alike) {
        let again =
            |taken: &AcceptedFact| taken.instead_of.as_ref().is_some_and(|it| it.number == record.number);
        let memory = &record.memory;
        return match unfit_replacement(text, &[&memory.text], &[&material.speaker]) {
            Some(why) => Err(why),
            None if memory.text == text => Err("it is worded so already".to_owned()),
            None if !may_reword(memory) => Err(format!("{} stays as it is", memory.id)),
            None if accepted.facts.iter().any(again) => Err(format!("{} is said again already", memory.id)),
            None => Ok((proposition, Some(record.clone()))),
        };
    }
    if own.grounded_share(text) >= 1.0 {
        return Err("it is remembered already".to_owned());
    }
    if text_character(text).information_count() < material.origin.min_density() && !material.origin.explicit {
        return Err("it says too little".to_owned());
    }
    Ok((proposition, None))
}

/// A fact as the gate wants it. What it is worth is told by the words that were said, not by a model.
fn proposition_of(material: &RefineMaterial, fact: &ModelFact, text: &str) -> Proposition {
    let said = cited_sentence(&material.said, text);
    let character = text_character(&said);
    Proposition {
        text: text.to_owned(),
        category: fact.category,
        statements: statements(text, &first_person_subject(&material.record.message)),
        entities: fact_mentions(fact, text),
        foresight: fact_foresight(fact, text, material.record.message.at),
        confidence: character.base_confidence(material.origin),
        worth: 1.0,
        beside: None,
        privacy: text_privacy(text),
        character,
        said,
        poisoned: false,
        shown: ShownPart::Nothing,
        kept: KeptStatement::ForItself,
        vector: None,
    }
}

/// The sentence that a fact stands on, as it was said.
fn cited_sentence(said: &str, text: &str) -> String {
    let like = |sentence: &str| text_overlap(sentence, text);
    let best =
        sentences(said).into_iter().max_by(|a, b| like(a).total_cmp(&like(b)).then(b.len().cmp(&a.len())));
    best.unwrap_or_default().chars().take(MAX_CITATION_CHARS).collect()
}

/// The names in a fact: those that are found in it, told more closely by the model, and those it names besides that stand
/// in it.
fn fact_mentions(fact: &ModelFact, text: &str) -> Vec<Mention> {
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
fn fact_foresight(fact: &ModelFact, text: &str, said_at: Time) -> Option<Foresight> {
    let day = fact.valid_until.as_deref().filter(|day| text.contains(*day));
    let day = day.and_then(|day| day.parse::<Day>().ok()).filter(|day| *day >= said_at.day());
    let end = |day: Day| day.to_string().parse::<Time>().ok().map(|day| day.millis() + MILLIS_PER_DAY - 1);
    let told = day.and_then(end).map(|until| Foresight {
        words: text.to_owned(),
        until: Time::from_millis(until),
        begins: false,
    });
    foresight(text, said_at).or(told)
}

/// The texts that rules have joined in a memory.
pub(super) fn merged_parts(text: &str) -> Vec<&str> {
    text.split(MERGED_TEXT_SEPARATOR).collect()
}

/// Why a paragraph may not tell what some lines say: it says something that they do not, or more than they do.
pub(crate) fn unfit_as_prose(text: &str, lines: &[&str]) -> Option<String> {
    let all: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    if text.chars().count() > all {
        return Some("it is no shorter".to_owned());
    }
    refusal(text, &SourceWords::of(lines.iter().copied()))
}

/// Why one text may not take the place of those that were joined.
pub(crate) fn unfit_for(text: &str, joined: &str) -> Option<String> {
    let parts = merged_parts(joined);
    if text.contains(MERGED_TEXT_SEPARATOR) || text.chars().count() > joined.chars().count() + 40 {
        return Some("it is no better".to_owned());
    }
    let source_words = SourceWords::of([text]);
    let lost = |part: &&str| source_words.lost_name(part, &[]).map(|lost| format!("it loses {lost}"));
    refusal(text, &SourceWords::of(parts.iter().copied()))
        .or_else(|| parts.iter().find_map(lost))
        // An earlier text may be over; the latest holds.
        .or_else(|| unfit_replacement(text, parts.last().map_or(&[][..], std::slice::from_ref), &[]))
}
