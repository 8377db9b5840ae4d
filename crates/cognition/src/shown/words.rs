//! Words beside the form, as `lexicon/shown.txt` has them.

use crate::{
    language::LANGUAGES,
    lexicon::ClassedEntry,
    pattern::{PatternMatch, Patterns},
    plain::fold,
};
use std::{collections::HashMap, sync::LazyLock};

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownClass {
    /// A text that people bring along.
    Text,
    /// A text in which nobody speaks for himself.
    Fiction,
    /// A request to do something with a text.
    Treats,
    /// Pointing at a text.
    Points,
    /// Naming a text that is known.
    Definite,
    /// Words that somebody else put there.
    Presents,
    /// Somebody speaks for himself again.
    Returns,
    /// A sentence that only supposes something.
    Supposes,
    /// An opinion that somebody else has of the speaker.
    Doubts,
    /// Somebody speaks of the speaker to whoever remembers.
    Outsider,
}

/// The use of a label at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelClass {
    /// Somebody talks, in the record of a talk.
    Speaker,
    /// Somebody may talk.
    MaybeSpeaker,
    /// The head of a mail.
    Head,
}

struct ShownLexicon {
    patterns: Patterns<ShownClass>,
    labels: HashMap<&'static str, Vec<LabelClass>>,
}

static LEXICON: LazyLock<ShownLexicon> = LazyLock::new(|| {
    let text = include_str!("../../lexicon/shown.txt");
    let sections = text.split("\n[").skip(1).filter_map(|section| section.split_once("]\n"));
    let (mut entries, mut labels) = (Vec::new(), HashMap::<_, Vec<LabelClass>>::new());
    for (class, lines) in sections {
        // A line that begins with two spaces goes on with the one above.
        let lines = lines.replace("\n  ", "").leak();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (class, line.strip_suffix('?')) {
                ("speaker", Some(label)) => labels.entry(label).or_default().push(LabelClass::MaybeSpeaker),
                ("speaker", None) => labels.entry(line).or_default().push(LabelClass::Speaker),
                ("head", _) => labels.entry(line).or_default().push(LabelClass::Head),
                _ => entries.push(ClassedEntry { class: self::class(class), argument: "", text: line }),
            }
        }
    }
    let patterns = Patterns::compile_all(entries.into_iter().map(|entry| (&LANGUAGES[0], entry)));
    ShownLexicon { patterns, labels }
});

fn class(name: &str) -> ShownClass {
    match name {
        "text" => ShownClass::Text,
        "fiction" => ShownClass::Fiction,
        "treats" => ShownClass::Treats,
        "points" => ShownClass::Points,
        "definite" => ShownClass::Definite,
        "presents" => ShownClass::Presents,
        "returns" => ShownClass::Returns,
        "supposes" => ShownClass::Supposes,
        "doubts" => ShownClass::Doubts,
        "outsider" => ShownClass::Outsider,
        other => unreachable!("`{other}` is no class of shown.txt"),
    }
}

/// The classes of the words of a text, each once.
pub(super) fn shown_classes(text: &str) -> Vec<ShownClass> {
    LEXICON.patterns.classes_in(text)
}

/// The places of words with a class.
pub(super) fn shown_matches(text: &str) -> impl Iterator<Item = PatternMatch<ShownClass>> + use<> {
    LEXICON.patterns.find(text)
}

/// Whether a label is one of a class.
pub(super) fn is_label(label: &str, class: LabelClass) -> bool {
    LEXICON.labels.get(fold(label).as_str()).is_some_and(|classes| classes.contains(&class))
}
