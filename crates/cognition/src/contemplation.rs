//! Contemplation without a language model: what an inquiry is about, what is uncertain, and which sentence comes of it. Everything
//! that is told is quoted; what an agent should do about it is one of a few plain sentences.

use crate::{
    entity::entities,
    keywords::{plain_words, query_terms},
};
use cairn_domain::InquirySource;
use std::collections::BTreeSet;

/// Share of terms from which on two texts are about the same.
const SAME_TOPIC: f64 = 0.6;
/// Terms that a text must share with an inquiry to belong to it.
const MIN_RELATED_TERMS: usize = 2;

/// The kind of thing that was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// A date, a time of day, a figure.
    Figures,
    /// A name of somebody or of a place.
    Names,
    /// Anything else.
    Facts,
}

/// The terms that a text is about, sorted, divided by spaces. A figure is what is said of something, not what it is about.
pub fn topic(text: &str) -> String {
    let is_figure = |term: &String| term.chars().any(|c| c.is_ascii_digit());
    let terms: BTreeSet<String> = query_terms(text).into_iter().filter(|term| !is_figure(term)).collect();
    terms.into_iter().collect::<Vec<String>>().join(" ")
}

/// The matter of an inquiry, by which the same is known again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryMatter {
    /// The terms of everything that was said, figures left out.
    terms: BTreeSet<String>,
    /// The terms of both sayings: what they are about. What only one of them has is what is said of it.
    subject: BTreeSet<String>,
    /// The names in it, where both sayings share no term, or there is only one.
    names: BTreeSet<String>,
}

impl InquiryMatter {
    /// The matter of what was held, if something was, and of what is said now.
    pub fn of(before: Option<&str>, after: &str) -> Self {
        let held = before.unwrap_or_default();
        let terms = |text: &str| query_terms(text).into_iter().collect::<BTreeSet<String>>();
        let subject: BTreeSet<String> = terms(held).intersection(&terms(after)).cloned().collect();
        let all = format!("{held} {after}");
        let names = if subject.is_empty() { names(&all) } else { BTreeSet::new() };
        Self { terms: topic(&all).split(' ').map(str::to_owned).collect(), subject, names }
    }

    /// Whether two matters are the same: they share enough terms, and not each is about something, or names somebody, that the
    /// other does not.
    ///
    /// J(A, B) = |A ∩ B| / |A ∪ B| ≥ 0.6
    pub fn is_same(&self, other: &Self) -> bool {
        let shared = self.terms.intersection(&other.terms).count();
        let apart = |one: &BTreeSet<String>, another: &BTreeSet<String>| {
            !one.is_subset(another) && !another.is_subset(one)
        };
        shared as f64 >= SAME_TOPIC * self.terms.union(&other.terms).count() as f64
            && !apart(&self.subject, &other.subject)
            && !apart(&self.names, &other.names)
    }
}

fn names(text: &str) -> BTreeSet<String> {
    entities(text).into_iter().map(|mention| mention.slug).collect()
}

/// How many terms a text shares with a topic; none if so few that it does not belong to it.
pub fn related_terms(topic: &str, text: &str) -> Option<usize> {
    let terms: BTreeSet<String> = query_terms(text).into_iter().collect();
    let shared = topic.split(' ').filter(|term| terms.contains(*term)).count();
    (shared >= MIN_RELATED_TERMS).then_some(shared)
}

/// In which way two sayings differ.
pub fn aspect(before: &str, after: &str) -> Aspect {
    let words = |text: &str| plain_words(text).into_iter().collect::<BTreeSet<String>>();
    let (was, is) = (words(before), words(after));
    let differs = |word: &&String| word.chars().any(|c| c.is_ascii_digit());
    if was.symmetric_difference(&is).any(|word| differs(&word)) {
        return Aspect::Figures;
    }
    if names(before) == names(after) { Aspect::Facts } else { Aspect::Names }
}

/// The sentence that comes of an inquiry: a principle, told by its agent.
pub fn growth_sentence(source: InquirySource, aspect: Aspect) -> &'static str {
    match (source, aspect) {
        (InquirySource::Correction, Aspect::Figures) => "I check dates and figures before I state them.",
        (InquirySource::Correction, Aspect::Names) => "I check names and places before I state them.",
        (InquirySource::Correction, Aspect::Facts) => {
            "I ask whether something still holds before I rely on it."
        }
        (InquirySource::Contradiction, _) => {
            "I say so when two things I know do not fit together, and ask which one holds."
        }
        (InquirySource::IdentityChallenge, _) => {
            "I say calmly who I am when somebody questions it, and look at what may be true of it."
        }
        (InquirySource::Entropy, _) => {
            "I slow down and say what I am unsure of when a talk stops fitting together."
        }
    }
}

/// The question of an inquiry.
pub fn inquiry_question(source: InquirySource, before: &str, after: &str) -> String {
    match source {
        InquirySource::Correction => format!("Why did I hold “{before}”, when it is “{after}”?"),
        InquirySource::Contradiction => format!("Which holds: “{before}” or “{after}”?"),
        InquirySource::IdentityChallenge => format!("What of who I am does “{after}” question?"),
        InquirySource::Entropy => format!("What does not fit together about “{after}”?"),
    }
}

/// The uncertainty of an inquiry, for its first pass.
pub fn uncertainty(source: InquirySource, aspect: Aspect) -> &'static str {
    match (source, aspect) {
        (InquirySource::Correction, Aspect::Figures) => {
            "Uncertain: whether other dates and figures from then are wrong as well."
        }
        (InquirySource::Correction, Aspect::Names) => {
            "Uncertain: whether the name is wrong elsewhere, too, or two are being mixed up."
        }
        (InquirySource::Correction, Aspect::Facts) => "Uncertain: whether it changed, or was never so.",
        (InquirySource::Contradiction, _) => {
            "Uncertain: whether one of them is out of date, or both hold at different times."
        }
        (InquirySource::IdentityChallenge, _) => {
            "Uncertain: whether it was meant as a test, or something I did gave reason for it."
        }
        (InquirySource::Entropy, _) => {
            "Uncertain: whether it was the question, what I remembered, or how I answered."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-78
    #[test]
    fn the_same_matter_is_known_again_in_other_words() {
        let matter =
            |before: &str, after: &str| InquiryMatter::of(Some(before).filter(|it| !it.is_empty()), after);
        for (one, other, same) in [
            (
                ("The meeting with Mara is on Tuesday.", "The meeting with Mara is on Monday."),
                ("The meeting with Mara is on Monday.", "Mara has the meeting on Friday."),
                true,
            ),
            (
                ("The kiln costs 30 euros.", "The kiln costs 45 euros."),
                ("The kiln costs 45 euros.", "The kiln costs 50 euros."),
                true,
            ),
            (
                ("The kiln costs 30 euros.", "The kiln costs 45 euros."),
                ("The sail costs 30 euros.", "The sail costs 45 euros."),
                false,
            ),
            (
                (
                    "My Netflix subscription costs 12 euros a month.",
                    "My Netflix subscription costs 14 euros a month.",
                ),
                (
                    "My Spotify subscription costs 9 euros a month.",
                    "My Spotify subscription costs 11 euros a month.",
                ),
                false,
            ),
            (
                ("The red lamp in the hall needs a new bulb.", "The red lamp in the hall needs a new cable."),
                (
                    "The red chair in the hall needs a new bulb.",
                    "The red chair in the hall needs a new cable.",
                ),
                false,
            ),
            (
                ("The lamp in room 12 needs a bulb.", "The lamp in room 12 needs a cable."),
                ("The lamp in room 14 needs a bulb.", "The lamp in room 14 needs a cable."),
                false,
            ),
            (("User likes tea.", "User likes coffee."), ("User likes jazz.", "User likes rock."), false),
            (("", "The printer never works!!!"), ("", "Why does the printer never work?"), true),
            (
                ("", "Mara says you are a machine without a soul."),
                ("", "Deniz says you are a machine without a soul."),
                false,
            ),
        ] {
            let (a, b) = (matter(one.0, one.1), matter(other.0, other.1));
            assert_eq!((a.is_same(&b), b.is_same(&a)), (same, same), "{a:?} / {b:?}");
        }
        let meeting = topic("The meeting with Mara is on Tuesday. The meeting with Mara is on Monday.");
        assert_eq!(related_terms(&meeting, "Mara moved the meeting."), Some(2));
        assert_eq!(related_terms(&meeting, "Mara sails."), None);
    }

    /// covers: W-77
    #[test]
    fn what_was_wrong_decides_the_sentence() {
        for (before, after, expected) in [
            ("The deadline is 3 May.", "The deadline is 5 May.", Aspect::Figures),
            ("User lives in Oslo.", "User lives in Bergen.", Aspect::Names),
            ("User likes tea.", "User likes coffee.", Aspect::Facts),
        ] {
            assert_eq!(aspect(before, after), expected, "{before} / {after}");
        }
        let sentence = growth_sentence(InquirySource::Correction, Aspect::Figures);
        assert_eq!(sentence, "I check dates and figures before I state them.");
    }
}
