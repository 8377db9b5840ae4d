//! Change: how a statement stands to what is known around it. The rules find what cannot hold beside it; the judge, which
//! learned from labeled cases, finds what no rule knows. It needs vectors: without them the rules decide alone. Of the pairs
//! that count, the model that made the vectors reads both texts at once, if it can, and says how sure it is of a change.

use crate::{
    meter::fallback,
    write::{
        decide::{
            candidate::GateCandidate,
            neighborhood::{Neighbor, Neighborhood},
        },
        prepare::message::{KeptStatement, PreparedMessage, Proposition},
        reasons::Contradicted,
    },
};
use cairn_cognition::{
    belief::is_relative,
    contradiction::{Saying, contradiction},
    cosine::cosine,
    judge::change::{
        ChangePair, ChangeRelation, ChangeSide, ChangeText, ChangeVerdict, DOUBT_FROM, PairCosines,
        PairTopic, REPLACE_FROM, SelfCorrection, StatementTeller, judge_change, pair_topic, self_correction,
    },
};
use cairn_domain::{DataSource, Day, Evidence, Form, MessageId, Stance};
use cairn_models::{Embedder, TextPair};
use cairn_store::{MessageRecord, Result, View};
use std::collections::HashMap;

/// Memories that one statement replaces at most.
const MAX_REPLACED: usize = 4;
/// Memories that one statement marks at most.
const MAX_MARKED: usize = 3;

/// Of what is most like a statement, so many may be replaced because of the judge alone: a real life holds far more that
/// is a little like it than what it changes.
const MAX_LIKE_PLACES: usize = 2;
/// A neighbor is about as similar to a statement as another one if its similarity is at least this share of the
/// other's.
const CROWD_SHARE: f64 = 0.88;
/// From this many memories on, chance similarity rises noticeably.
const MANY_MEMORIES: f64 = 100.0;
/// Pairs that are read for one statement at most: reading one takes as long as embedding a paragraph.
const MAX_READ_PAIRS: usize = 3;
/// The log-odds that no reading exceeds: training keeps labels off certainty, and the highest of 740 was 4.6.
const MAX_READING_ODDS: f64 = 5.0;
/// Turns of a session within which a statement may change what was said without naming it.
const MAX_TURNS_APART: u32 = 3;

/// How a statement stands to a neighbor.
pub(crate) struct JudgedNeighbor {
    verdict: ChangeVerdict,
    topic: PairTopic,
    /// Both were said within a few turns of one session.
    is_close_by: bool,
    /// The agent says it in answer to the user's words.
    is_answer: bool,
    /// No other statement of the new message is nearer to the neighbor.
    is_nearest: bool,
    /// The value that its speaker puts right, with the turns since it was told.
    correction: Option<(u32, SelfCorrection)>,
}

impl JudgedNeighbor {
    /// Whether the judge alone may replace or mark the neighbor at this place. Whoever answers does not say that what was just
    /// said has changed, unless a rule finds that it has.
    fn may_be_like(&self, place: usize) -> bool {
        self.is_nearest && !self.is_answer && (place < MAX_LIKE_PLACES || self.is_close_by)
    }

    /// Whether the pair at this place is worth a reading: of what nothing shows to be about the same thing, the nearest is.
    fn may_be_read(&self, place: usize) -> bool {
        self.may_be_like(place) && (self.topic == PairTopic::MayBeShared || place == 0)
    }

    /// The probability that the statement takes the neighbor's place.
    fn replaces(&self) -> f64 {
        self.verdict.probability(ChangeRelation::Replaces)
    }
}

/// A memory that a statement speaks against without replacing it.
pub(crate) struct ChangeMark {
    /// Its place among the neighbors.
    pub(crate) place: usize,
    /// How sure it is that something changed.
    pub(crate) confidence: f64,
    /// For people.
    pub(crate) reason: String,
}

/// A change that a rule finds.
struct RuledChange {
    why: String,
    old: String,
    new: String,
}

impl RuledChange {
    fn of_correction(correction: &SelfCorrection) -> Self {
        let SelfCorrection { old, new } = correction.clone();
        Self { why: format!("“{old}” is put right just after it was said: “{new}”"), old, new }
    }
}

/// The changes that a statement makes to the memories around it.
#[derive(Default)]
pub(crate) struct FoundChanges {
    /// The memories it replaces, by place among the neighbors, newest first.
    pub(crate) replaced: Vec<(usize, Contradicted)>,
    /// The memories it may have changed, the most certain first.
    pub(crate) marks: Vec<ChangeMark>,
}

/// A new statement, prepared for the judge.
pub(crate) struct NewStatement<'a> {
    side: ChangeSide,
    teller: StatementTeller,
    record: &'a MessageRecord,
    before: &'a str,
    vectors: Option<NewVectors<'a>>,
    reader: Option<&'a dyn Embedder>,
}

/// The vectors of a new statement.
struct NewVectors<'a> {
    statement: &'a [f32],
    message: &'a [f32],
    /// Those of the other statements of its message.
    others: Vec<&'a [f32]>,
}

impl<'a> NewStatement<'a> {
    pub(crate) fn of(
        record: &'a MessageRecord,
        before: &'a str,
        prepared: &'a PreparedMessage,
        proposition: &'a Proposition,
        reader: Option<&'a dyn Embedder>,
    ) -> Self {
        let teller = teller_of(prepared.origin.data_source);
        let text = ChangeText { clause: &proposition.said, message: &record.message.text, before, teller };
        let others = prepared
            .propositions
            .iter()
            .flatten()
            .filter(|other| other.kept == KeptStatement::ForItself && other.said != proposition.said);
        let vectors = proposition.vector.as_deref().zip(prepared.vector.as_deref());
        let vectors = vectors.map(|(statement, message)| NewVectors {
            statement,
            message,
            others: others.filter_map(|other| other.vector.as_deref()).collect(),
        });
        Self { side: ChangeSide::of(&text), teller, record, before, vectors, reader }
    }

    /// How it stands to each neighbor, in their order; nothing of what was derived from others.
    pub(crate) fn judge_neighbors(
        &self,
        view: &mut View<'_>,
        around: &Neighborhood,
    ) -> Result<Vec<Option<JudgedNeighbor>>> {
        let Some(vectors) = &self.vectors else { return Ok(around.near.iter().map(|_| None).collect()) };
        let judged: Vec<&Neighbor> = around.near.iter().filter(|near| is_of_words(near)).collect();
        let numbers: Vec<u32> = judged.iter().map(|near| near.record.number).collect();
        let mut evidence: HashMap<u32, Evidence> = HashMap::new();
        for (number, one) in view.evidence_of_each(&numbers)? {
            if one.stance == Stance::Support {
                evidence.insert(number, one);
            }
        }
        let ids: Vec<MessageId> = evidence.values().filter_map(|one| one.source.parse().ok()).collect();
        let messages: HashMap<String, MessageRecord> = view
            .messages_named(&ids)?
            .into_iter()
            .map(|record| (record.message.id.to_string(), record))
            .collect();
        let judge = |near: &Neighbor| {
            let evidence = evidence.get(&near.record.number)?;
            let message = messages.get(&evidence.source);
            Some(self.judge_pair(vectors, near, near.vector.as_deref()?, evidence, message))
        };
        let mut judged: Vec<Option<JudgedNeighbor>> =
            around.near.iter().map(|near| if is_of_words(near) { judge(near) } else { None }).collect();
        let counting =
            judged.iter_mut().enumerate().filter_map(|(place, judged)| Some((place, judged.as_mut()?)));
        for (place, judged) in
            counting.filter(|(place, judged)| judged.may_be_read(*place)).take(MAX_READ_PAIRS)
        {
            if let Some(evidence) = evidence.get(&around.near[place].record.number)
                && can_be_doubted(judged, place, around)
            {
                self.read_pair(&evidence.excerpt, judged);
            }
        }
        Ok(judged)
    }

    /// Lets the model read both texts; a model that cannot, or fails, leaves the judgment as it is.
    fn read_pair(&self, known: &str, judged: &mut JudgedNeighbor) {
        if self.side.tells_nothing_of_now() {
            return;
        }
        let pair = TextPair { known, before: self.before, new: &self.record.message.text };
        match self.reader.and_then(|reader| reader.change_odds(&pair)) {
            Some(Ok(odds)) => judged.verdict.read_as(f64::from(odds), judged.topic),
            Some(Err(_)) => fallback("pair_reading"),
            None => {}
        }
    }

    fn judge_pair(
        &self,
        vectors: &NewVectors<'_>,
        near: &Neighbor,
        known_vector: &[f32],
        evidence: &Evidence,
        message: Option<&MessageRecord>,
    ) -> JudgedNeighbor {
        let text = ChangeText {
            clause: &evidence.excerpt,
            message: message.map_or(evidence.excerpt.as_str(), |record| &record.message.text),
            before: "",
            teller: teller_of(near.record.memory.data_source),
        };
        let same_session = message.filter(|known| known.message.session == self.record.message.session);
        let turns_apart = same_session.map(|known| self.record.seq.abs_diff(known.seq));
        let alike = |vector: &[f32]| f64::from(cosine(known_vector, vector));
        let (of_statement, of_message) = (alike(vectors.statement), alike(vectors.message));
        let pair = ChangePair {
            known: &ChangeSide::of(&text),
            new: &self.side,
            cosines: PairCosines { message: of_message, best: of_message.max(of_statement) },
            turns_apart,
        };
        JudgedNeighbor {
            verdict: judge_change(&pair),
            topic: pair_topic(&pair),
            is_close_by: turns_apart.is_some_and(|turns| turns <= MAX_TURNS_APART),
            is_answer: turns_apart == Some(1)
                && self.teller == StatementTeller::Agent
                && text.teller == StatementTeller::User,
            is_nearest: vectors.others.iter().all(|other| alike(other) <= of_statement),
            correction: turns_apart.zip(self_correction(&pair)),
        }
    }
}

/// Whether a memory is what somebody said, and not what was made of several.
fn is_of_words(near: &Neighbor) -> bool {
    matches!(near.record.memory.form, Form::Fact | Form::Episode | Form::Plan | Form::Procedure)
}

fn teller_of(source: DataSource) -> StatementTeller {
    match source {
        DataSource::UserMessage => StatementTeller::User,
        DataSource::AssistantMessage | DataSource::Task | DataSource::System => StatementTeller::Agent,
        DataSource::File | DataSource::Feed | DataSource::Federation | DataSource::Shown => {
            StatementTeller::Other
        }
    }
}

/// The memories that a statement replaces or marks, given the judgment on each neighbor.
pub(crate) fn found_changes(
    candidate: &GateCandidate<'_>,
    around: &Neighborhood,
    judged: &[Option<JudgedNeighbor>],
) -> FoundChanges {
    let mut changes = FoundChanges::default();
    if candidate.unbelieved {
        return changes;
    }
    let saying = Saying { text: candidate.text, statements: candidate.statements };
    let replaces = |place: usize| {
        let judged = judged[place].as_ref().map_or(0.0, JudgedNeighbor::replaces);
        just_this(judged, crowd_around(around, place), around.known_memories)
    };
    // People change one thing at a time: of what no rule knows, the likeliest is replaced and the rest stands. What is not
    // like enough to be read is not even marked.
    let is_like = |place: &usize| judged[*place].as_ref().is_some_and(|judged| judged.may_be_like(*place));
    let likeliest = (0..judged.len()).filter(is_like).max_by(|a, b| replaces(*a).total_cmp(&replaces(*b)));
    let corrected = corrected_place(judged);
    for (place, (near, judged)) in around.near.iter().zip(judged).enumerate() {
        let memory = &near.record.memory;
        let known = Saying { text: &memory.text, statements: near.statements() };
        let clash = if near.compared { contradiction(&known, &saying) } else { None };
        let clash = clash.map(|clash| RuledChange { why: clash.why, old: clash.old, new: clash.new });
        let clash = clash.or_else(|| {
            let (_, correction) =
                judged.as_ref().filter(|_| corrected == Some(place))?.correction.as_ref()?;
            Some(RuledChange::of_correction(correction))
        });
        let probability = replaces(place);
        let is_doubtful =
            is_like(&place) && probability >= DOUBT_FROM && !is_of_another(candidate, &memory.text);
        if clash.is_none() && !is_doubtful {
            continue;
        }
        let why = match (&clash, judged) {
            (Some(clash), _) => clash.why.clone(),
            (None, Some(judged)) => judged.verdict.reasons.join("; "),
            (None, None) => continue,
        };
        let is_sure = clash.is_some() || (probability >= REPLACE_FROM && likeliest == Some(place));
        let is_newer = memory.counts_since() > candidate.said_at;
        let may_replace = candidate.may_replace(memory) && (!is_newer || candidate.yields_to(memory));
        if is_sure && may_replace {
            let (old, new) = match clash {
                Some(clash) => (clash.old, clash.new),
                None => (memory.text.clone(), candidate.text.to_owned()),
            };
            changes.replaced.push((place, Contradicted { memory: memory.id, why, old, new }));
        } else {
            let reason = mark_reason(candidate, near, &why);
            changes.marks.push(ChangeMark { place, confidence: probability.max(DOUBT_FROM), reason });
        }
    }
    let newest = |place: &usize| around.near[*place].record.memory.counts_since();
    changes.replaced.sort_by_key(|(place, _)| std::cmp::Reverse(newest(place)));
    changes.replaced.truncate(MAX_REPLACED);
    changes.marks.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
    changes.marks.truncate(MAX_MARKED);
    changes
}

/// Of the statements whose value is put right, the place of the one told last.
fn corrected_place(judged: &[Option<JudgedNeighbor>]) -> Option<usize> {
    let turns =
        |judged: &Option<JudgedNeighbor>| judged.as_ref()?.correction.as_ref().map(|(turns, _)| *turns);
    let corrected = judged.iter().enumerate().filter_map(|(place, judged)| Some((turns(judged)?, place)));
    corrected.min().map(|(_, place)| place)
}

/// Whether a statement is about something of a person whom the known text does not name: "my sister's chess club" is not the
/// chess club that is known.
fn is_of_another(candidate: &GateCandidate<'_>, known: &str) -> bool {
    let known = known.to_lowercase();
    let words: Vec<&str> = known.split(|c: char| !c.is_alphanumeric()).collect();
    let is_named = |owner: &str| owner.split(' ').any(|word| words.contains(&word));
    let names = lowercased_names(candidate.text);
    let is_person = |owner: &str| {
        is_relative(owner) || owner.split(' ').any(|word| names.iter().any(|name| name == word))
    };
    let is_unknown = |subject: &str| {
        let path: Vec<&str> = subject.split('/').collect();
        let Some(owners) = path.get(1..path.len() - 1) else { return false };
        owners.iter().any(|owner| is_person(owner)) && !owners.iter().any(|owner| is_named(owner))
    };
    !candidate.statements.is_empty() && candidate.statements.iter().all(|it| is_unknown(&it.subject))
}

/// Words of a text that may be names, since they begin with a capital, in lower case.
fn lowercased_names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.starts_with(char::is_uppercase)).map(str::to_lowercase).collect()
}

/// Neighbors that are about as like a statement as the one at `place`.
fn crowd_around(around: &Neighborhood, place: usize) -> usize {
    let near = &around.near[place];
    let as_like = |other: &&Neighbor| other.similarity >= CROWD_SHARE * near.similarity;
    around.near.iter().filter(as_like).count().saturating_sub(1)
}

/// Whether a reading could make the change of a neighbor likely enough to matter; without that none is worth its time.
fn can_be_doubted(judged: &JudgedNeighbor, place: usize, around: &Neighborhood) -> bool {
    let read = judged.verdict.replaces_if_read(MAX_READING_ODDS, judged.topic);
    let probability = read.max(judged.replaces());
    just_this(probability, crowd_around(around, place), around.known_memories) >= DOUBT_FROM
}

/// The probability that a statement changes just this neighbor: where others are about as like it, what somebody speaks of
/// again and again is not changed by each mention; and the more is known, the more is like a statement by chance.
///
/// changed = odds / (1 + odds), odds = p / (1 − p) / (1 + others) / √(1 + known / 100)
fn just_this(probability: f64, others: usize, known_memories: u32) -> f64 {
    let chance = (1 + others) as f64 * (1.0 + f64::from(known_memories) / MANY_MEMORIES).sqrt();
    let odds = probability / (1.0 - probability).max(f64::EPSILON) / chance;
    odds / (1.0 + odds)
}

/// Why a memory is marked, for whoever reads it.
pub(crate) fn mark_reason(candidate: &GateCandidate<'_>, near: &Neighbor, why: &str) -> String {
    let day: Day = candidate.said_at.day();
    match (candidate.data_source, near.record.memory.data_source) {
        (DataSource::AssistantMessage, DataSource::UserMessage) => {
            format!("the agent reports on {day}: {}", candidate.text)
        }
        (DataSource::UserMessage, known) if known != DataSource::UserMessage => {
            format!("the user said on {day}: {}", candidate.text)
        }
        (new, known) if new != known && known == DataSource::UserMessage => {
            format!("somebody else says on {day}: {}", candidate.text)
        }
        _ => format!("may have changed on {day}: {why}"),
    }
}
