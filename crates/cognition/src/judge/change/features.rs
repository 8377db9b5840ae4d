//! The features of a pair, counted.

use super::{
    cues::{CHANGE_CLASSES, CUE_NAMES, CueClass},
    feature::ChangeFeature,
    overlap::{WordOverlap, akin, comparable, named_again, other_value, overlap, recount, same_value},
    side::{ChangePair, ChangeSide, ChangeText, PairCosines, StatementTeller},
    words::{ChangeWords, TextValue, VALUE_KINDS, ValueKind},
};
use crate::plain::fold;

/// Classes that carry meaning; the others only tell kinds of words apart.
const MEANING_CLASSES: usize = 26;
/// Turns within which a statement of the same session is near.
const NEAR_TURNS: u32 = 2;
/// Words of a message that is hardly more than a value.
const FEW_WORDS: usize = 4;
/// Words beyond which a longer message does not count as longer.
const MAX_COUNTED_WORDS: usize = 20;

/// The features of a pair, in the order of the weights.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeFeatures {
    pub(super) features: Vec<ChangeFeature>,
    pub(super) values: Vec<f64>,
}

impl ChangeFeatures {
    fn push(&mut self, feature: ChangeFeature, value: f64) {
        self.features.push(feature);
        self.values.push(value);
    }

    fn flag(&mut self, feature: ChangeFeature, holds: bool) {
        self.push(feature, as_number(holds));
    }
}

/// The overlaps that several features and reasons look at.
pub(super) struct PairOverlaps {
    /// The known passage with the new clause.
    pub(super) clause: WordOverlap,
    /// The known passage with the whole new message.
    pub(super) message: WordOverlap,
    /// The known passage with the turn before the new message.
    pub(super) before: WordOverlap,
}

impl PairOverlaps {
    pub(super) fn of(known: &ChangeSide, new: &ChangeSide) -> Self {
        Self {
            clause: overlap(&known.message, &new.clause),
            message: overlap(&known.message, &new.message),
            before: overlap(&known.message, &new.before),
        }
    }
}

/// The features of a pair.
pub(super) fn change_features(pair: &ChangePair<'_>) -> ChangeFeatures {
    let mut features = ChangeFeatures::default();
    let overlaps = PairOverlaps::of(pair.known, pair.new);
    push_likeness(&mut features, pair, &overlaps);
    push_values(&mut features, pair, &overlaps);
    push_cues(&mut features, pair);
    push_together(&mut features, pair, &overlaps);
    push_manner(&mut features, pair);
    features
}

/// Passages whose vectors are less alike than this and that share no word have nothing to do with each other.
const MIN_COSINE: f64 = 0.2;
/// Without a word in common, statements below this cosine are about different things, whatever else they have in common.
const MIN_TOPIC_COSINE: f64 = 0.3;

/// Words count as all if so much of their weight is there.
const ALL_WORDS: f64 = 0.99;

/// Whether two statements are so far apart that nothing needs to be weighed: no word in common, no meaning in common, and
/// not said one after the other.
pub(super) fn far_apart(pair: &ChangePair<'_>) -> bool {
    !is_near(pair)
        && pair.cosines.best < MIN_COSINE
        && overlap(&pair.known.message, &pair.new.message).shared.is_empty()
}

/// Whether anything but a reading shows that two statements are about the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairTopic {
    /// They share a word or some meaning, or were said one after the other.
    MayBeShared,
    /// Nothing shows it.
    Unseen,
}

/// Whether two statements may be about the same thing, as far as words, vectors and turns tell.
pub fn pair_topic(pair: &ChangePair<'_>) -> PairTopic {
    let may_be_shared = is_near(pair)
        || pair.cosines.best >= MIN_TOPIC_COSINE
        || !overlap(&pair.known.message, &pair.new.message).shared.is_empty();
    if may_be_shared { PairTopic::MayBeShared } else { PairTopic::Unseen }
}

/// Whether two statements hold the same words, but for those that carry grammar, in the clause or in all that was said.
pub(super) fn says_the_same(pair: &ChangePair<'_>) -> bool {
    let same = |known: &ChangeWords, new: &ChangeWords| {
        let both = overlap(known, new);
        let values = |one: &ChangeWords, other: &ChangeWords| {
            one.values.iter().all(|value| other.values.iter().any(|it| same_value(it, value)))
        };
        let denied = |words: &ChangeWords| words.has(CueClass::Denied);
        !both.shared.is_empty()
            && both.of_first > ALL_WORDS
            && both.of_second > ALL_WORDS
            && values(known, new)
            && values(new, known)
            && denied(known) == denied(new)
    };
    same(&pair.known.clause, &pair.new.clause) || same(&pair.known.message, &pair.new.message)
}

fn is_near(pair: &ChangePair<'_>) -> bool {
    pair.turns_apart.is_some_and(|turns| turns <= NEAR_TURNS)
}

fn capped(count: usize, most: usize) -> f64 {
    count.min(most) as f64 / most as f64
}

fn as_number(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn push_likeness(features: &mut ChangeFeatures, pair: &ChangePair<'_>, overlaps: &PairOverlaps) {
    let PairOverlaps { clause, message, before } = overlaps;
    features.push(ChangeFeature::CosineMessage, pair.cosines.message);
    features.push(ChangeFeature::CosineBest, pair.cosines.best);
    features.push(ChangeFeature::WordsOfKnown, message.of_first);
    features.push(ChangeFeature::WordsOfNew, message.of_second);
    features.push(ChangeFeature::WordsShared, capped(message.shared.len(), 4));
    features.push(ChangeFeature::WordsRare, capped(message.rare, 4));
    features.push(ChangeFeature::WordsClauseRare, capped(clause.rare, 3));
    features.push(ChangeFeature::WordsMasked, message.masked);
    features.push(ChangeFeature::WordsBeforeOfKnown, before.of_first);
    features.flag(ChangeFeature::WordsNone, message.shared.is_empty());
    features.push(ChangeFeature::KnownLength, capped(pair.known.message.sequence.len(), MAX_COUNTED_WORDS));
    features.push(ChangeFeature::NewLength, capped(pair.new.message.sequence.len(), MAX_COUNTED_WORDS));
}

fn has_kind(words: &ChangeWords, kind: ValueKind) -> bool {
    words.values.iter().any(|value| value.kind == kind)
}

/// A new value that could take the place of a known one: of a comparable kind, and not known.
fn has_other_comparable(known: &ChangeWords, new: &ChangeWords) -> bool {
    new.values.iter().any(|value| {
        value.kind != ValueKind::Name
            && known.values.iter().any(|old| comparable(old.kind, value.kind))
            && !known.values.iter().any(|old| same_value(old, value))
    })
}

fn push_values(features: &mut ChangeFeatures, pair: &ChangePair<'_>, overlaps: &PairOverlaps) {
    let (known, new) = (&pair.known.message, &pair.new.message);
    for kind in VALUE_KINDS {
        let both = has_kind(known, kind) && has_kind(new, kind);
        features.flag(ChangeFeature::Other(kind), other_value(known, new, kind).is_some());
        features.flag(ChangeFeature::OnlyNew(kind), has_kind(new, kind) && !both);
    }
    let other = has_other_comparable(known, new);
    features.flag(ChangeFeature::ValueOther, other);
    features.flag(ChangeFeature::ValueOtherClause, has_other_comparable(known, &pair.new.clause));
    features.flag(ChangeFeature::ValueRecounted, recount(known, new).is_some());
    features.flag(ChangeFeature::ValueNamedAgain, named_again(known, new).is_some());
    let unknown = |value: &&TextValue| !known.values.iter().any(|old| same_value(old, value));
    features.push(ChangeFeature::ValueUnknown, capped(new.values.iter().filter(unknown).count(), 3));
    features.flag(ChangeFeature::ValueNoneNew, new.values.is_empty());
    features.flag(ChangeFeature::ValueNoneKnown, known.values.is_empty());
    features.push(ChangeFeature::ValueOtherAlike, as_number(other) * pair.cosines.best);
    features.push(ChangeFeature::ValueOtherRare, as_number(other) * capped(overlaps.message.rare, 4));
    features.flag(ChangeFeature::NamesAnother, names_another(pair));
    features.flag(ChangeFeature::OtherRelative, other_relative(known, new));
    features.flag(ChangeFeature::Leads, new.leads);
}

const UNREAL_CLASSES: [CueClass; 7] = [
    CueClass::Asking,
    CueClass::Supposing,
    CueClass::Once,
    CueClass::Briefly,
    CueClass::Reported,
    CueClass::Invented,
    CueClass::Planned,
];

const KNOWN_CLASSES: [CueClass; 9] = [
    CueClass::Asking,
    CueClass::Supposing,
    CueClass::Planned,
    CueClass::Once,
    CueClass::Briefly,
    CueClass::Reported,
    CueClass::Denied,
    CueClass::SpeakerSelf,
    CueClass::OtherPerson,
];

/// Words between a known word and a cue that turns on it: "took over from Deniz", "not 121".
const MAX_TURN_WORDS: usize = 2;

/// Whether a cue of change or denial stands beside a word or value of the known passage.
fn turns_on_known(known: &ChangeWords, new: &ChangeWords) -> bool {
    let is_known = |word: &str| {
        known.values.iter().any(|value| value.key == word || akin(&fold(&value.written), word))
            || known.content.iter().any(|other| akin(&other.fold, word))
    };
    new.turning_points.iter().any(|at| {
        let from = at.saturating_sub(MAX_TURN_WORDS);
        let to = (at + MAX_TURN_WORDS + 1).min(new.sequence.len());
        (from..to).any(|place| place != *at && is_known(&new.sequence[place]))
    })
}

/// The first name or code of a text.
fn first_name(words: &ChangeWords) -> Option<&TextValue> {
    words.values.iter().find(|value| matches!(value.kind, ValueKind::Name | ValueKind::Code))
}

/// Whether both tell of somebody or something with a name, and the new one of another.
fn names_another(pair: &ChangePair<'_>) -> bool {
    let (Some(old), Some(new)) = (first_name(&pair.known.message), first_name(&pair.new.clause)) else {
        return false;
    };
    !same_value(old, new) && named_again(&pair.known.message, &pair.new.message).is_none()
}

/// Whether both speak of people by what they are to somebody, and of different ones.
fn other_relative(known: &ChangeWords, new: &ChangeWords) -> bool {
    !known.relatives.is_empty()
        && !new.relatives.is_empty()
        && !new.relatives.iter().any(|word| known.relatives.iter().any(|old| akin(old, word)))
}

fn count(words: &ChangeWords, classes: &[CueClass]) -> usize {
    classes.iter().filter(|class| words.has(**class)).count()
}

/// Marks of what is not so now: asked, supposed, planned, past, said by others, made up.
fn says_unreal(words: &ChangeWords) -> bool {
    words.asks || count(words, &UNREAL_CLASSES) > 0
}

/// Whether a text says nothing that is so now, by its cues: it asks, supposes, plans, jokes, tells of the past or passes on
/// what others say.
pub fn is_unreal(text: &str) -> bool {
    says_unreal(&ChangeWords::of(text))
}

fn push_cues(features: &mut ChangeFeatures, pair: &ChangePair<'_>) {
    let (known, new) = (pair.known, pair.new);
    for (class, _) in &CUE_NAMES[..MEANING_CLASSES] {
        features.flag(ChangeFeature::Says(*class), new.message.has(*class));
        features.flag(ChangeFeature::ClauseSays(*class), new.clause.has(*class));
        if KNOWN_CLASSES.contains(class) {
            features.flag(ChangeFeature::KnownSays(*class), known.message.has(*class));
        }
    }
}

/// Features that mean something only in combination.
fn push_together(features: &mut ChangeFeatures, pair: &ChangePair<'_>, overlaps: &PairOverlaps) {
    let (known, new) = (pair.known, pair.new);
    let denied = |words: &ChangeWords| words.has(CueClass::Denied);
    features.flag(ChangeFeature::DenialDiffers, denied(&known.message) != denied(&new.message));
    let change = as_number(new.message.says_change());
    let real = as_number(!says_unreal(&new.clause));
    let topic = (2.0 * overlaps.message.of_first).min(1.0);
    features.flag(ChangeFeature::AnyChange, new.message.says_change());
    features.flag(ChangeFeature::AnyChangeClause, new.clause.says_change());
    features.flag(ChangeFeature::AnyStrongChange, count(&new.message, &CHANGE_CLASSES[1..4]) > 0);
    features.flag(ChangeFeature::AnyUnrealClause, says_unreal(&new.clause));
    features.push(ChangeFeature::ChangeAlike, change * pair.cosines.best);
    features.push(ChangeFeature::ChangeTopic, change * topic);
    features.push(ChangeFeature::ChangeReal, change * real);
    features.push(ChangeFeature::ChangeCount, capped(count(&new.message, &CHANGE_CLASSES), 4));
    features.push(ChangeFeature::UnrealCount, capped(count(&new.message, &UNREAL_CLASSES), 4));
    features.flag(ChangeFeature::TurnsOnKnown, turns_on_known(&known.message, &new.message));
    let offers = new.clause.asks || new.clause.has(CueClass::Supposing) || new.clause.has(CueClass::Offer);
    features.flag(ChangeFeature::AgentOffers, new.teller == StatementTeller::Agent && offers);
}

fn push_manner(features: &mut ChangeFeatures, pair: &ChangePair<'_>) {
    let (known, new) = (pair.known, pair.new);
    features.flag(ChangeFeature::Asks, new.message.asks);
    features.flag(ChangeFeature::ClauseAsks, new.clause.asks);
    features.flag(ChangeFeature::KnownAsks, known.message.asks);
    features.flag(ChangeFeature::Exclaims, new.message.exclaims);
    features.flag(ChangeFeature::Quotes, new.message.quotes);
    features.flag(ChangeFeature::FewWords, new.message.sequence.len() < FEW_WORDS);
    features.flag(ChangeFeature::NewByAgent, new.teller == StatementTeller::Agent);
    features.flag(ChangeFeature::KnownByUser, known.teller == StatementTeller::User);
    features.flag(ChangeFeature::NearSession, is_near(pair));
}

/// The names of the features, in the order of the weights.
pub fn feature_names() -> Vec<String> {
    let text = ChangeText { clause: "", message: "", before: "", teller: StatementTeller::User };
    let side = ChangeSide::of(&text);
    let cosines = PairCosines { message: 0.0, best: 0.0 };
    let pair = ChangePair { known: &side, new: &side, cosines, turns_apart: None };
    change_features(&pair).features.into_iter().map(ChangeFeature::name).collect()
}
