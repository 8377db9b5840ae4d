//! Keywords: the terms a text can be found by.
//!
//! The same analysis makes the terms of a message and of a question, so what was written one way is found
//! another: case and accents are folded, words are stemmed in the language of their text, scripts without
//! spaces become pairs of characters, an emoji is a word. No character is an operator; none is an error.

use crate::language::{LANGUAGES, Language, is_stop_word, likely_languages};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A rule change here makes stored terms stale; indexes carry this number and are rebuilt when it moves.
pub const ANALYZER_VERSION: u32 = 2;

/// Longer runs (keys, encoded blobs) are cut: nobody asks for the 65th character of a word.
const MAX_TERM_CHARS: usize = 64;

/// The terms of one text with how often each occurs, sorted by term, and the text's length in terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Term and frequency, sorted by term.
    pub counts: Vec<(String, u32)>,
    /// How many terms the text has, repeats included.
    pub length: u32,
}

/// The terms of a message. A text that could be in any language gets the terms of each.
pub fn terms(text: &str) -> Terms {
    let words = LowerWords::of(text);
    let languages = likely_languages(words.iter());
    let mut all = LowerWords::default();
    for word in words.iter() {
        let begin = all.letters.len();
        for language in languages {
            let end = all.letters.len();
            term_into(word, language, &mut all.letters);
            if begin < end && all.letters[begin..end] == all.letters[end..] {
                all.letters.truncate(end);
            } else {
                all.end_word();
            }
        }
    }
    let mut sorted: Vec<&str> = all.iter().collect();
    sorted.sort_unstable();
    let counts = sorted.chunk_by(|a, b| a == b).map(|same| (same[0].to_owned(), same.len() as u32)).collect();
    Terms { length: words.ends.len() as u32, counts }
}

/// The terms of a text, each once, sorted.
pub fn unique_terms(text: &str) -> Vec<String> {
    terms(text).counts.into_iter().map(|(term, _)| term).collect()
}

/// The distinct words of a question, each with the terms it may stand as in a message. Stop words are left out unless it
/// has nothing else. A question in another language than English also brings its English stems, because a message of few
/// words may have been read as English.
pub fn query_words(text: &str) -> Vec<Vec<String>> {
    let words = LowerWords::of(text);
    let languages = words.languages_asked();
    let terms = |word: &str| {
        let mut terms: Vec<String> = Vec::with_capacity(languages.len());
        for language in &languages {
            let mut term = String::new();
            term_into(word, language, &mut term);
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        terms
    };
    let mut words: Vec<Vec<String>> = words.content().into_iter().map(terms).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The language that words are most likely in.
pub(crate) fn language_of(words: &[String]) -> &'static Language {
    &likely_languages(words.iter().map(String::as_str))[0]
}

/// A word as it is indexed in a language.
pub(crate) fn term_of(word: &str, language: &Language) -> String {
    let (mut lower, mut term) = (String::new(), String::new());
    push_lower_case(word, &mut lower);
    term_into(&lower, language, &mut term);
    term
}

/// The distinct terms of a question, sorted.
pub fn query_terms(text: &str) -> Vec<String> {
    let words = LowerWords::of(text);
    let languages = words.languages_asked();
    let mut all = LowerWords::default();
    for word in words.content() {
        for language in &languages {
            term_into(word, language, &mut all.letters);
            all.end_word();
        }
    }
    let mut terms: Vec<&str> = all.iter().collect();
    terms.sort_unstable();
    terms.dedup();
    terms.into_iter().map(str::to_owned).collect()
}

/// The term by which the messages of a speaker are found. No word of a text is one.
pub fn speaker_term(name: &str) -> String {
    format!("@{name}")
}

/// The words of a text that may be somebody's name: in plain letters, without what follows an apostrophe, sorted.
pub fn names(text: &str) -> Vec<String> {
    let words = LowerWords::of(text);
    let name = |word: &str| {
        let mut name = String::new();
        fold_into(word.split('\'').next().unwrap_or_default(), &mut name);
        name
    };
    let mut names: Vec<String> = words.iter().filter(|word| !is_stop_word(word)).map(name).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}

/// The words of a text in order, in lower case.
pub fn plain_words(text: &str) -> Vec<String> {
    LowerWords::of(text).iter().map(str::to_owned).collect()
}

/// How many words of a text carry content.
pub fn content_words(text: &str) -> usize {
    LowerWords::of(text).iter().filter(|word| !is_stop_word(word)).count()
}

/// The words of a text in order, in lower case, before stemming. One buffer holds the letters of all of them: this
/// runs for every message, before it is acknowledged.
#[derive(Default)]
struct LowerWords {
    letters: String,
    ends: Vec<usize>,
}

impl LowerWords {
    fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.letters.reserve(text.len());
        for_each_run(text, |run, kind| match kind {
            RunKind::Word => {
                push_lower_case(run, &mut words.letters);
                words.end_word();
            }
            RunKind::Unspaced => words.push_pairs(run),
            RunKind::Sign => {
                words.letters.push_str(run);
                words.end_word();
            }
        });
        words
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| &self.letters[begin..*end])
    }

    /// The languages that the words of a question are read in.
    fn languages_asked(&self) -> Vec<&'static Language> {
        let mut languages: Vec<&Language> = likely_languages(self.iter()).iter().collect();
        if languages[0].code != LANGUAGES[0].code {
            languages.push(&LANGUAGES[0]);
        }
        languages
    }

    /// The words that carry content; all of them if none does.
    fn content(&self) -> Vec<&str> {
        let content: Vec<&str> = self.iter().filter(|word| !is_stop_word(word)).collect();
        if content.is_empty() { self.iter().collect() } else { content }
    }

    fn end_word(&mut self) {
        self.ends.push(self.letters.len());
    }

    /// Pairs of neighboring characters; a single character stays what it is.
    fn push_pairs(&mut self, run: &str) {
        let chars: Vec<char> = run.nfkc().collect();
        let alone = if chars.len() == 1 { &chars[..] } else { &[] };
        for pair in chars.windows(2).chain(alone.chunks(1)) {
            self.letters.extend(pair);
            self.end_word();
        }
    }
}

/// The characters a run is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// Letters and digits of a script that puts spaces between words.
    Word,
    /// Letters of a script that does not.
    Unspaced,
    /// A single sign with a meaning of its own: an emoji.
    Sign,
}

fn kind_of(c: char) -> Option<RunKind> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(RunKind::Word);
    }
    match c as u32 {
        // Thai, Lao, Myanmar, Khmer; kana, Han and Hangul (with its particles) and their extensions.
        0x0E00..=0x0EFF
        | 0x1000..=0x109F
        | 0x1780..=0x17FF
        | 0x1100..=0x11FF
        | 0x3040..=0x30FF
        | 0x3130..=0x318F
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF => Some(RunKind::Unspaced),
        0x2600..=0x27BF | 0x1F300..=0x1FAFF => Some(RunKind::Sign),
        _ => (c.is_alphanumeric() || is_combining_mark(c)).then_some(RunKind::Word),
    }
}

/// Visits the runs of a text. An apostrophe between letters and a point or comma between digits stay inside a
/// word (`don't`, `3.5`).
fn for_each_run<'a>(text: &'a str, mut visit: impl FnMut(&'a str, RunKind)) {
    let mut open: Option<(usize, RunKind)> = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let kind = kind_of(c).or_else(|| joins(before, c, next).then_some(RunKind::Word));
        if let Some((from, open_kind)) = open
            && (kind != Some(open_kind) || open_kind == RunKind::Sign)
        {
            visit(&text[from..at], open_kind);
            open = None;
        }
        if open.is_none() {
            open = kind.map(|kind| (at, kind));
        }
        before = c;
    }
    if let Some((from, kind)) = open {
        visit(&text[from..], kind);
    }
}

fn joins(before: char, c: char, next: char) -> bool {
    match c {
        '\'' | '’' => before.is_alphabetic() && next.is_alphabetic(),
        '.' | ',' => before.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

fn push_lower_case(run: &str, letters: &mut String) {
    if run.is_ascii() {
        let begin = letters.len();
        letters.push_str(&run[..run.len().min(MAX_TERM_CHARS)]);
        letters[begin..].make_ascii_lowercase();
        return;
    }
    let straight = run.chars().take(MAX_TERM_CHARS).map(|c| if c == '’' { '\'' } else { c });
    letters.extend(straight.flat_map(char::to_lowercase));
}

/// Appends a word as it is indexed: stemmed in its language and folded to plain letters.
fn term_into(word: &str, language: &Language, term: &mut String) {
    // Turkish puts its endings behind an apostrophe after a name (Ankara'ya), and a name has no other stem.
    if language.code == "tr"
        && let Some((name, _)) = word.split_once('\'')
    {
        return fold_into(name, term);
    }
    if word.is_ascii() {
        return language.stem_into(word, term);
    }
    let mut folded = String::new();
    if language.code == "en" {
        // English knows no accents: they go before the stem is looked for.
        fold_into(word, &mut folded);
        return language.stem_into(&folded, term);
    }
    let composed: String = word.nfc().collect();
    language.stem_into(&composed, &mut folded);
    fold_into(&folded, term);
}

/// Appends letters without their accents.
fn fold_into(word: &str, folded: &mut String) {
    for c in word.nfkd() {
        match c {
            '\u{0300}'..='\u{036F}' => {}
            'ı' => folded.push('i'),
            'ß' => folded.push_str("ss"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'æ' => folded.push_str("ae"),
            _ => folded.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str, message: &str) -> bool {
        let message = terms(message);
        query_terms(question).iter().any(|term| message.counts.iter().any(|(t, _)| t == term))
    }

    /// covers: W-04
    #[test]
    fn a_word_is_found_in_its_other_forms() {
        for (question, message) in [
            ("running", "I run every morning"),
            ("When did Caroline move?", "caroline moved in May"),
            ("cafe", "We met at the Café Central"),
            ("Caroline", "That is Caroline’s bag"),
            ("istanbul", "İSTANBUL'A uçuyorum"),
            ("Ankara", "Yarın Ankara'ya gidiyorum, görüşürüz"),
            ("kahveyi nasıl içerim", "Kahvemi şekersiz içiyorum"),
            ("3.5", "It grew by 3.5 percent"),
            ("東京", "先週東京に行きました"),
            ("서울", "지난주에 서울에서 만났어요"),
            ("กรุงเทพ", "ฉันไปกรุงเทพเมื่อวาน"),
            ("🎉", "done 🎉🎉"),
            ("foo_bar", "call foo_bar() twice"),
            ("naïve", "a naive plan"),
            ("kedim", "Kedimi seviyorum"),
            ("Ankara", "Ankara güzel bir şehir"),
            ("STRASSE", "die Straße ist lang"),
        ] {
            assert!(
                found(question, message),
                "{question} in {message}: {:?} {:?}",
                query_terms(question),
                terms(message)
            );
        }
    }

    /// covers: W-46
    #[test]
    fn no_character_is_an_operator_and_stop_words_alone_still_ask() {
        assert_eq!(query_terms("\"AND\" OR (NOT*) ^~ :{}"), query_terms("and or not"));
        assert_eq!(query_terms("what was it"), ["it", "was", "what"]);
        assert_eq!(query_terms("What was the Lisbon plan?"), ["lisbon", "plan"]);
        for empty in ["", "   ", "?!…", "\u{0}\u{FFFF}", "--"] {
            assert!(query_terms(empty).is_empty(), "{empty:?}");
        }
    }

    #[test]
    fn frequencies_and_length_are_counted() {
        let terms = terms("Tea, tea and more TEA.");
        assert_eq!(terms.length, 5);
        assert_eq!(terms.counts, [("and".into(), 1), ("more".into(), 1), ("tea".into(), 3)]);
    }

    #[test]
    fn a_very_long_run_is_cut() {
        assert_eq!(terms(&"x".repeat(10_000)).counts[0].0.len(), MAX_TERM_CHARS);
    }

    /// The property that `fuzz/fuzz_targets/query.rs` checks at length, with fixed seeds.
    ///
    /// covers: C-158
    #[test]
    fn any_characters_make_terms_and_a_text_is_found_by_its_own_words() {
        let alphabet: Vec<char> =
            "aZ9 '’.,-_\n\u{0}İıßéşğ東京かカ한ไ🎉☕\u{301}\u{200d}\u{fffd}ŉ".chars().collect();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..5_000 {
            let length = random(40);
            let text: String = (0..length).map(|_| alphabet[random(alphabet.len())]).collect();
            let question = query_terms(&text);
            assert!(question.is_empty() || found(&text, &text), "{text:?}");
            assert!(question.iter().all(|term| term.chars().count() <= 4 * MAX_TERM_CHARS), "{text:?}");
        }
    }
}
