//! How the judge is made: labeled conversations become labeled pairs of messages, and these a
//! model. Nothing here runs while Cairn is in use.

use super::{
    features::{change_features, far_apart, feature_names},
    relation::{CHANGE_RELATIONS, ChangeRelation},
    side::{ChangePair, ChangeSide, ChangeText, PairCosines, StatementTeller},
};
use crate::{
    cosine::cosine,
    judge::linear::{Example, LinearModel},
    sentence::sentences,
};
use std::collections::HashMap;

/// Weight of the squared weights against the mean log loss.
const PENALTY: f64 = 0.12;
/// Other conversations whose known statement is put beside a new one, as something unrelated.
const STRANGERS: usize = 2;
/// Earlier messages of somebody's talk that a message is put beside: those nearest to it, and those said just before.
const NEAREST: usize = 6;
const JUST_BEFORE: usize = 3;

/// A message of a labeled conversation.
#[derive(Debug, Clone)]
pub struct CaseMessage {
    /// The session that it belongs to.
    pub session: String,
    /// Who said it.
    pub teller: StatementTeller,
    /// The words.
    pub text: String,
}

/// A labeled conversation: how a new message stands to a known one.
#[derive(Debug, Clone)]
pub struct ChangeCase {
    /// The messages in their order.
    pub messages: Vec<CaseMessage>,
    /// The place of the message that holds the known statement.
    pub known: usize,
    /// The place of the message that is judged against it.
    pub new: usize,
    /// How the two stand to each other.
    pub relation: ChangeRelation,
}

/// The messages of one person in their order, without labels: hardly any two of their statements replace each other, which
/// is what the judge meets most. Messages that are known to correct something are left out by whoever gives them.
#[derive(Debug, Clone)]
pub struct PlainTalk {
    /// The messages.
    pub messages: Vec<CaseMessage>,
}

/// Vectors by text.
pub type TextVectors = HashMap<String, Vec<f32>>;

/// How much a pair is looked at when the judge is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairOrigin {
    /// The messages that the label is about.
    Labeled,
    /// Other messages of the conversation.
    Filler,
    /// Another conversation.
    Stranger,
    /// Somebody's talk without labels.
    Talk,
}

/// A pair of messages with its label.
#[derive(Debug, Clone)]
pub struct LabeledPair {
    /// The place of the case.
    pub case: usize,
    /// Where the pair comes from.
    pub origin: PairOrigin,
    /// The label.
    pub relation: ChangeRelation,
    /// Whether the two are so far apart that they are never weighed.
    pub far_apart: bool,
    /// Its features.
    pub features: Vec<f64>,
}

/// A message of a case, prepared.
struct CaseSides {
    /// All of it, as something known.
    whole: ChangeSide,
    /// Each of its sentences in its light, as something new.
    sentences: Vec<(String, ChangeSide)>,
}

/// The texts whose vectors [`train_change_judge`] looks up: every message and every sentence of it.
pub fn change_texts(cases: &[ChangeCase], talks: &[PlainTalk]) -> Vec<String> {
    let of_cases = cases.iter().flat_map(|case| &case.messages);
    let mut texts: Vec<String> = of_cases
        .chain(talks.iter().flat_map(|talk| &talk.messages))
        .flat_map(|message| {
            let sentences = sentences(&message.text).into_iter().map(str::to_owned);
            sentences.chain(std::iter::once(message.text.clone())).collect::<Vec<_>>()
        })
        .collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// The labeled pairs of all cases.
pub fn labeled_pairs(cases: &[ChangeCase], vectors: &TextVectors) -> Vec<LabeledPair> {
    let sides: Vec<Vec<CaseSides>> = cases.iter().map(|case| message_sides(&case.messages)).collect();
    let mut pairs = Vec::new();
    for (place, case) in cases.iter().enumerate() {
        let maker = PairMaker { vectors, place };
        push_case(&mut pairs, &maker, case, &sides[place]);
        for step in 1..=STRANGERS.min(cases.len().saturating_sub(1)) {
            let stranger = (place + step * 7) % cases.len();
            if stranger != place {
                let known = (&cases[stranger].messages, &sides[stranger], cases[stranger].known);
                let new = (&case.messages, &sides[place], case.new);
                pairs.push(maker.pair(known, new, PairOrigin::Stranger, ChangeRelation::Unrelated));
            }
        }
    }
    pairs
}

/// The pairs of somebody's talk: each message with the earlier ones that are nearest to it.
pub fn talk_pairs(talks: &[PlainTalk], vectors: &TextVectors) -> Vec<LabeledPair> {
    let maker = PairMaker { vectors, place: 0 };
    let mut pairs = Vec::new();
    for PlainTalk { messages } in talks {
        let sides = message_sides(messages);
        for new in 0..messages.len() {
            let alike = |known: usize| maker.cosine(&messages[known].text, &messages[new].text);
            let mut nearest: Vec<(f64, usize)> = (0..new).map(|known| (alike(known), known)).collect();
            nearest.sort_by(|a, b| b.0.total_cmp(&a.0));
            nearest.truncate(NEAREST);
            let just_before = (new.saturating_sub(JUST_BEFORE)..new)
                .filter(|known| messages[*known].session == messages[new].session);
            nearest.extend(just_before.map(|known| (0.0, known)));
            nearest.sort_by_key(|(_, known)| *known);
            nearest.dedup_by_key(|(_, known)| *known);
            for (_, known) in nearest {
                let (known, new) = ((messages, &sides, known), (messages, &sides, new));
                pairs.push(maker.pair(known, new, PairOrigin::Talk, ChangeRelation::Unrelated));
            }
        }
    }
    pairs
}

fn message_sides(messages: &[CaseMessage]) -> Vec<CaseSides> {
    let side = |place: usize, clause: &str| {
        let message = &messages[place];
        let before = place.checked_sub(1).map(|at| &messages[at]).filter(|it| it.session == message.session);
        ChangeSide::of(&ChangeText {
            clause,
            message: &message.text,
            before: before.map_or("", |before| before.text.as_str()),
            teller: message.teller,
        })
    };
    let sides = |place: usize| {
        let of_sentence = |sentence: &str| (sentence.to_owned(), side(place, sentence));
        CaseSides {
            whole: side(place, &messages[place].text),
            sentences: sentences(&messages[place].text).into_iter().map(of_sentence).collect(),
        }
    };
    (0..messages.len()).map(sides).collect()
}

/// A message among the messages of its conversation.
type MessageOf<'a> = (&'a Vec<CaseMessage>, &'a Vec<CaseSides>, usize);

/// Makes the pairs of a case.
struct PairMaker<'a> {
    vectors: &'a TextVectors,
    place: usize,
}

impl PairMaker<'_> {
    fn cosine(&self, known: &str, new: &str) -> f64 {
        let vectors = self.vectors.get(known).zip(self.vectors.get(new));
        vectors.map_or(0.0, |(a, b)| f64::from(cosine(a, b)))
    }

    /// A known message and the sentence of a new one that is nearest to it.
    fn pair(
        &self,
        (known_messages, known_sides, known): MessageOf<'_>,
        (new_messages, new_sides, new): MessageOf<'_>,
        origin: PairOrigin,
        relation: ChangeRelation,
    ) -> LabeledPair {
        let (first, second) = (&known_messages[known], &new_messages[new]);
        let known_texts: Vec<&str> = std::iter::once(first.text.as_str())
            .chain(known_sides[known].sentences.iter().map(|(text, _)| text.as_str()))
            .collect();
        let best_of = |new: &str| {
            known_texts.iter().map(|text| self.cosine(text, new)).fold(f64::NEG_INFINITY, f64::max)
        };
        let of_sentences = new_sides[new].sentences.iter().map(|(text, side)| (best_of(text), side));
        let nearest = of_sentences.max_by(|a, b| a.0.total_cmp(&b.0));
        let (of_clause, side) = nearest.unwrap_or((0.0, &new_sides[new].whole));
        let message = best_of(&second.text);
        let together = origin != PairOrigin::Stranger && first.session == second.session;
        let pair = ChangePair {
            known: &known_sides[known].whole,
            new: side,
            cosines: PairCosines { message, best: message.max(of_clause) },
            turns_apart: together.then(|| new.abs_diff(known) as u32),
        };
        LabeledPair {
            case: self.place,
            origin,
            relation,
            far_apart: far_apart(&pair),
            features: change_features(&pair).values,
        }
    }
}

fn push_case(pairs: &mut Vec<LabeledPair>, maker: &PairMaker<'_>, case: &ChangeCase, sides: &Vec<CaseSides>) {
    for first in 0..case.messages.len() {
        for second in first + 1..case.messages.len() {
            if is_told_apart(case, first, second) {
                let (origin, relation) = if (first, second) == (case.known, case.new) {
                    (PairOrigin::Labeled, labeled_relation(case.relation))
                } else {
                    (PairOrigin::Filler, ChangeRelation::Unrelated)
                };
                let (known, new) = ((&case.messages, sides, first), (&case.messages, sides, second));
                pairs.push(maker.pair(known, new, origin, relation));
            }
        }
    }
}

/// The relation that a case teaches: even a near-miss that has nothing to do with what is known was written to look as if it
/// had, and is no example of plain talk about something else.
fn labeled_relation(relation: ChangeRelation) -> ChangeRelation {
    if relation == ChangeRelation::Unrelated { ChangeRelation::Beside } else { relation }
}

/// Whether the labels say how two messages stand to each other: an echo of the known statement may be replaced too, and an
/// echo of the new one may replace it, and nobody labeled those; nor what stands before the known one.
fn is_told_apart(case: &ChangeCase, first: usize, second: usize) -> bool {
    let labeled = (first, second) == (case.known, case.new);
    let echo =
        first != case.known && second == case.new && case.messages[first].teller == StatementTeller::Agent;
    let after = first == case.known && second > case.new;
    labeled || !(first < case.known || echo || after)
}

/// How much a pair counts: most of what is unrelated is easily told, so it counts little.
fn pair_weight(pair: &LabeledPair) -> f64 {
    match pair.origin {
        _ if pair.far_apart => 0.0,
        PairOrigin::Labeled => 1.0,
        PairOrigin::Filler | PairOrigin::Stranger => 0.05,
        PairOrigin::Talk => 0.15,
    }
}

/// The judge of labeled cases. `vectors` holds those of [`change_texts`].
pub fn train_change_judge(cases: &[ChangeCase], talks: &[PlainTalk], vectors: &TextVectors) -> LinearModel {
    let mut pairs = labeled_pairs(cases, vectors);
    pairs.extend(talk_pairs(talks, vectors));
    let example = |pair: &LabeledPair| Example {
        features: pair.features.clone(),
        class: pair.relation as usize,
        weight: pair_weight(pair),
    };
    let examples: Vec<Example> = pairs.iter().map(example).filter(|example| example.weight > 0.0).collect();
    LinearModel::fit(&CHANGE_RELATIONS.map(ChangeRelation::name), &feature_names(), &examples, PENALTY)
}
