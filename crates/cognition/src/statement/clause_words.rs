//! From a sentence to the words its grammar parses: contractions are written out, fixed phrases become one word.

use super::{grammar::Grammar, word::ClauseWord};
use crate::lexicon::GrammarClass;
use crate::plain::fold;

/// Longer words are truncated.
const MAX_WORD_CHARS: usize = 60;

/// The words of a sentence as `grammar` reads them: short forms written out, fixed phrases as one word.
pub(super) fn clause_words(sentence: &str, grammar: &Grammar, most: usize) -> Vec<ClauseWord> {
    let mut words: Vec<ClauseWord> = Vec::new();
    for run in sentence.split_whitespace().take(most) {
        if run.chars().all(|c| "-–—:".contains(c)) {
            if let Some(last) = words.last_mut() {
                last.pause = true;
            }
            continue;
        }
        push(run, grammar, &mut words);
    }
    grammar.join_phrases(&words)
}

fn push(run: &str, grammar: &Grammar, words: &mut Vec<ClauseWord>) {
    let cut: String = run.chars().take(MAX_WORD_CHARS).collect();
    let pause = cut.ends_with([',', ':', ')']);
    let bare = cut.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£%+#".contains(c));
    if bare.is_empty() {
        return;
    }
    let capital = bare.starts_with(char::is_uppercase);
    let folded = fold(bare);
    let from = words.len();
    if let Some(long) = grammar.expansion(&folded) {
        words.extend(long.iter().map(|text| grammar.word(text)));
    } else {
        let (text, tail) = folded.split_once('\'').unwrap_or((&folded, ""));
        let with_tail = |word: ClauseWord| ClauseWord { tail: tail.to_owned(), ..word };
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .filter(|at| *at > 0 && grammar.is(&text[*at..], GrammarClass::Unit));
        match digits {
            Some(at) => {
                words.extend([grammar.word(&text[..at]), with_tail(grammar.word(&text[at..]))]);
            }
            None if text.is_empty() => {}
            None => words.push(ClauseWord { capital, ..with_tail(grammar.word(text)) }),
        }
    }
    if let Some(last) = words[from..].last_mut() {
        last.pause = pause;
    }
}
