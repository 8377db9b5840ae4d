//! Relations: how two memories belong together, and which are let go first. A model may tell better; these are the rules
//! that hold without one.

use crate::{keywords::query_terms, lexicon::CausesClass, pattern::Patterns, unit_interval::clamp_to_unit};
use cairn_domain::{Category, RelationKind};
use std::{
    cmp::Ordering,
    collections::{HashSet, VecDeque},
    sync::LazyLock,
};

/// Relations at which the profile `seed` starts to prune.
pub const PRUNE_AT_RELATIONS: usize = 1_000;
/// Relations left after pruning.
pub const PRUNE_TO_RELATIONS: usize = 900;
/// Maximum memories that a walk visits.
pub const MAX_WALKED_MEMORIES: usize = 1_000;

/// Entities in common that make two memories about the same.
const SAME_ENTITY_COUNT: usize = 2;
/// Word overlap above which two memories with a common entity elaborate each other.
const ELABORATING_OVERLAP: f64 = 0.30;
/// Word overlap above which two memories of one category are related.
const RELATED_OVERLAP: f64 = 0.15;
/// A sentence tells a memory if it holds more than this share of its words, and the part that tells it so many of them: to
/// name the same things is not enough, because a cause is never let go again.
const MIN_TOLD_SHARE: f64 = 2.0 / 3.0;
const MIN_TOLD_WORDS: usize = 2;
/// Words that begin with the same so many letters, where one ends, are forms of one word.
const MIN_WORD_LETTERS: usize = 4;
/// Confidence of a cause that words name.
const CAUSE_CONFIDENCE: f64 = 0.5;
/// Only this much of a text is searched for a cause.
const MAX_READ_BYTES: usize = 4_096;

/// Words between a cause and its effect; the class says where the cause stands.
static CAUSES: LazyLock<Patterns<CausesClass>> = LazyLock::new(Patterns::read);

/// How early relations of a kind are let go: 0 first, `None` never.
pub fn prunable_priority(kind: RelationKind) -> Option<u8> {
    match kind {
        RelationKind::Supersedes | RelationKind::Contradicts | RelationKind::Causes => None,
        RelationKind::Elaborates => Some(2),
        RelationKind::SameEntity => Some(1),
        RelationKind::RelatedTo => Some(0),
    }
}

/// The parts of a memory that are compared with another.
#[derive(Debug, Clone, Copy)]
pub struct ComparedMemory<'a> {
    /// Its content words, stemmed and sorted, each once (see [`query_terms`]).
    pub words: &'a [String],
    /// The slugs of its entities, sorted, each once.
    pub entities: &'a [String],
    /// Its category.
    pub category: Category,
}

/// How many entries two sorted lists have in common.
pub(crate) fn shared_count(a: &[String], b: &[String]) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().filter(|entry| long.binary_search(entry).is_ok()).count()
}

/// The share of the words of the shorter text that the other has too: a short statement about a long one counts in full.
///
/// word overlap = |A ∩ B| / min(|A|, |B|)
pub fn word_overlap(a: &[String], b: &[String]) -> f64 {
    let shorter = a.len().min(b.len());
    if shorter == 0 { 0.0 } else { shared_count(a, b) as f64 / shorter as f64 }
}

/// The relation of a new memory to a known one, how sure it is and why; the strongest rule that holds.
pub fn strongest_relation(
    new: &ComparedMemory,
    known: &ComparedMemory,
) -> Option<(RelationKind, f64, String)> {
    let entities = shared_count(new.entities, known.entities);
    let words = word_overlap(new.words, known.words);
    let percent = (words * 100.0).round();
    if entities >= SAME_ENTITY_COUNT {
        return Some((RelationKind::SameEntity, 0.7, format!("both name {entities} entities")));
    }
    if entities >= 1 && words > ELABORATING_OVERLAP {
        let why = format!("both name an entity and share {percent} % of their words");
        return Some((RelationKind::Elaborates, 0.5, why));
    }
    if new.category == known.category && words > RELATED_OVERLAP {
        let why = format!("both are of category {} and share {percent} % of their words", new.category);
        return Some((RelationKind::RelatedTo, 0.4, why));
    }
    None
}

/// Which of two memories brings about the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseSide {
    /// The new memory brings about the known one.
    New,
    /// The known memory brings about the new one.
    Known,
}

/// Whether the text of a new memory names a cause or an effect that is the known memory: which of them is the cause, how
/// sure that is and why. Both have to name an entity in common, the sentence has to tell the known memory in most of its
/// words, and the part of it that names the cause, or the effect, in more of them than the other.
pub fn causal_relation(
    text: &str,
    new: &ComparedMemory,
    known: &ComparedMemory,
) -> Option<(CauseSide, f64, String)> {
    if shared_count(new.entities, known.entities) == 0 {
        return None;
    }
    let text = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
    let sentences = text.split(['!', '?', '\n', ';']).flat_map(|part| part.split(". "));
    sentences.into_iter().find_map(|sentence| {
        let (cause, effect, named_by) = cause_and_effect(sentence)?;
        let (cause, effect) = (query_terms(cause), query_terms(effect));
        let (by_cause, by_effect) = (told_words(known, &[&cause]), told_words(known, &[&effect]));
        let enough = MIN_TOLD_SHARE * known.words.len() as f64;
        if told_words(known, &[&cause, &effect]) as f64 <= enough || by_cause.max(by_effect) < MIN_TOLD_WORDS
        {
            return None;
        }
        let (which, role) = match by_cause.cmp(&by_effect) {
            Ordering::Greater => (CauseSide::Known, "cause"),
            Ordering::Less => (CauseSide::New, "effect"),
            Ordering::Equal => return None,
        };
        Some((which, CAUSE_CONFIDENCE, format!("named as the {role} by \"{named_by}\"")))
    })
}

/// The part of a sentence that tells a cause, the part that tells its effect, and the words between them.
fn cause_and_effect(sentence: &str) -> Option<(&str, &str, &str)> {
    let found =
        CAUSES.find(sentence).min_by_key(|found| (found.range.start, usize::MAX - found.range.end))?;
    let (before, after) = (&sentence[..found.range.start], &sentence[found.range.end..]);
    let named_by = &sentence[found.range.clone()];
    // A verb of the list may carry the cause in itself ("çöktüğü için"), so the words themselves belong to the part before.
    let before_with = &sentence[..found.range.end];
    match found.class {
        CausesClass::CauseAfter if before.trim().is_empty() => {
            let (cause, effect) = after.split_once(',')?;
            Some((cause, effect, named_by))
        }
        CausesClass::CauseAfter => Some((after, before, named_by)),
        CausesClass::CauseBefore => Some((before_with, after, named_by)),
    }
}

/// How many words of a memory stand in one of these lists, in one form or another.
fn told_words(memory: &ComparedMemory, lists: &[&[String]]) -> usize {
    let is_form = |a: &str, b: &str| a == b || (a.starts_with(b) && b.chars().count() >= MIN_WORD_LETTERS);
    let stands_in = |word: &&String| {
        lists.iter().any(|list| list.iter().any(|other| is_form(word, other) || is_form(other, word)))
    };
    memory.words.iter().filter(stands_in).count()
}

/// The places of the relations that are let go once there are `trigger` of them, so that `target` are left: by kind, then
/// the least sure first, then the earlier in the list. Kinds that are kept for ever are kept even if more are left then.
pub fn prunable_relations(relations: &[(RelationKind, f64)], trigger: usize, target: usize) -> Vec<usize> {
    if relations.len() < trigger {
        return Vec::new();
    }
    let places = relations.iter().enumerate();
    let mut prunable: Vec<(u8, f64, usize)> = places
        .filter_map(|(place, (kind, confidence))| {
            Some((prunable_priority(*kind)?, clamp_to_unit(*confidence), place))
        })
        .collect();
    prunable.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    prunable.truncate(relations.len().saturating_sub(target));
    prunable.into_iter().map(|(_, _, place)| place).collect()
}

/// A memory that a walk reached, and the relations on the way to it: the kind of each and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkedMemory {
    /// The memory.
    pub memory: u64,
    /// The relations on the way, one per hop.
    pub way: Vec<(RelationKind, f64)>,
}

/// Everything that can be reached from `start` over relations of these kinds in so many hops: nearest first, each once,
/// without `start`. Asks for the neighbours of a memory at most once and ends at [`MAX_WALKED_MEMORIES`].
pub fn reachable_memories(
    start: u64,
    hops: u32,
    kinds: &[RelationKind],
    mut neighbours: impl FnMut(u64) -> Vec<(u64, RelationKind, f64)>,
) -> Vec<WalkedMemory> {
    let (mut seen, mut found) = (HashSet::from([start]), Vec::new());
    let mut open = VecDeque::from([(start, Vec::new())]);
    while let Some((memory, way)) = open.pop_front() {
        if way.len() >= hops as usize {
            break;
        }
        for (neighbour, kind, confidence) in neighbours(memory) {
            if !kinds.contains(&kind) || !seen.insert(neighbour) {
                continue;
            }
            if found.len() == MAX_WALKED_MEMORIES {
                return found;
            }
            let mut longer = way.clone();
            longer.push((kind, confidence));
            open.push_back((neighbour, longer.clone()));
            found.push(WalkedMemory { memory: neighbour, way: longer });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use RelationKind::{Causes, Contradicts, Elaborates, RelatedTo, SameEntity, Supersedes};
    use proptest::prelude::*;

    fn list(words: &str) -> Vec<String> {
        let mut list: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        list.sort_unstable();
        list
    }

    /// covers: C-103, C-104, C-105, C-106, C-107, C-108
    #[test]
    fn three_kinds_are_kept_for_ever() {
        for (kind, priority) in [
            (Supersedes, None),
            (Contradicts, None),
            (Causes, None),
            (Elaborates, Some(2)),
            (SameEntity, Some(1)),
            (RelatedTo, Some(0)),
        ] {
            assert_eq!(prunable_priority(kind), priority, "{kind}");
        }
    }

    /// covers: C-109, C-110, C-111, C-112
    #[test]
    fn two_memories_are_related_by_the_strongest_rule_that_holds() {
        let ten = "a b c d e f g h i j";
        let twenty = "a b c d e f g h i j k l m n o p q r s t";
        for (words, entities, same_category, expected) in [
            ((ten, "x y"), ("redis kafka", "kafka redis"), false, Some((SameEntity, 0.7))),
            ((ten, ten), ("redis kafka", "kafka redis ankara"), true, Some((SameEntity, 0.7))),
            ((ten, "a b c d u v w x y z"), ("redis", "redis kafka"), false, Some((Elaborates, 0.5))),
            ((ten, "a b c t u v w x y z"), ("redis", "redis"), false, None),
            ((ten, "a b c t u v w x y z"), ("redis", "redis"), true, Some((RelatedTo, 0.4))),
            ((ten, "a b c d u v w x y z"), ("", ""), true, Some((RelatedTo, 0.4))),
            ((ten, "a b c d u v w x y z"), ("", ""), false, None),
            ((twenty, "a b c 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"), ("", ""), true, None),
            ((ten, "a"), ("redis", "redis"), false, Some((Elaborates, 0.5))),
            (("", ""), ("redis", "redis"), true, None),
        ] {
            let lists = [words.0, words.1, entities.0, entities.1].map(list);
            let new = ComparedMemory { words: &lists[0], entities: &lists[2], category: Category::Fact };
            let category = if same_category { Category::Fact } else { Category::Plan };
            let known = ComparedMemory { words: &lists[1], entities: &lists[3], category };
            let found = strongest_relation(&new, &known);
            let kind = found.as_ref().map(|(kind, confidence, _)| (*kind, *confidence));
            assert_eq!(kind, expected, "{words:?} {entities:?} {same_category}: {found:?}");
        }
    }

    /// The cause of a new text and a known one, if it is told.
    fn cause(text: &str, known: &str, entity: &str) -> Option<CauseSide> {
        let (words, other, entities) = (query_terms(text), query_terms(known), list(entity));
        let new = ComparedMemory { words: &words, entities: &entities, category: Category::Fact };
        let known = ComparedMemory { words: &other, entities: &entities, category: Category::Fact };
        causal_relation(text, &new, &known).map(|(cause, _, _)| cause)
    }

    #[test]
    fn a_text_that_names_its_cause_is_believed() {
        let memory = "Redis ran out of memory.";
        for (text, known, expected) in [
            ("The checkout was down because Redis ran out of memory.", memory, Some(CauseSide::Known)),
            ("Because Redis ran out of memory, the checkout was down.", memory, Some(CauseSide::Known)),
            (
                "The checkout failed as a result of what Redis did: it ran out of memory.",
                memory,
                Some(CauseSide::Known),
            ),
            ("Turning off eviction led to this: Redis ran out of memory.", memory, Some(CauseSide::New)),
            ("Eviction was off, which is why Redis ran out of memory.", memory, Some(CauseSide::New)),
            ("The checkout was down because Redis was upgraded.", memory, None),
            ("Redis uses little memory because its keys are short.", memory, None),
            ("Redis ran out of memory and the checkout was down.", memory, None),
            (
                "Redis'in belleği dolduğu için ödeme sayfası çöktü.",
                "Redis'in belleği doldu.",
                Some(CauseSide::Known),
            ),
            (
                "Redis'in belleği doldu, bu yüzden ödeme sayfası çöktü.",
                "Ödeme sayfası çöktü.",
                Some(CauseSide::New),
            ),
            (
                "Ödeme sayfası çöktü çünkü Redis'in belleği doldu.",
                "Redis'in belleği doldu.",
                Some(CauseSide::Known),
            ),
            (
                "Ayşe'nin önerisi sayesinde sunucu hızlandı.",
                "Ayşe'nin bir önerisi var.",
                Some(CauseSide::Known),
            ),
            ("Kar yüzünden uçuş iptal edildi.", "Uçuş iptal edildi.", Some(CauseSide::New)),
        ] {
            assert_eq!(cause(text, known, "redis"), expected, "{text}");
            assert_eq!(cause(text, known, ""), None, "without an entity in common: {text}");
        }
    }

    #[test]
    fn a_cause_says_by_which_words_it_is_known() {
        let (words, entities) = (list("memori out ran redi"), list("redis"));
        let side = ComparedMemory { words: &words, entities: &entities, category: Category::Fact };
        let found = causal_relation("It broke because of Redis: it ran out of memory", &side, &side);
        let why = "named as the cause by \"because of\"".to_owned();
        assert_eq!(found, Some((CauseSide::Known, CAUSE_CONFIDENCE, why)));
    }

    #[test]
    fn a_text_of_any_size_is_told_at_once() {
        let (words, entities) = (list("redi"), list("redis"));
        let side = ComparedMemory { words: &words, entities: &entities, category: Category::Fact };
        for text in ["ğ because ".repeat(1 << 20), "(".repeat(1 << 20), ". ".repeat(1 << 20)] {
            assert_eq!(causal_relation(&text, &side, &side), None);
        }
    }

    /// covers: C-113, X-C21
    #[test]
    fn too_many_relations_are_trimmed_to_nine_hundred() {
        let many = |count| vec![(RelatedTo, 0.4); count];
        assert!(prunable_relations(&many(999), PRUNE_AT_RELATIONS, PRUNE_TO_RELATIONS).is_empty());
        assert_eq!(
            prunable_relations(&many(1_000), PRUNE_AT_RELATIONS, PRUNE_TO_RELATIONS),
            (0..100).collect::<Vec<_>>()
        );
        assert_eq!(prunable_relations(&many(12), 10, 8).len(), 4, "another profile has other numbers");
        assert!(prunable_relations(&many(3), 0, 9).is_empty());
    }

    /// covers: C-114
    #[test]
    fn the_least_sure_of_the_least_kind_goes_first() {
        let relations = [
            (Supersedes, 0.0),
            (Elaborates, 0.1),
            (RelatedTo, 0.9),
            (SameEntity, 0.2),
            (RelatedTo, 0.3),
            (Causes, 0.1),
            (Contradicts, 0.0),
            (SameEntity, 0.1),
        ];
        assert_eq!(prunable_relations(&relations, 8, 0), [4, 2, 7, 3, 1], "and what is protected stays");
        assert_eq!(prunable_relations(&relations, 8, 5), [4, 2, 7]);
    }

    /// covers: C-115
    #[test]
    fn a_walk_goes_hop_by_hop_over_the_kinds_it_may() {
        let edges = [
            (1, 2, RelatedTo),
            (1, 3, Causes),
            (2, 4, Causes),
            (3, 4, Causes),
            (4, 5, Elaborates),
            (4, 1, Causes),
            (5, 6, Causes),
        ];
        let neighbours = |from| {
            edges.iter().filter(|edge| edge.0 == from).map(|edge| (edge.1, edge.2, 0.5)).collect::<Vec<_>>()
        };
        let walked = |from, hops, kinds: &[RelationKind]| -> Vec<(u64, usize)> {
            let found = reachable_memories(from, hops, kinds, neighbours);
            found.into_iter().map(|walked| (walked.memory, walked.way.len())).collect()
        };
        let all = &RelationKind::ALL;
        assert_eq!(walked(1, 0, all), []);
        assert_eq!(walked(1, 1, all), [(2, 1), (3, 1)]);
        assert_eq!(walked(1, 9, all), [(2, 1), (3, 1), (4, 2), (5, 3), (6, 4)]);
        assert_eq!(walked(1, 9, &[Causes]), [(3, 1), (4, 2)]);
        assert_eq!(walked(1, 9, &[]), []);
        assert_eq!(walked(9, 9, all), []);
        let way = &reachable_memories(1, 9, all, neighbours)[3].way;
        assert_eq!(*way, [(RelatedTo, 0.5), (Causes, 0.5), (Elaborates, 0.5)]);
        let endless = reachable_memories(0, u32::MAX, all, |from| {
            (1..100).map(|step| (from + step, RelatedTo, 0.5)).collect()
        });
        assert_eq!(endless.len(), MAX_WALKED_MEMORIES, "a walk ends");
    }

    fn relation() -> impl Strategy<Value = (RelationKind, f64)> {
        (prop::sample::select(RelationKind::ALL.to_vec()), prop_oneof![0.0_f64..=1.0, prop::num::f64::ANY])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: C-113, C-114
        #[test]
        fn pruning_lets_go_as_many_as_it_may_and_the_weakest(
            relations in prop::collection::vec(relation(), 0..60),
            trigger in 0_usize..60,
            target in 0_usize..60,
        ) {
            let gone = prunable_relations(&relations, trigger, target);
            let distinct: HashSet<usize> = gone.iter().copied().collect();
            prop_assert_eq!(distinct.len(), gone.len());
            let prunable = relations.iter().filter(|(kind, _)| prunable_priority(*kind).is_some()).count();
            let due = if relations.len() < trigger { 0 } else { relations.len().saturating_sub(target) };
            prop_assert_eq!(gone.len(), due.min(prunable));
            let rank = |place: &usize| prunable_priority(relations[*place].0).map(|p| (p, clamp_to_unit(relations[*place].1)));
            prop_assert!(gone.iter().all(|place| rank(place).is_some()), "nothing protected goes");
            let kept = (0..relations.len()).filter(|place| !distinct.contains(place));
            let weakest_kept = kept.filter_map(|place| rank(&place)).fold(None, |least: Option<(u8, f64)>, rank| {
                if least.is_some_and(|least| least <= rank) { least } else { Some(rank) }
            });
            if let Some(weakest) = weakest_kept {
                prop_assert!(gone.iter().filter_map(rank).all(|rank| rank <= weakest));
            }
        }

        /// covers: C-115
        #[test]
        fn a_walk_finds_each_once_and_in_order_of_its_hops(
            edges in prop::collection::vec((0_u64..30, 0_u64..30, relation()), 0..120),
            hops in 0_u32..6,
        ) {
            let mut asked = Vec::new();
            let found = reachable_memories(0, hops, &[RelatedTo, Causes], |from| {
                asked.push(from);
                edges.iter().filter(|edge| edge.0 == from).map(|edge| (edge.1, edge.2.0, edge.2.1)).collect()
            });
            let distinct: HashSet<u64> = found.iter().map(|walked| walked.memory).collect();
            prop_assert_eq!(distinct.len(), found.len());
            prop_assert!(!distinct.contains(&0));
            prop_assert!(found.is_sorted_by_key(|walked| walked.way.len()));
            prop_assert!(found.iter().all(|walked| (1..=hops as usize).contains(&walked.way.len())));
            prop_assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len());
        }
    }
}
