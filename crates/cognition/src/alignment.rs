//! Alignment: how a sentence stands to each principle of a text. It is told with the passage, for whoever decides; nothing is
//! decided here.

use crate::{
    keywords::{plain_words, query_terms},
    lexicon::{RefusalsClass, WordList, plain_entries},
    pattern::Patterns,
};
use std::{collections::BTreeSet, sync::LazyLock};

/// How a sentence stands to a principle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alignment {
    /// It says the opposite of it.
    Conflicts,
    /// It is about something else.
    Neutral,
    /// It says the same, or goes further.
    Supports,
}

impl Alignment {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflicts => "conflicts",
            Self::Neutral => "neutral",
            Self::Supports => "supports",
        }
    }
}

/// How a sentence stands to one principle, and by which words that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipleAlignment {
    /// The principle in its own words.
    pub passage: String,
    /// How the sentence stands to it.
    pub alignment: Alignment,
    /// The terms that both have.
    pub shared: Vec<String>,
}

/// Share of the terms of the shorter text that both must have to be about the same.
const MIN_SHARED: f64 = 0.4;
/// Terms that both must have, unless one has fewer.
const MIN_SHARED_TERMS: usize = 2;

/// Words that may stand before a leading refusal: "I will never".
const MAX_LEADING_WORDS: usize = 2;

static REFUSALS: LazyLock<Patterns<RefusalsClass>> = LazyLock::new(Patterns::read);
/// Each line of opposites as its members.
static OPPOSITES: LazyLock<Vec<Vec<Vec<String>>>> = LazyLock::new(|| {
    let member = |words: &str| words.split(',').map(|word| word.trim().to_owned()).collect();
    plain_entries(WordList::Opposites).map(|line| line.split('|').map(member).collect()).collect()
});

/// How a sentence stands to each principle, those that it conflicts with first.
pub fn alignment(sentence: &str, principles: &[String]) -> Vec<PrincipleAlignment> {
    let told = Told::of(sentence);
    let mut found: Vec<PrincipleAlignment> = principles
        .iter()
        .map(|passage| {
            let (alignment, shared) = told.beside(&Told::of(passage));
            PrincipleAlignment { passage: passage.clone(), alignment, shared }
        })
        .collect();
    let order = |one: &PrincipleAlignment| match one.alignment {
        Alignment::Conflicts => 0,
        Alignment::Supports => 1,
        Alignment::Neutral => 2,
    };
    found.sort_by_key(order);
    found
}

/// A text by its terms, its words, and whether it forbids.
struct Told {
    terms: BTreeSet<String>,
    words: BTreeSet<String>,
    forbids: bool,
}

impl Told {
    fn of(text: &str) -> Self {
        Self {
            terms: query_terms(text).into_iter().collect(),
            words: plain_words(text).into_iter().collect(),
            forbids: forbids(&text.replace('’', "'")),
        }
    }

    /// Two texts are about the same if they share enough terms: |A ∩ B| ≥ 0.4 · min(|A|, |B|). Then one supports the other, unless
    /// one of them forbids, or has the opposite word.
    fn beside(&self, other: &Self) -> (Alignment, Vec<String>) {
        let shared: Vec<String> = self.terms.intersection(&other.terms).cloned().collect();
        let fewest = self.terms.len().min(other.terms.len());
        let enough = shared.len() >= MIN_SHARED_TERMS.min(fewest).max(1)
            && shared.len() as f64 >= MIN_SHARED * fewest as f64;
        if !enough {
            return (Alignment::Neutral, shared);
        }
        let turned = (self.forbids != other.forbids) != self.is_opposed_to(other);
        (if turned { Alignment::Conflicts } else { Alignment::Supports }, shared)
    }

    fn is_opposed_to(&self, other: &Self) -> bool {
        OPPOSITES.iter().any(|members| {
            let side = |told: &Self| {
                members.iter().position(|words| words.iter().any(|word| told.words.contains(word)))
            };
            side(self).zip(side(other)).is_some_and(|(one, another)| one != another)
        })
    }
}

/// Whether a rule says what is not to be done. Where the verb comes first, so does what turns it round: "say what is not known"
/// forbids nothing.
fn forbids(text: &str) -> bool {
    REFUSALS.find(text).any(|found| match found.class {
        RefusalsClass::Leading => text[..found.range.start].split_whitespace().count() <= MAX_LEADING_WORDS,
        RefusalsClass::Anywhere => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principles::principles;

    const SOUL: &str = "# Soul\n\nWho this agent is.\n\n## Principles\n- Say what is known, where it was heard, and what is not known.\n\
                        - Keep confidences inside the thread\n  they were given in.\n- Never promise a date.\n";

    /// covers: W-80
    #[test]
    fn a_sentence_supports_a_principle_or_conflicts_with_it_or_is_about_something_else() {
        let all = principles(SOUL);
        assert_eq!(all.len(), 3);
        assert_eq!(all[1], "Keep confidences inside the thread they were given in.");
        for (sentence, principle, expected) in [
            ("I never promise a date that nobody asked for.", 2, Alignment::Supports),
            ("I promise a date whenever somebody asks.", 2, Alignment::Conflicts),
            ("I keep confidences inside the thread.", 1, Alignment::Supports),
            ("I do not keep confidences inside a thread.", 1, Alignment::Conflicts),
            ("I read release notes before an upgrade.", 0, Alignment::Neutral),
        ] {
            let found = alignment(sentence, &all);
            let of = found.iter().find(|one| one.passage == all[principle]).expect("a principle");
            assert_eq!(of.alignment, expected, "{sentence} / {}: {:?}", of.passage, of.shared);
        }
    }

    #[test]
    fn opposite_words_turn_a_principle_round_and_turkish_does_too() {
        for (principle, sentence, expected) in [
            ("Answers are always public.", "Answers are always private.", Alignment::Conflicts),
            (
                "Kullanıcının sırlarını kimseye anlatma.",
                "Kullanıcının sırlarını anlatırım.",
                Alignment::Conflicts,
            ),
            ("Sırları anlatmam.", "Kullanıcının sırlarını asla anlatma.", Alignment::Supports),
        ] {
            let found = alignment(sentence, &[principle.to_owned()]);
            assert_eq!(found[0].alignment, expected, "{sentence} / {principle}: {:?}", found[0].shared);
        }
    }
}
