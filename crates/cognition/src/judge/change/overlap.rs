//! Overlap: what two texts speak of alike, word by word, in any language that puts its endings behind its stems.

use super::words::{ChangeWords, ContentWord, TextValue, ValueKind};

/// Shorter words are the same only if they are equal.
const MIN_STEM_BYTES: usize = 4;
/// A stem that two words share is at least so much of the longer one.
const MIN_STEM_SHARE: f64 = 0.6;
/// A word inside another (a compound) is at least so long.
const MIN_PART_BYTES: usize = 5;
/// A rare word is worth at least so much.
const RARE_WEIGHT: f64 = 1.0;

/// Whether two folded words are forms of one word, or one is a part of the other.
pub(super) fn akin(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() < MIN_STEM_BYTES {
        return false;
    }
    let shared = short.bytes().zip(long.bytes()).take_while(|(x, y)| x == y).count();
    let is_stem = shared >= MIN_STEM_BYTES
        && (shared + 1 >= short.len() && shared as f64 >= 0.5 * long.len() as f64
            || shared as f64 >= MIN_STEM_SHARE * long.len() as f64 && shared > MIN_STEM_BYTES);
    is_stem || (short.len() >= MIN_PART_BYTES && (long.ends_with(short) || long.starts_with(short)))
}

/// The content words that two texts share.
#[derive(Debug, Clone, Default)]
pub(super) struct WordOverlap {
    /// Words of the first that the second has too.
    pub(super) shared: Vec<String>,
    /// Their share of the first by weight, and of the second.
    pub(super) of_first: f64,
    pub(super) of_second: f64,
    /// How many of them few texts hold.
    pub(super) rare: usize,
    /// Weight of the shared words that are no values against that of all words that are none.
    pub(super) masked: f64,
}

fn weight<'a>(words: impl Iterator<Item = &'a ContentWord>) -> f64 {
    words.map(|word| word.weight).sum()
}

pub(super) fn overlap(first: &ChangeWords, second: &ChangeWords) -> WordOverlap {
    let mut found = WordOverlap::default();
    let (mut sum, mut masked, mut back) = (0.0, 0.0, 0.0);
    for word in &first.content {
        let Some(other) = second.content.iter().find(|other| akin(&word.fold, &other.fold)) else { continue };
        sum += word.weight;
        back += other.weight;
        if !word.is_value && !other.is_value {
            masked += word.weight;
        }
        found.rare += usize::from(word.weight >= RARE_WEIGHT);
        found.shared.push(word.fold.clone());
    }
    let all = |words: &ChangeWords| weight(words.content.iter()).max(0.5);
    let plain = |words: &ChangeWords| weight(words.content.iter().filter(|word| !word.is_value));
    found.of_first = sum / all(first);
    found.of_second = (back / all(second)).min(1.0);
    found.masked = masked / (plain(first) + plain(second) - masked).max(0.5);
    found
}

/// Whether values of two kinds can stand in each other's place: "at 14" and "16:30".
pub(super) fn comparable(a: ValueKind, b: ValueKind) -> bool {
    use ValueKind::{Clock, Code, Money, Name, Number};
    a == b
        || matches!((a, b), (Number, Clock | Money) | (Clock | Money, Number))
        || matches!((a, b), (Code, Name) | (Name, Code))
}

/// Whether two values are the same value.
pub(super) fn same_value(a: &TextValue, b: &TextValue) -> bool {
    comparable(a.kind, b.kind) && (a.key == b.key || (a.kind == ValueKind::Name && akin(&a.key, &b.key)))
}

/// A known value and a new one that count the same thing and differ.
pub(super) fn recount<'a>(
    known: &'a ChangeWords,
    new: &'a ChangeWords,
) -> Option<(&'a TextValue, &'a TextValue)> {
    known.values.iter().filter(|value| value.kind != ValueKind::Name).find_map(|old| {
        let counts_same = |value: &&TextValue| {
            comparable(old.kind, value.kind)
                && !same_value(old, value)
                && old.beside.iter().any(|word| value.beside.iter().any(|other| akin(word, other)))
        };
        new.values.iter().find(counts_same).map(|value| (old, value))
    })
}

/// A known value and a new one of its kind, where the new text has no value of that kind that is known.
pub(super) fn other_value<'a>(
    known: &'a ChangeWords,
    new: &'a ChangeWords,
    kind: ValueKind,
) -> Option<(&'a TextValue, &'a TextValue)> {
    let of_kind = |words: &'a ChangeWords| words.values.iter().filter(move |value| value.kind == kind);
    let old = of_kind(known).find(|old| !of_kind(new).any(|value| same_value(old, value)))?;
    let value = of_kind(new).find(|value| !of_kind(known).any(|old| same_value(old, value)))?;
    Some((old, value))
}

/// A known value that the new text names.
pub(super) fn named_again<'a>(known: &'a ChangeWords, new: &ChangeWords) -> Option<&'a TextValue> {
    known.values.iter().find(|old| {
        new.values.iter().any(|value| same_value(old, value))
            || (old.kind == ValueKind::Name && new.content.iter().any(|word| akin(&word.fold, &old.key)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_akin_and_other_words_are_not() {
        for (a, b) in [
            ("meeting", "meetings"),
            ("toplanti", "toplantisi"),
            ("angebot", "heizungsangebot"),
            ("choir", "choir"),
        ] {
            assert!(akin(a, b) && akin(b, a), "{a} {b}");
        }
        for (a, b) in [("rent", "rest"), ("car", "care"), ("station", "status"), ("contract", "contest")] {
            assert!(!akin(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_number_of_the_same_thing_is_found_again() {
        let words = ChangeWords::of;
        let (known, new) =
            (words("The hall seats 120 people."), words("It takes 95 people since the rebuild."));
        let (old, value) = recount(&known, &new).expect("both count people");
        assert_eq!((old.key.as_str(), value.key.as_str()), ("120", "95"));
        assert!(recount(&known, &words("There are 12 exits.")).is_none());
    }
}
