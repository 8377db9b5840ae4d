//! Inflection: words that carry the speaker in their ending, as verbs and nouns of some languages do.

use super::{
    rewriter::{Rewriter, capitalized},
    voice::exchanged,
};
use crate::{lexicon::PersonsClass, token::Gap};
use std::ops::Range;

/// Maximum distance in words between a possessor and what belongs to it.
pub(super) const MAX_POSSESSED_WORDS: usize = 3;

/// Minimum words of a clause with a subject of its own.
const CLAUSE_WORDS: usize = 3;

/// Letters by which a verb must be longer than its ending.
const MIN_STEM_CHARS: usize = 1;

/// The words of a clause that carry the speaker.
#[derive(Default)]
struct SpeakerClause {
    words: Range<usize>,
    /// The speaker acts.
    acts: bool,
    /// The speaker must act.
    needs: bool,
    /// Nouns that belong to the speaker.
    owned: Vec<usize>,
    /// One of them may be the subject.
    names_owned: bool,
}

impl SpeakerClause {
    /// Whether it has a subject of its own, which belongs to the speaker.
    fn is_apart(&self) -> bool {
        self.names_owned && !self.acts && self.words.len() >= CLAUSE_WORDS
    }
}

impl Rewriter<'_> {
    /// Says every sentence whose words carry the speaker of them by name.
    pub(super) fn inflect(&mut self) {
        if self.voice.pairs(PersonsClass::Verb).is_empty() && self.voice.pairs(PersonsClass::Owned).is_empty()
        {
            return;
        }
        let mut begin = 0;
        while begin < self.tokens.len() {
            let next = (begin + 1..self.tokens.len()).find(|at| self.tokens[*at].first);
            let end = next.unwrap_or(self.tokens.len());
            self.inflect_sentence(begin..end);
            begin = end;
        }
    }

    fn inflect_sentence(&mut self, sentence: Range<usize>) {
        let subject =
            self.words[sentence.clone()].iter().any(|word| self.voice.is(PersonsClass::Agrees, word));
        let mut told: Vec<SpeakerClause> = Vec::new();
        let mut begin = sentence.start;
        while begin < sentence.end {
            let end = (begin + 1..sentence.end).find(|at| self.tokens[*at].gap != Gap::Space);
            let end = end.unwrap_or(sentence.end);
            told.push(self.inflect_clause(begin..end));
            begin = end;
        }
        let any = |is: fn(&SpeakerClause) -> bool| told.iter().any(is);
        let speaker = match () {
            () if subject => None,
            () if any(|told| told.acts) => self.filled("{speaker}"),
            () if any(|told| told.needs) => self.filled("{speaker.possessive}"),
            () => None,
        };
        let named = speaker.is_some() || any(|told| told.acts);
        for told in told.iter().filter(|told| !named && !subject || told.is_apart()) {
            for at in told.owned.iter().filter(|at| !self.is_possessed(**at)).copied().collect::<Vec<_>>() {
                self.before[at] = self.filled("{speaker.possessive}");
            }
        }
        let apart = told.first().is_some_and(|first| named && first.is_apart());
        let own = told.iter().find(|told| told.acts).filter(|_| apart);
        let start = self.place_of_subject(&own.map_or(sentence, |told| told.words.clone()));
        if let Some(speaker) = speaker {
            self.before[start] = Some(speaker);
        }
    }

    /// Says the words of one clause of the speaker.
    fn inflect_clause(&mut self, words: Range<usize>) -> SpeakerClause {
        let mut told = SpeakerClause { words: words.clone(), ..SpeakerClause::default() };
        let mut at = words.start;
        while at < words.end {
            if self.is_quoted(at) || self.new[at].is_some() {
                self.possess(at, words.end);
                at += 1;
                continue;
            }
            if let Some((words, plain)) = self.own(at) {
                told.owned.push(at);
                told.names_owned |= plain;
                at += words;
                continue;
            }
            let needed = self.need(at);
            told.needs |= needed;
            told.acts |= !needed && self.act(at);
            at += 1;
        }
        told
    }

    /// The first word of a sentence that is no conjunction.
    fn place_of_subject(&self, sentence: &Range<usize>) -> usize {
        let lead = self.voice.is(PersonsClass::Lead, &self.words[sentence.start]) && sentence.len() > 1;
        if lead { sentence.start + 1 } else { sentence.start }
    }

    /// Whether the word before says whose it is.
    fn is_possessed(&self, at: usize) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.new[before].is_some() && self.tokens[at].gap == Gap::Space)
    }

    /// A noun of the speaker's, with or without a case. How many words it is, and whether it has no case.
    fn own(&mut self, at: usize) -> Option<(usize, bool)> {
        for words in [2, 1] {
            let Some(phrase) = self.phrase(at, words) else { continue };
            let Some(new) = self.owned(&phrase) else { continue };
            let new = if self.tokens[at].is_capital() { capitalized(&new) } else { new };
            self.put(at, words, new);
            return Some((words, self.voice.pair(PersonsClass::Owned, &phrase).is_some()));
        }
        None
    }

    fn owned(&self, phrase: &str) -> Option<String> {
        if let Some(owned) = self.voice.pair(PersonsClass::Owned, phrase) {
            return Some(owned.to_owned());
        }
        self.voice.pairs(PersonsClass::Case).iter().find_map(|(from, to)| {
            let noun = phrase.strip_suffix(from)?;
            self.voice.pair(PersonsClass::Owned, noun).map(|owned| format!("{owned}{to}"))
        })
    }

    /// Rewrites the noun behind a possessor: `benim küçük evim` is somebody's `evi`.
    fn possess(&mut self, at: usize, end: usize) {
        let is_possessor = self
            .voice
            .pair(PersonsClass::Say, &self.words[at])
            .is_some_and(|said| said == "{speaker.possessive}");
        if !is_possessor || self.is_quoted(at) {
            return;
        }
        for next in at + 1..(at + 1 + MAX_POSSESSED_WORDS).min(end) {
            if self.tokens[next].gap != Gap::Space || self.new[next].is_some() {
                return;
            }
            // A measure behind its number belongs to nobody: `14 dönüm`.
            if self.words[next - 1].starts_with(|c: char| c.is_ascii_digit()) {
                return;
            }
            let (word, written) = (self.words[next].clone(), self.written_word(next));
            let new = self.owned(&word).or_else(|| {
                let plain = self.voice.exchange(PersonsClass::Possessed, &word, &written);
                plain.or_else(|| {
                    self.voice.pairs(PersonsClass::Case).iter().find_map(|(from, to)| {
                        let noun = word.strip_suffix(from)?;
                        let (ending, other) = self
                            .voice
                            .pairs(PersonsClass::Possessed)
                            .iter()
                            .find(|(ending, _)| noun.ends_with(ending))?;
                        exchanged(&written, &format!("{ending}{from}"), &format!("{other}{to}"))
                    })
                })
            });
            if let Some(new) = new {
                self.new[next] = Some(new);
                return;
            }
        }
    }

    fn written_word(&self, at: usize) -> String {
        self.text[self.tokens[at].start..self.tokens[at].whole_end].to_owned()
    }

    /// A verb whose ending says that the speaker acts.
    fn act(&mut self, at: usize) -> bool {
        let word = self.words[at].clone();
        if self.voice.is(PersonsClass::NotVerb, &word) {
            return false;
        }
        let found = self.with_ending(PersonsClass::Verb, &word, at).or_else(|| {
            self.ends_clause(at).then(|| self.with_ending(PersonsClass::LastVerb, &word, at)).flatten()
        });
        if let Some(new) = found {
            self.new[at] = Some(new);
            return true;
        }
        // What the speaker did, inside a sentence: it needs no subject of its own.
        if let Some(new) = self.with_ending(PersonsClass::Inside, &word, at) {
            self.new[at] = Some(new);
        } else {
            let inside = self.voice.pairs(PersonsClass::Case).iter().find_map(|(from, to)| {
                let verb = word.strip_suffix(from)?;
                let (ending, other) = self
                    .voice
                    .pairs(PersonsClass::Inside)
                    .iter()
                    .find(|(ending, _)| verb.ends_with(ending))?;
                exchanged(&self.written_word(at), &format!("{ending}{from}"), &format!("{other}{to}"))
            });
            self.new[at] = inside;
        }
        false
    }

    /// Whether a word, or the ending of a verb, means the speaker and others.
    pub(super) fn speaks_together(&self) -> bool {
        (0..self.words.len()).any(|at| {
            let (word, voice) = (self.words[at].as_str(), self.voice);
            let acts = |ending: &str| {
                word.strip_suffix(ending).is_some_and(|stem| stem.chars().count() > MIN_STEM_CHARS)
            };
            let is_verb = || !voice.is(PersonsClass::NotVerb, word) && self.ends_clause(at);
            !self.is_quoted(at)
                && (voice.is(PersonsClass::Together, word)
                    || is_verb() && voice.words(PersonsClass::TogetherVerb).any(acts))
        })
    }

    /// Rewrites a verb that the speaker must do, before a word that says so.
    fn need(&mut self, at: usize) -> bool {
        let next = self.tokens.get(at + 1).filter(|token| token.gap == Gap::Space);
        if next.is_none() || !self.voice.is(PersonsClass::NeedWord, &self.words[at + 1]) {
            return false;
        }
        let word = self.words[at].clone();
        self.new[at] = self.with_ending(PersonsClass::Need, &word, at);
        self.new[at].is_some()
    }

    fn with_ending(&self, class: PersonsClass, word: &str, at: usize) -> Option<String> {
        let (from, to) = self.voice.pairs(class).iter().find(|(from, _)| word.ends_with(from))?;
        let stem = word.chars().count() - from.chars().count();
        let whole = stem == 0 && from.chars().count() > 4;
        (stem > MIN_STEM_CHARS || whole).then(|| exchanged(&self.written_word(at), from, to)).flatten()
    }

    /// Whether a clause ends with a word: nothing, a sign or a conjunction follows.
    fn ends_clause(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_none_or(|next| {
            next.first || next.gap != Gap::Space || self.voice.is(PersonsClass::And, &self.words[at + 1])
        })
    }
}
