//! Worth: whether a clause is worth keeping, and what kind of thing it says.
//!
//! Two models look at the same features. `worth` gives the probability that somebody would write the clause down; what is
//! below [`MIN_WORTH`] is left out. `kind` says what it is: a preference or an instruction only if it is sure enough,
//! because those are shown with every question.

mod features;

pub use features::{JudgedClause, SpeakerKind, TurnBefore};

use super::linear::{BadWeights, LinearModel, Reason};
use cairn_domain::Category;
use features::{is_word, plain_features, words};
use foldhash::fast::FixedState;
use std::{collections::HashMap, ops::RangeInclusive, sync::LazyLock};

/// Clauses below this probability are left out.
pub const MIN_WORTH: f64 = 0.43;

/// The probabilities, by its words, at which a clause is read by a model that can.
const DOUBTED: RangeInclusive<f64> = 0.2..=0.8;
/// How much the words and the reading count when they are weighed together, and what leans toward keeping.
const WORDS_SHARE: f64 = 0.5;
const READING_SHARE: f64 = 0.5;
const KEEPING_BIAS: f64 = 0.2;

/// A message of one plain sentence is kept from this probability of telling something on.
pub const MIN_TELLS: f64 = 0.3;

/// A clause is a standing wish if the probabilities of a preference and an instruction add up to this.
const MIN_WISH: f64 = 0.50;

/// A plan or a decision that no word of the clause gives away is one from this probability on.
const MIN_UNTOLD: f64 = 0.3;

/// Reasons that are told.
const MAX_REASONS: usize = 3;

/// The classes of the model `worth`.
pub(crate) const WORTH_CLASSES: [&str; 2] = ["leave", "keep"];

/// The kind of statement that a clause makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClauseKind {
    /// Something that a person likes, avoids or cannot have.
    Preference,
    /// How something is always to be done.
    Instruction,
    /// How something is.
    Fact,
    /// Who somebody is to somebody.
    Relation,
    /// Something that happened.
    Event,
    /// An intention.
    Plan,
    /// A decision that was made.
    Decision,
    /// A mistake and its correction.
    Correction,
    /// A judgment about something.
    Opinion,
    /// How something is done.
    Procedure,
    /// Something somebody wants to know.
    Question,
    /// Nothing to be remembered.
    Chatter,
}

impl ClauseKind {
    /// Every kind, in the order of the classes of the model.
    pub const ALL: [Self; 12] = [
        Self::Preference,
        Self::Instruction,
        Self::Fact,
        Self::Relation,
        Self::Event,
        Self::Plan,
        Self::Decision,
        Self::Correction,
        Self::Opinion,
        Self::Procedure,
        Self::Question,
        Self::Chatter,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Instruction => "instruction",
            Self::Fact => "fact",
            Self::Relation => "relation",
            Self::Event => "event",
            Self::Plan => "plan",
            Self::Decision => "decision",
            Self::Correction => "correction",
            Self::Opinion => "opinion",
            Self::Procedure => "procedure",
            Self::Question => "question",
            Self::Chatter => "chatter",
        }
    }

    /// The kind that this word names.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The category of a memory of this kind.
    pub fn category(self) -> Category {
        match self {
            Self::Preference | Self::Instruction => Category::Preference,
            Self::Fact => Category::Fact,
            Self::Relation => Category::Entity,
            Self::Plan => Category::Plan,
            Self::Decision => Category::Decision,
            Self::Correction => Category::Correction,
            Self::Procedure => Category::Procedure,
            Self::Event | Self::Opinion | Self::Question | Self::Chatter => Category::Other,
        }
    }

    /// Whether it says how somebody wants things to be.
    fn is_wish(self) -> bool {
        matches!(self, Self::Preference | Self::Instruction)
    }

    fn is_kept(self) -> bool {
        !matches!(self, Self::Question | Self::Chatter)
    }
}

/// The judge's verdict on a clause.
#[derive(Debug, Clone, PartialEq)]
pub struct WorthVerdict {
    /// The probability that somebody would write it down.
    pub worth: f64,
    /// Its kind.
    pub kind: ClauseKind,
    /// The probability that it is of a kind to be kept, however often such a thing is said in a talk.
    pub tells: f64,
}

impl WorthVerdict {
    /// Whether its words leave in doubt what a clause is worth, so that a model should read it.
    pub fn is_in_doubt(&self) -> bool {
        DOUBTED.contains(&self.worth)
    }

    /// Weighs the log-odds that a model gave after reading the clause with what its words told.
    /// logit w' = (logit w + odds) / 2 + 0.2
    pub fn weigh_reading(&mut self, odds: f64) {
        self.worth = sigmoid(logit(self.worth) * WORDS_SHARE + odds * READING_SHARE + KEEPING_BIAS);
    }
}

fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn logit(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln()
}

/// A model over plain features and words.
#[derive(Debug)]
struct WordModel {
    model: LinearModel,
    places: HashMap<String, usize, FixedState>,
}

impl WordModel {
    fn of(model: LinearModel) -> Self {
        let names = model.feature_names().enumerate().filter(|(_, name)| is_word(name));
        Self { places: names.map(|(place, name)| (name.to_owned(), place)).collect(), model }
    }

    fn row(&self, plain: &[(&'static str, f64)], words: &[String]) -> Vec<f64> {
        let mut row: Vec<f64> = plain.iter().map(|(_, value)| *value).collect();
        row.resize(plain.len() + self.places.len(), 0.0);
        for word in words {
            if let Some(place) = self.places.get(word) {
                row[*place] = 1.0;
            }
        }
        row
    }
}

/// The judge: both models.
#[derive(Debug)]
pub struct WorthJudge {
    worth: WordModel,
    kind: WordModel,
}

static SHIPPED: LazyLock<WorthJudge> = LazyLock::new(|| {
    let weights = |text| LinearModel::from_text(text).unwrap_or_else(|BadWeights(why)| panic!("{why}"));
    let (worth, kind) = (include_str!("../../judges/worth.tsv"), include_str!("../../judges/kind.tsv"));
    WorthJudge::of(weights(worth), weights(kind))
});

impl WorthJudge {
    /// The judge with the weights that come with Cairn.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// A judge with these weights.
    pub fn of(worth: LinearModel, kind: LinearModel) -> Self {
        Self { worth: WordModel::of(worth), kind: WordModel::of(kind) }
    }

    /// Judges whether a clause is worth keeping.
    pub fn judge(&self, clause: &JudgedClause) -> WorthVerdict {
        let (plain, words) = (plain_features(clause), words(clause));
        let worth = self.worth.model.probabilities(&self.worth.row(&plain, &words))[1];
        let kinds = self.kind.model.probabilities(&self.kind.row(&plain, &words));
        let told = ClauseKind::ALL.into_iter().zip(&kinds).filter(|(kind, _)| kind.is_kept());
        WorthVerdict { worth, kind: kind_of(&kinds, clause), tells: told.map(|(_, share)| *share).sum() }
    }

    /// The features that spoke loudest for leaving a clause out.
    pub fn reasons_to_leave(&self, clause: &JudgedClause) -> Vec<Reason> {
        let row = self.worth.row(&plain_features(clause), &words(clause));
        self.worth.model.strongest(&row, 0, MAX_REASONS)
    }
}

/// The kind of a clause that is kept: a wish if it is sure enough, else the likeliest of the others; a plan or a decision only if
/// its words say so, or it is sure enough.
fn kind_of(probabilities: &[f64], clause: &JudgedClause) -> ClauseKind {
    let kinds = || ClauseKind::ALL.into_iter().zip(probabilities.iter().copied());
    let wish: f64 = kinds().filter(|(kind, _)| kind.is_wish()).map(|(_, share)| share).sum();
    let wished = wish >= MIN_WISH;
    let is_told = |kind: ClauseKind| match kind {
        ClauseKind::Plan => clause.plans,
        ClauseKind::Decision => clause.is_classed(Category::Decision),
        _ => true,
    };
    let fits = kinds()
        .filter(|(kind, _)| kind.is_wish() == wished && kind.is_kept())
        .filter(|(kind, share)| is_told(*kind) || *share >= MIN_UNTOLD);
    fits.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(ClauseKind::Fact, |(kind, _)| kind)
}

/// The names of the features of a clause: the plain ones, and its words.
pub(crate) fn feature_rows(clause: &JudgedClause) -> (Vec<(&'static str, f64)>, Vec<String>) {
    (plain_features(clause), words(clause))
}

#[cfg(test)]
mod tests;
