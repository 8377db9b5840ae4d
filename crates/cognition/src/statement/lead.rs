//! The subject of a clause whose verb stands at the end: owners, what they own, or the first noun.

use super::{
    draft::SubjectStep,
    subject::ClauseReader,
    word::{ClauseWord, WordKind},
};
use crate::lexicon::GrammarClass;
use crate::plain::fold;

/// The subject of a clause and how many words it takes.
pub(super) struct Lead {
    pub path: Vec<SubjectStep>,
    pub length: usize,
}

impl ClauseReader<'_> {
    /// Whether a word belongs to the next one: "Ayşe'nin", "kedimin".
    pub(super) fn owns<'w>(&self, word: &'w ClauseWord) -> Option<&'w str> {
        if word.is(GrammarClass::Time) {
            return None;
        }
        if !word.tail.is_empty() {
            return self.grammar.is(&word.tail, GrammarClass::Genitive).then_some(word.text.as_str());
        }
        self.grammar.without(&word.text, GrammarClass::Genitive, 3)
    }

    /// Whether a word says that it is the speaker's: "kedim", and its stem.
    pub(super) fn mine<'w>(&self, text: &'w str) -> Option<&'w str> {
        let known = self.grammar.is(text, GrammarClass::NotMine) || self.grammar.is(text, GrammarClass::Time);
        self.grammar.without(text, GrammarClass::MineEnding, 2).filter(|_| !known)
    }

    /// The one who speaks.
    pub(super) fn speaking(&self) -> SubjectStep {
        SubjectStep::named(&fold(self.speaker))
    }

    /// The subject: owners and what they own, what is the speaker's, or the first noun.
    pub(super) fn lead(&self, words: &[ClauseWord]) -> Option<Lead> {
        let first = words.first()?;
        let (mut path, at) = self.owners(words);
        let person = self.person(first).is_some();
        let genitive = first.is_any(&[GrammarClass::UserGenitive, GrammarClass::Mine, GrammarClass::Yours]);
        if !path.is_empty() && (at > 1 || genitive || !person) {
            let end = self.possessed_end(words, at);
            if end > at {
                path.push(SubjectStep::owned(&words[at..end], self.grammar));
            }
            return Some(Lead { path, length: end });
        }
        if !path.is_empty() {
            return Some(Lead { path, length: at });
        }
        if first.is(GrammarClass::Favorite) && words.len() > 2 {
            return Some(Lead { path: vec![self.speaking(), SubjectStep::of(&words[..2])], length: 2 });
        }
        let is_mine = |word: &ClauseWord| {
            word.tail.is_empty() && word.kind == WordKind::Plain && self.mine(&word.text).is_some()
        };
        let mine_at = words[..words.len() - 1].iter().take(3).position(is_mine);
        let bare = |word: &ClauseWord| word.tail.is_empty() && !word.is(GrammarClass::Time);
        if let Some(end) = mine_at.filter(|end| words[..*end].iter().all(bare)) {
            let owned = SubjectStep::owned(&words[..=end], self.grammar);
            return Some(Lead { path: vec![self.speaking(), owned], length: end + 1 });
        }
        let length = self.plain_end(words);
        Some(Lead { path: vec![SubjectStep::of(words.get(..length)?)], length })
            .filter(|lead| lead.length > 0)
    }

    /// The owners at the beginning of a clause, as long as there is something left that they own, and how many words
    /// they take.
    fn owners(&self, words: &[ClauseWord]) -> (Vec<SubjectStep>, usize) {
        let mut path: Vec<SubjectStep> =
            words.first().and_then(|word| self.person(word)).into_iter().collect();
        let mut at = path.len();
        while at + 1 < words.len() && path.len() < 3 {
            let run = (at..words.len() - 1).take(2).find(|next| self.owns(&words[*next]).is_some());
            let Some(owner_at) = run.filter(|owner| self.owned_after(words, *owner)) else { break };
            let owner = &words[owner_at];
            let stem = self.owns(owner).unwrap_or(&owner.text);
            let mine = self.mine(stem).filter(|_| owner.tail.is_empty());
            if mine.is_some() && path.is_empty() {
                path.push(self.speaking());
            }
            let mut named = words[at..=owner_at].to_vec();
            if let Some(last) = named.last_mut() {
                mine.unwrap_or(stem).clone_into(&mut last.text);
            }
            path.push(SubjectStep::owned(&named, self.grammar));
            at = owner_at + 1;
        }
        (path, at)
    }

    /// Whether something that is owned stands behind an owner.
    fn owned_after(&self, words: &[ClauseWord], owner: usize) -> bool {
        if !words[owner].tail.is_empty() || words[owner].is(GrammarClass::UserGenitive) {
            return true;
        }
        words[owner + 1..words.len() - 1]
            .iter()
            .take(3)
            .filter(|word| word.kind == WordKind::Plain && !word.is(GrammarClass::Time))
            .any(|word| {
                self.grammar.without(&word.text, GrammarClass::Possessed, 2).is_some()
                    || self.owns(word).is_some()
            })
    }

    /// Where the noun ends that an owner owns: at the first that bears the ending for it.
    fn possessed_end(&self, words: &[ClauseWord], at: usize) -> usize {
        if words.get(at).is_some_and(|word| word.is(GrammarClass::Favorite)) {
            return (at + 2).min(words.len());
        }
        let owned = |end: &usize| {
            let word = &words[*end];
            word.kind == WordKind::Plain
                && word.tail.is_empty()
                && self.grammar.without(&word.text, GrammarClass::Possessed, 2).is_some()
        };
        let end = (at..words.len().saturating_sub(1).max(at)).take(3).find(owned);
        end.map_or(at, |end| end + 1)
    }

    /// Where a subject without an owner ends: before a value with a kind, else behind a compound noun or the first word.
    fn plain_end(&self, words: &[ClauseWord]) -> usize {
        let most = words.len().saturating_sub(1).max(1);
        let kind_at =
            words.iter().position(|word| word.kind != WordKind::Plain && !word.is(GrammarClass::Article));
        if let Some(at) = kind_at.filter(|at| (1..=4).contains(at))
            && words[..at].iter().all(|word| word.tail.is_empty())
        {
            return at;
        }
        let scope = kind_at == Some(0);
        let compound = (1..most).take(2).find(|at| {
            let (word, before) = (&words[*at], &words[at - 1]);
            word.tail.is_empty()
                && !word.capital
                && before.tail.is_empty()
                && self.grammar.without(&word.text, GrammarClass::Possessed, 3).is_some()
        });
        compound.map_or(1 + usize::from(scope), |at| at + 1).min(words.len())
    }
}
