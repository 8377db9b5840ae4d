//! The words that give an intention away, and how a sentence is read for them.

use crate::{
    language::LANGUAGES,
    lexicon::{IntentionsClass, TenseClass, classed_entries},
    pattern::Patterns,
    plain::fold,
};
use cairn_domain::Role;
use regex::Regex;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

/// The expressions of the grammar.
pub(super) static CUES: LazyLock<Patterns<IntentionsClass>> = LazyLock::new(|| {
    let is_expression = |class| !matches!(class, IntentionsClass::Word | IntentionsClass::Spelling);
    Patterns::read_grammar(IntentionsClass::Word, is_expression)
});

/// The expressions one of which stands in every intention. They are read first: most sentences are none.
static HEADS: LazyLock<Patterns<IntentionsClass>> = LazyLock::new(|| {
    Patterns::read_grammar(IntentionsClass::Word, |class| {
        is_asking(class) || is_promise(class) || class == IntentionsClass::Event
    })
});

/// Words between single marks, which are apostrophes elsewhere.
static SINGLE_QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|\s)['‘][^\s'‘’][^'‘’\n]*\s[^'‘’\n]*['’](?:$|[\s,.;!?])").expect("a pattern")
});

/// The words that stand for a name in the grammar, in every language.
static WORDS: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, HashSet<&str>> = HashMap::new();
    for entry in classed_entries::<IntentionsClass>().filter(|it| it.class == IntentionsClass::Word) {
        words.entry(entry.argument).or_default().insert(entry.text);
    }
    words
});

/// How words are spelled in a chat, and how they are meant.
static SPELLING: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = classed_entries::<IntentionsClass>().filter(|it| it.class == IntentionsClass::Spelling);
    pairs.filter_map(|it| it.text.split_once(" = ")).collect()
});

/// Verbs in the past, words that only look like them, and those behind which they tell no past.
static PAST: LazyLock<HashMap<&str, TenseClass>> = LazyLock::new(|| {
    let kept = [TenseClass::Past, TenseClass::Was, TenseClass::NotPast, TenseClass::Passive];
    let entries = LANGUAGES[0].classed_entries::<TenseClass>().filter(|it| kept.contains(&it.class));
    entries.map(|it| (it.text, it.class)).collect()
});

/// Whether an expression of a class asks for something.
pub(super) fn is_asking(class: IntentionsClass) -> bool {
    matches!(class, IntentionsClass::Asked | IntentionsClass::AskedThen | IntentionsClass::AskedAt)
}

fn is_promise(class: IntentionsClass) -> bool {
    matches!(class, IntentionsClass::Promised | IntentionsClass::PromisedThen)
}

/// Whether a sentence may tell an intention: a request or an occasion of the user, a promise of the agent.
pub(super) fn may_intend(sentence: &str, role: Role) -> bool {
    HEADS.classes_in(sentence).into_iter().any(|class| match role {
        Role::User => !is_promise(class),
        Role::Assistant => is_promise(class),
        Role::System | Role::Tool => false,
    })
}

/// Whether a word, in plain small letters, is one of those that the grammar calls by this name.
pub(super) fn is_word(name: &str, word: &str) -> bool {
    WORDS.get(name).is_some_and(|words| words.contains(word))
}

/// Whether an expression of a class stands in some words.
pub(super) fn has(words: &str, class: IntentionsClass) -> bool {
    CUES.classes_in(words).contains(&class)
}

/// The words of a text in plain small letters, as they are written otherwise.
pub(super) fn plain_of(word: &str) -> String {
    fold(word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// A sentence as it is meant: what chats spell otherwise is spelled out.
pub(super) fn respelled(sentence: &str) -> Cow<'_, str> {
    let meant = |word: &str| SPELLING.get(fold(word).as_str()).copied();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    if !sentence.split(|c| !is_part(c)).any(|word| meant(word).is_some()) {
        return Cow::Borrowed(sentence);
    }
    let mut text = String::with_capacity(sentence.len() + 8);
    let mut rest = sentence;
    while let Some(begin) = rest.find(is_part) {
        let end = rest[begin..].find(|c| !is_part(c)).map_or(rest.len(), |len| begin + len);
        text.push_str(&rest[..begin]);
        text.push_str(meant(&rest[begin..end]).unwrap_or(&rest[begin..end]));
        rest = &rest[end..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// A text of the same length in which nothing stands between quotation marks: what is quoted is somebody else's.
pub(super) fn unquoted(text: &str) -> String {
    let mut kept = text.to_owned();
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('”', '”')] {
        for quoted in quotations(&kept, open, close) {
            let blank = " ".repeat(quoted.len());
            kept.replace_range(quoted, &blank);
        }
    }
    for quoted in SINGLE_QUOTED.find_iter(text) {
        kept.replace_range(quoted.range(), &" ".repeat(quoted.len()));
    }
    kept
}

/// The ranges between two marks on one line.
fn quotations(text: &str, open: char, close: char) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find(open).map(|begin| at + begin + open.len_utf8()) {
        let line = text[begin..].find('\n').map_or(text.len(), |end| begin + end);
        let Some(end) = text[begin..line].find(close).map(|end| begin + end) else {
            at = begin;
            continue;
        };
        found.push(begin..end);
        at = end + close.len_utf8();
    }
    found
}

/// Whether some words tell the past: "when Ece called", but not "once it is opened".
pub(super) fn is_past(words: &str) -> bool {
    let words: Vec<String> = words.split_whitespace().map(plain_of).collect();
    let is_passive = |place: usize| {
        let before = place.checked_sub(1).map(|before| words[before].as_str());
        before.is_some_and(|it| PAST.get(it) == Some(&TenseClass::Passive) || it.ends_with("'s"))
    };
    let tells = |place: usize, word: &str| match PAST.get(word) {
        Some(TenseClass::Was) => true,
        Some(TenseClass::Past) => !is_passive(place),
        Some(_) => false,
        None => word.ends_with("'d") || word.len() > 3 && word.ends_with("ed") && !is_passive(place),
    };
    words.iter().enumerate().any(|(place, word)| tells(place, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_spelled_out_and_quotations_are_left_out() {
        for (text, meant) in [
            ("need u to call tmw", "need you to call tomorrow"),
            ("Remind me.", "Remind me."),
            ("bi ara gelcek hafta", "bir ara gelecek hafta"),
        ] {
            assert_eq!(respelled(text), meant);
        }
        assert_eq!(unquoted("I wrote \"call\" and “text”."), "I wrote \"    \" and “    ”.");
        assert_eq!(unquoted("5\" of snow"), "5\" of snow");
    }

    #[test]
    fn the_past_is_told_from_what_is_to_come() {
        for (words, past) in [
            ("Ece called", true),
            ("we opened the shop", true),
            ("I'd asked", true),
            ("config.toml is touched", false),
            ("you need anything", false),
            ("Ece calls", false),
            ("I'm done here", false),
        ] {
            assert_eq!(is_past(words), past, "{words}");
        }
    }
}
