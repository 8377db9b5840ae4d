//! Inflection: words that carry the speaker in their ending, as verbs and nouns of some languages do.

use super::{Rewriter, capitalised, voice::exchanged};
use crate::token::Gap;
use std::ops::Range;

/// What belongs to a possessor stands at most this many words after it.
const POSSESSED_WORDS: usize = 3;

/// A clause with a subject of its own has at least this many words.
const CLAUSE_WORDS: usize = 3;

/// A verb with an ending is longer than the ending by at least so many letters.
const STEM_CHARS: usize = 1;

/// What a clause says of the speaker.
#[derive(Default)]
struct Told {
    words: Range<usize>,
    /// The speaker acts.
    acts: bool,
    /// The speaker and others act.
    groups: bool,
    /// The speaker must act.
    needs: bool,
    /// Nouns that belong to the speaker.
    owned: Vec<usize>,
    /// One of them may be the subject.
    names_owned: bool,
}

impl Told {
    /// Whether it has a subject of its own, which belongs to the speaker.
    fn is_apart(&self) -> bool {
        self.names_owned && !self.acts && !self.groups && self.words.len() >= CLAUSE_WORDS
    }
}

impl Rewriter<'_> {
    /// Says every sentence whose words carry the speaker of them by name.
    pub(super) fn inflect(&mut self) {
        if self.voice.pairs("verb").is_empty() && self.voice.pairs("owned").is_empty() {
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
        let subject = self.words[sentence.clone()].iter().any(|word| self.voice.is("agrees", word));
        let mut told: Vec<Told> = Vec::new();
        let mut begin = sentence.start;
        while begin < sentence.end {
            let end = (begin + 1..sentence.end).find(|at| self.tokens[*at].gap != Gap::Space);
            let end = end.unwrap_or(sentence.end);
            told.push(self.inflect_clause(begin..end));
            begin = end;
        }
        let any = |is: fn(&Told) -> bool| told.iter().any(is);
        let speaker = match () {
            () if subject => None,
            () if any(|told| told.acts) => self.filled("{speaker}"),
            () if any(|told| told.groups) => {
                self.voice.words("group").next().and_then(|group| self.filled(group))
            }
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
        let own = told.iter().find(|told| told.acts || told.groups).filter(|_| apart);
        let start = self.place_of_subject(&own.map_or(sentence, |told| told.words.clone()));
        if let Some(speaker) = speaker {
            self.before[start] = Some(speaker);
        }
    }

    /// Says the words of one clause of the speaker.
    fn inflect_clause(&mut self, words: Range<usize>) -> Told {
        let mut told = Told { words: words.clone(), ..Told::default() };
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
            told.groups |= self.new[at].is_none() && self.act_together(at);
            at += 1;
        }
        told
    }

    /// The first word of a sentence that is no conjunction.
    fn place_of_subject(&self, sentence: &Range<usize>) -> usize {
        let lead = self.voice.is("lead", &self.words[sentence.start]) && sentence.len() > 1;
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
            let new = if self.tokens[at].is_capital() { capitalised(&new) } else { new };
            self.put(at, words, new);
            return Some((words, self.voice.pair("owned", &phrase).is_some()));
        }
        None
    }

    fn owned(&self, phrase: &str) -> Option<String> {
        if let Some(owned) = self.voice.pair("owned", phrase) {
            return Some(owned.to_owned());
        }
        self.voice.pairs("case").iter().find_map(|(from, to)| {
            let noun = phrase.strip_suffix(from)?;
            self.voice.pair("owned", noun).map(|owned| format!("{owned}{to}"))
        })
    }

    /// What follows a possessor: `benim küçük evim` is somebody's `evi`.
    fn possess(&mut self, at: usize, end: usize) {
        let is_possessor =
            self.voice.pair("say", &self.words[at]).is_some_and(|said| said == "{speaker.possessive}");
        if !is_possessor || self.is_quoted(at) {
            return;
        }
        for next in at + 1..(at + 1 + POSSESSED_WORDS).min(end) {
            if self.tokens[next].gap != Gap::Space || self.new[next].is_some() {
                return;
            }
            let (word, written) = (self.words[next].clone(), self.written_word(next));
            let new = self.owned(&word).or_else(|| {
                let plain = self.voice.exchange("possessed", &word, &written);
                plain.or_else(|| {
                    self.voice.pairs("case").iter().find_map(|(from, to)| {
                        let noun = word.strip_suffix(from)?;
                        let (ending, other) = self
                            .voice
                            .pairs("possessed")
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
        if self.voice.is("not_verb", &word) {
            return false;
        }
        let found = self
            .with_ending("verb", &word, at)
            .or_else(|| self.ends_clause(at).then(|| self.with_ending("last_verb", &word, at)).flatten());
        if let Some(new) = found {
            self.new[at] = Some(new);
            return true;
        }
        // What the speaker did, inside a sentence: it needs no subject of its own.
        if let Some(new) = self.with_ending("inside", &word, at) {
            self.new[at] = Some(new);
        } else {
            let inside = self.voice.pairs("case").iter().find_map(|(from, to)| {
                let verb = word.strip_suffix(from)?;
                let (ending, other) =
                    self.voice.pairs("inside").iter().find(|(ending, _)| verb.ends_with(ending))?;
                exchanged(&self.written_word(at), &format!("{ending}{from}"), &format!("{other}{to}"))
            });
            self.new[at] = inside;
        }
        false
    }

    /// A verb whose ending says that the speaker and others act.
    fn act_together(&mut self, at: usize) -> bool {
        let word = self.words[at].clone();
        if self.voice.is("not_verb", &word) || !self.ends_clause(at) {
            return false;
        }
        self.new[at] = self.with_ending("group_verb", &word, at);
        self.new[at].is_some()
    }

    /// What the speaker must do, before a word that says so.
    fn need(&mut self, at: usize) -> bool {
        let next = self.tokens.get(at + 1).filter(|token| token.gap == Gap::Space);
        if next.is_none() || !self.voice.is("need_word", &self.words[at + 1]) {
            return false;
        }
        let word = self.words[at].clone();
        self.new[at] = self.with_ending("need", &word, at);
        self.new[at].is_some()
    }

    fn with_ending(&self, label: &str, word: &str, at: usize) -> Option<String> {
        let (from, to) = self.voice.pairs(label).iter().find(|(from, _)| word.ends_with(from))?;
        let stem = word.chars().count() - from.chars().count();
        let whole = stem == 0 && from.chars().count() > 4;
        (stem > STEM_CHARS || whole).then(|| exchanged(&self.written_word(at), from, to)).flatten()
    }

    /// Whether a clause ends with a word: nothing, a sign or a conjunction follows.
    fn ends_clause(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_none_or(|next| {
            next.first || next.gap != Gap::Space || self.voice.is("and", &self.words[at + 1])
        })
    }
}
