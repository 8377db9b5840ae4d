//! The weighted sum that ranks messages: what each lane's score is worth beside the best of its lane.

use super::inputs::RankingInputs;
use crate::read::{
    lane::{GOOD_BEST_LIKENESS, RecordScorer},
    question::{Explanation, Lane},
};
use cairn_cognition::{
    fusion::{share_of_best, similarity_above_unrelated},
    keywords::speaker_term,
    score::{Part, Score},
};
use cairn_domain::Role;
use cairn_store::KeywordIndex;

/// A best score by words below this share of what all words together could score is a poor best: the lane counts less.
const GOOD_BEST_WORD_SHARE: f64 = 0.1;

/// Factor of the weight of a time for telling of one that is to come: that is all that such a question asks for.
const FORETOLD_FACTOR: f64 = 2.0;

/// A weighted sum with everything worked out that is the same for all messages.
pub(crate) struct WeightedSum<'r, 'a> {
    ranking: &'r RankingInputs<'a>,
    /// Score per unit of a lane's own score.
    per_word_score: f64,
    per_likeness: f64,
    unrelated: f64,
    /// Score for being said by the one whose words are asked for, and by a speaker named in the question.
    own_words: f64,
    named_speaker: f64,
    named: Vec<bool>,
    /// Score of a session that is all about the question.
    session: f64,
    /// Score for having been said in a time that is asked about.
    time: f64,
    /// A cosine below this is no likeness at all.
    pub(crate) noise: f32,
    /// Score of a weight of 1.
    unit: f64,
}

impl<'r, 'a> WeightedSum<'r, 'a> {
    pub(crate) fn new(ranking: &'r RankingInputs<'a>) -> Self {
        let (profile, lexical) = (ranking.profile(), ranking.lexical);
        let named = messages_by_speakers(ranking.index, &ranking.subject.names);
        let asks_for_words = ranking.subject.asker || ranking.subject.agent;
        let remembered = profile.kept
            + profile.remembered
            + profile.standing
            + profile.utility
            + profile.graph
            + profile.together;
        let dense_weight = if ranking.dense.is_some() { profile.dense } else { 0.0 };
        let lent = 2.0 * (profile.neighbour + profile.second_neighbour);
        let own_words = if asks_for_words { profile.own_words } else { 0.0 };
        let named_speaker = if named.is_empty() { 0.0 } else { profile.named_speaker };
        // The most that any message could score, so that scores lie between 0 and 1 before a boost.
        let time = if ranking.windows.is_empty() { 0.0 } else { profile.time };
        let most = dense_weight + profile.lexical * (1.0 + lent) + own_words + named_speaker + time;
        let unit = 1.0 / (most + profile.session + remembered).max(f64::MIN_POSITIVE);
        let per_word_score = profile.lexical
            * unit
            * share_of_best(1.0, f64::from(lexical.best()), GOOD_BEST_WORD_SHARE * lexical.ceiling);
        let calibration = ranking.dense.map(|dense| *dense.calibration()).unwrap_or_default();
        let unrelated = f64::from(calibration.unrelated);
        let best = ranking
            .dense
            .map_or(0.0, |dense| similarity_above_unrelated(f64::from(dense.best_cosine()), unrelated));
        let per_likeness = dense_weight * unit * share_of_best(1.0, best, GOOD_BEST_LIKENESS);
        let noise = calibration.noise();
        let (own_words, named_speaker) = (own_words * unit, named_speaker * unit);
        let (session, time) = (profile.session * unit, time * unit);
        Self {
            ranking,
            per_word_score,
            per_likeness,
            unrelated,
            own_words,
            named_speaker,
            named,
            session,
            time,
            noise,
            unit,
        }
    }

    /// How what is no message is scored beside messages.
    pub(crate) fn record_scorer(&self) -> RecordScorer {
        let RankingInputs { index, lexical, .. } = self.ranking;
        RecordScorer {
            scale: self.ranking.profile().bm25.scale(index.average_length()),
            words: lexical.words.clone(),
            per_word_score: self.per_word_score,
            per_likeness: self.per_likeness,
            unrelated: self.unrelated,
            unit: self.unit,
            messages: index.messages(),
        }
    }

    /// The score of a message with this cosine, part by part.
    pub(crate) fn score_parts(&self, place: u32, cosine: Option<f32>) -> MessageScoreParts {
        let RankingInputs { index, lexical, subject, windows, foretelling, sessions, .. } = self.ranking;
        let likeness =
            cosine.map_or(0.0, |cosine| similarity_above_unrelated(f64::from(cosine), self.unrelated));
        let document = &index.documents()[place as usize];
        let foretells = foretelling.contains(&place);
        let asked = match document.role {
            Role::User => subject.asker,
            // What is to come for the asker stands in anybody's list.
            Role::Assistant => subject.agent || foretells && subject.asker,
            Role::System | Role::Tool => false,
        };
        let named = self.named.get(place as usize).is_some_and(|named| *named);
        let worth = |applies: bool, worth: f64| if applies { worth } else { 0.0 };
        MessageScoreParts {
            dense: likeness * self.per_likeness,
            own: f64::from(lexical.own[place as usize]) * self.per_word_score,
            neighbours: f64::from(lexical.neighbor_score(index, self.ranking.profile(), place))
                * self.per_word_score,
            session: if self.session > 0.0 {
                sessions.session_share(document.session) * self.session
            } else {
                0.0
            },
            subject: worth(asked, self.own_words) + worth(named, self.named_speaker),
            time: worth(windows.iter().any(|window| window.holds(document.said_at)), self.time)
                + worth(foretells, FORETOLD_FACTOR * self.time),
        }
    }

    pub(crate) fn explanation(&self, place: u32, cosine: Option<f32>) -> Explanation {
        let parts = self.score_parts(place, cosine);
        let mut score = Score::default();
        score.add(Part::Meaning, parts.dense);
        score.add(Part::Words, parts.own);
        score.add(Part::Neighbours, parts.neighbours);
        score.add(Part::Session, parts.session);
        score.add(Part::Subject, parts.subject);
        score.add(Part::Time, parts.time);
        let words = (parts.own + parts.neighbours) / self.per_word_score.max(f64::MIN_POSITIVE);
        Explanation {
            dense_lane: cosine.map(|cosine| Lane { rank: 0, score: f64::from(cosine) }),
            lexical_lane: parts.shares_words().then_some(Lane { rank: 0, score: words }),
            memory_lane: None,
            score,
            terms: Vec::new(),
        }
    }
}

/// The parts of a message's score.
#[derive(Clone, Copy)]
pub(crate) struct MessageScoreParts {
    dense: f64,
    own: f64,
    neighbours: f64,
    session: f64,
    subject: f64,
    time: f64,
}

impl MessageScoreParts {
    pub(crate) fn sum(self) -> f64 {
        self.dense + self.own + self.neighbours + self.session + self.subject + self.time
    }

    pub(crate) fn shares_words(self) -> bool {
        self.own + self.neighbours > 0.0
    }
}

/// Which messages were said by somebody with one of these names; empty if nobody has one.
fn messages_by_speakers(index: &KeywordIndex, names: &[String]) -> Vec<bool> {
    let mut theirs = Vec::new();
    for term in names.iter().map(|name| speaker_term(name)).filter(|term| index.document_frequency(term) > 0)
    {
        theirs.resize(index.documents().len(), false);
        index.for_each(&term, |place, _| theirs[place as usize] = true);
    }
    theirs
}
