//! The memory lane: what was worth remembering of what was said. A message of which something was kept is a better answer
//! than one of which nothing was, the more so if what was kept means what is asked. What no longer holds is told so, and
//! what replaced it stands before it.

use super::{
    dense::QuestionVector,
    graph::GraphWalk,
    measure::{GOOD_BEST_LIKENESS, RecordScorer},
};
use crate::read::question::{Lane, Profile, Question};
use cairn_cognition::{
    fusion::share_of_best,
    hebbian::LENDING_TIMES_TOGETHER,
    keywords::query_words,
    score::{Part, Score, source_factor},
    utility,
};
use cairn_domain::{Category, Mode, Tier, Time};
use cairn_store::{MemoryRecord, Result, View};
use std::collections::{BTreeMap, HashMap, HashSet, btree_map::Entry};

/// Memories looked at for their meaning, however many hits are asked for.
const NEAREST_MEMORIES: usize = 40;
/// Rare words of the question by which memories are found that rest on no message, and memories looked at for them.
const MAX_RARE_WORDS: usize = 4;
const MAX_MEMORIES_WITH_RARE_WORDS: u32 = 24;
/// A walk that was at a memory this often, beside where it was most often, led there.
const MIN_GRAPH_SHARE: f64 = 0.02;
/// How often a memory is replaced, at most, before the newest is not looked for any more.
const MAX_REPLACEMENT_CHAIN: usize = 32;

/// The memories that a question brings up by itself.
#[derive(Default)]
pub(crate) struct NearestMemories {
    /// Number and, of those found by their meaning, cosine; the nearest first.
    found: Vec<(u32, Option<f32>)>,
    /// Number and seq of each message they rest on.
    on: Vec<(u32, u32)>,
    walked: GraphWalk,
}

impl NearestMemories {
    /// Memories that mean what is asked, and those that hold its rare words.
    pub(crate) fn search(
        view: &mut View<'_>,
        question: &Question,
        meaning: Option<&QuestionVector>,
        terms: &[String],
    ) -> Result<Self> {
        let n = NEAREST_MEMORIES;
        let near = match meaning {
            Some(meaning) => view.nearest_memories(&meaning.vector, n)?,
            None => Vec::new(),
        };
        let mut found: Vec<(u32, Option<f32>)> =
            near.into_iter().map(|(number, cosine)| (number, Some(cosine))).collect();
        let walked = if question.profile.graph > 0.0 {
            GraphWalk::from_names_in(view, &question.text)?
        } else {
            GraphWalk::default()
        };
        let mut known: HashSet<u32> = found.iter().map(|(number, _)| *number).collect();
        let more = memories_with_rare_terms(view, terms)?.into_iter().chain(walked.best_memories(n));
        found.extend(more.filter(|number| known.insert(*number)).map(|number| (number, None)));
        let numbers: Vec<u32> = found.iter().map(|(number, _)| *number).collect();
        let on = view.messages_of_memories(&numbers)?;
        Ok(Self { found, on, walked })
    }

    /// The messages they rest on.
    pub(crate) fn supporting_messages(&self) -> impl Iterator<Item = u32> {
        self.on.iter().map(|(_, seq)| *seq)
    }

    /// Those of which something was remembered that is at least so much like the question.
    pub(crate) fn messages_meant(&self, min_cosine: f32) -> impl Iterator<Item = u32> {
        let is_like = move |cosine: &Option<f32>| cosine.is_some_and(|cosine| cosine >= min_cosine);
        let like = self.found.iter().filter(move |(_, cosine)| is_like(cosine));
        let meant: HashSet<u32> = like.map(|(number, _)| *number).collect();
        self.on.iter().filter(move |(number, _)| meant.contains(number)).map(|(_, seq)| *seq)
    }

    /// Those to which names lead.
    pub(crate) fn messages_reached_by_graph(&self) -> impl Iterator<Item = u32> {
        self.on
            .iter()
            .filter(|(number, _)| self.walked.visit_share(*number) >= MIN_GRAPH_SHARE)
            .map(|(_, seq)| *seq)
    }
}

/// Memories that hold the rarest of some terms.
fn memories_with_rare_terms(view: &mut View<'_>, terms: &[String]) -> Result<Vec<u32>> {
    let (holding, _) = view.memory_terms(terms)?;
    let mut rare: Vec<(u32, &String)> =
        holding.into_iter().zip(terms).filter(|(holding, _)| *holding > 0).collect();
    rare.sort_unstable();
    let rare: Vec<&str> = rare.into_iter().take(MAX_RARE_WORDS).map(|(_, term)| term.as_str()).collect();
    view.memories_holding(&rare, MAX_MEMORIES_WITH_RARE_WORDS)
}

/// A memory that has to do with the question.
pub(crate) struct FoundMemory {
    pub(crate) record: MemoryRecord,
    /// How alike it and the question are, and its rank in that, if it was found so.
    pub(crate) lane: Option<Lane>,
    /// The messages it rests on.
    pub(crate) messages: Vec<u32>,
}

/// Memories of the candidate messages, and memories that came up beside them.
pub(crate) struct MemoryFindings {
    pub(crate) memories: BTreeMap<u32, FoundMemory>,
    /// The memories that rest on each message.
    on: HashMap<u32, Vec<u32>>,
    /// Those that were often given together with another of them.
    together: HashSet<u32>,
    walked: GraphWalk,
    /// Messages that a forgotten memory rests on.
    forgotten: HashSet<u32>,
    /// Forgotten memories that the question names word for word.
    named: HashSet<u32>,
    /// The time that is asked about.
    at: Time,
    best_alike: f64,
}

impl MemoryFindings {
    /// Reads what was remembered of messages; `at` is the time that is asked about.
    pub(crate) fn read_for_messages(
        view: &mut View<'_>,
        near: NearestMemories,
        seqs: &[u32],
        question: &Question,
        at: Time,
    ) -> Result<Self> {
        let mut pairs: Vec<(u32, u32)> = near.on;
        pairs.extend(view.memories_on_messages(seqs)?.into_iter().map(|(seq, number)| (number, seq)));
        pairs.sort_unstable();
        pairs.dedup();
        let mut numbers: Vec<u32> = near.found.iter().map(|(number, _)| *number).collect();
        numbers.extend(pairs.iter().map(|(number, _)| *number));
        numbers.sort_unstable();
        numbers.dedup();
        let lanes: HashMap<u32, Lane> = near
            .found
            .iter()
            .enumerate()
            .filter_map(|(i, (number, cosine))| {
                Some((*number, Lane { rank: i + 1, score: f64::from((*cosine)?) }))
            })
            .collect();
        let mut kept = Self {
            memories: BTreeMap::new(),
            on: HashMap::new(),
            together: HashSet::new(),
            walked: near.walked,
            forgotten: HashSet::new(),
            named: HashSet::new(),
            at,
            best_alike: 0.0,
        };
        kept.add_memories(view, &numbers, &lanes, question)?.put_on_messages(pairs);
        if question.profile.together > 0.0 {
            let numbers: Vec<u32> = kept.memories.keys().copied().collect();
            let pairs = view.given_together(&numbers, LENDING_TIMES_TOGETHER)?;
            kept.together = pairs.into_iter().flat_map(|(one, other)| [one, other]).collect();
        }
        Ok(kept)
    }

    /// Remembers how alike the nearest memory is.
    pub(crate) fn set_best_likeness(&mut self, measure: &RecordScorer) {
        let lanes = self.memories.values().filter_map(|remembered| remembered.lane);
        self.best_alike = lanes.map(|lane| measure.likeness(lane.score as f32)).fold(0.0, f64::max);
    }

    /// The memories that hold and mean what is asked, the nearest first.
    pub(crate) fn nearest_that_hold(&self) -> Vec<(u32, Lane)> {
        let holding = self.memories.iter().filter(|(_, one)| self.holds(&one.record));
        let mut nearest: Vec<(u32, Lane)> =
            holding.filter_map(|(number, one)| Some((*number, one.lane?))).collect();
        nearest.sort_by_key(|(_, lane)| lane.rank);
        nearest
    }

    /// The memories that rest on a message.
    pub(crate) fn memories_of_message(&self, seq: u32) -> impl Iterator<Item = &FoundMemory> {
        self.on.get(&seq).into_iter().flatten().filter_map(|number| self.memories.get(number))
    }

    /// Whether a memory holds at the time that is asked about.
    pub(crate) fn holds(&self, record: &MemoryRecord) -> bool {
        self.named.contains(&record.number) || held_at(record, self.at)
    }

    /// Adds to a message's score what was remembered of it.
    pub(crate) fn add_memory_parts(
        &self,
        seq: u32,
        profile: &Profile,
        measure: &RecordScorer,
        score: &mut Score,
    ) -> Option<Lane> {
        let awake = |remembered: &&FoundMemory| {
            self.holds(&remembered.record) && remembered.record.memory.tier != Tier::Dormant
        };
        let current: Vec<&FoundMemory> = self.memories_of_message(seq).filter(awake).collect();
        let most = |worth: &dyn Fn(&MemoryRecord) -> f64| {
            current.iter().map(|one| worth(&one.record)).reduce(f64::max)
        };
        let trust = most(&|record| source_factor(record.memory.source_confidence))?;
        score.add(Part::Kept, profile.kept * measure.unit * trust);
        let lane = current.iter().filter_map(|one| one.lane).min_by_key(|lane| lane.rank);
        if let Some(lane) = lane {
            let alike = measure.likeness(lane.score as f32);
            let share = share_of_best(alike, self.best_alike, GOOD_BEST_LIKENESS);
            score.add(Part::Remembered, profile.remembered * measure.unit * trust * share);
        }
        let walked = most(&|record| self.walked.visit_share(record.number))?;
        score.add(Part::Graph, profile.graph * measure.unit * walked);
        let together = most(&|record| f64::from(self.together.contains(&record.number)))?;
        score.add(Part::Together, profile.together * measure.unit * together);
        let standing = |record: &MemoryRecord| f64::from(record.memory.category == Category::Preference);
        score.add(Part::Standing, profile.standing * measure.unit * most(&standing)?);
        let useful = most(&|record| record.memory.utility - utility::INITIAL_UTILITY)?;
        score.add(Part::Utility, profile.utility * measure.unit * useful);
        lane
    }

    /// Reads what was remembered of further messages.
    pub(crate) fn read_more_messages(
        &mut self,
        view: &mut View<'_>,
        seqs: &[u32],
        question: &Question,
    ) -> Result<()> {
        let mut pairs = view.memories_on_messages(seqs)?;
        pairs.retain(|(seq, number)| !self.on.get(seq).is_some_and(|known| known.contains(number)));
        let mut numbers: Vec<u32> = pairs.iter().map(|(_, number)| *number).collect();
        numbers.retain(|number| !self.memories.contains_key(number));
        numbers.sort_unstable();
        numbers.dedup();
        let pairs = pairs.into_iter().map(|(seq, number)| (number, seq)).collect();
        self.add_memories(view, &numbers, &HashMap::new(), question)?.put_on_messages(pairs);
        Ok(())
    }

    /// Reads memories by their numbers, but for those that the question may not know of, and those that are forgotten.
    fn add_memories(
        &mut self,
        view: &mut View<'_>,
        numbers: &[u32],
        lanes: &HashMap<u32, Lane>,
        question: &Question,
    ) -> Result<&mut Self> {
        for record in view.memories_at(numbers)? {
            if !shares_mode(&record, question.mode) || !was_said_by(&record, self.at) {
                continue;
            }
            let number = record.number;
            if record.memory.is_forgotten() {
                if !names_word_for_word(&question.text, &record.memory.text) {
                    self.forgotten
                        .extend(view.messages_of_memories(&[number])?.into_iter().map(|(_, seq)| seq));
                    continue;
                }
                self.named.insert(number);
            }
            let lane = lanes.get(&number).copied();
            self.memories.insert(number, FoundMemory { record, lane, messages: Vec::new() });
        }
        Ok(self)
    }

    /// Puts memories that were read on the messages they rest on: number and seq.
    fn put_on_messages(&mut self, pairs: Vec<(u32, u32)>) {
        for (number, seq) in pairs {
            if let Some(remembered) = self.memories.get_mut(&number) {
                remembered.messages.push(seq);
                self.on.entry(seq).or_default().push(number);
            }
        }
    }

    /// Whether a message is not shown because a memory that rests on it is forgotten.
    pub(crate) fn is_forgotten(&self, seq: u32) -> bool {
        self.forgotten.contains(&seq)
    }

    /// Other memories of a message that hold: what is told of it in its place, the nearest to the question.
    pub(crate) fn told_in_its_place(&self, seq: u32) -> Option<u32> {
        let nearness = |one: &&FoundMemory| one.lane.map_or(f64::MIN, |lane| lane.score);
        let holding = self.memories_of_message(seq).filter(|one| self.holds(&one.record));
        holding.max_by(|a, b| nearness(a).total_cmp(&nearness(b))).map(|one| one.record.number)
    }

    /// Lets memories run that a route leads to.
    pub(crate) fn bring_in(
        &mut self,
        view: &mut View<'_>,
        numbers: &[u32],
        question: &Question,
    ) -> Result<()> {
        let mut missing = numbers.to_vec();
        missing.retain(|number| !self.memories.contains_key(number));
        missing.sort_unstable();
        missing.dedup();
        let on = view.messages_of_memories(&missing)?;
        for record in view.memories_at(&missing)? {
            if shares_mode(&record, question.mode) && was_said_by(&record, self.at) {
                let own = on.iter().filter(|(number, _)| *number == record.number);
                let messages = own.map(|(_, seq)| *seq).collect();
                self.memories.insert(record.number, FoundMemory { record, lane: None, messages });
            }
        }
        Ok(())
    }

    /// Whether a memory was often given together with another of them.
    pub(crate) fn is_given_together(&self, number: u32) -> bool {
        self.together.contains(&number)
    }

    /// The memory that holds in place of all that was remembered of a message, if nothing of that holds any more.
    pub(crate) fn replacement_of_message(&mut self, view: &mut View<'_>, seq: u32) -> Result<Option<u32>> {
        // Of a message that says several things, what is asked for may have changed while the rest stands.
        let nearness = |one: &&FoundMemory| one.lane.map_or(f64::MIN, |lane| lane.score);
        let nearest = self.memories_of_message(seq).max_by(|a, b| nearness(a).total_cmp(&nearness(b)));
        let asked = nearest.filter(|one| one.lane.is_some() && !self.holds(&one.record));
        let all_over = || self.memories_of_message(seq).all(|one| !self.holds(&one.record));
        let next = match asked {
            Some(one) => one.record.superseded_by,
            None if all_over() => {
                self.memories_of_message(seq).filter_map(|one| one.record.superseded_by).max()
            }
            None => None,
        };
        self.newest_of_chain(view, next)
    }

    /// The memory that holds in place of one that does not hold any more.
    pub(crate) fn replacement_of_memory(&mut self, view: &mut View<'_>, number: u32) -> Result<Option<u32>> {
        let Some(record) = self.memories.get(&number).map(|one| &one.record) else { return Ok(None) };
        let next = record.superseded_by.filter(|_| !self.holds(record));
        self.newest_of_chain(view, next)
    }

    /// A memory by its number, whether or not it was found.
    pub(crate) fn read_memory(&mut self, view: &mut View<'_>, number: u32) -> Result<Option<&FoundMemory>> {
        if let Entry::Vacant(unread) = self.memories.entry(number) {
            let Some(record) = view.memories_at(&[number])?.pop() else { return Ok(None) };
            let messages = view.messages_of_memories(&[number])?.into_iter().map(|(_, seq)| seq).collect();
            unread.insert(FoundMemory { record, lane: None, messages });
        }
        Ok(self.memories.get(&number))
    }

    /// The memory that holds at the end of a chain of replacements, if it was told.
    fn newest_of_chain(&mut self, view: &mut View<'_>, next: Option<u32>) -> Result<Option<u32>> {
        let Some(mut number) = next else { return Ok(None) };
        for _ in 0..MAX_REPLACEMENT_CHAIN {
            let Some(FoundMemory { record, .. }) = self.read_memory(view, number)? else { return Ok(None) };
            let record = &record.clone();
            if self.holds(record) {
                // What a night has made part of a theme still holds.
                return Ok(record.memory.form.is_told().then_some(number));
            }
            match record.superseded_by.filter(|_| was_said_by(record, self.at)) {
                Some(next) => number = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Those messages that a forgotten memory rests on, by seq.
pub(crate) fn forgotten_messages(view: &mut View<'_>, seqs: &[u32]) -> Result<HashSet<u32>> {
    let pairs = view.memories_on_messages(seqs)?;
    let mut numbers: Vec<u32> = pairs.iter().map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let forgotten = view.memories_at(&numbers)?.into_iter().filter(|record| record.memory.is_forgotten());
    let forgotten: HashSet<u32> = forgotten.map(|record| record.number).collect();
    Ok(pairs.into_iter().filter(|(_, number)| forgotten.contains(number)).map(|(seq, _)| seq).collect())
}

/// Whether a question has every word of a statement that tells something, but for the one it is about.
fn names_word_for_word(question: &str, statement: &str) -> bool {
    let (_, told) = statement.split_once(' ').unwrap_or(("", statement));
    let asked = query_words(question);
    let told = query_words(told);
    let names = |word: &Vec<String>| asked.iter().any(|asked| asked.iter().any(|term| word.contains(term)));
    !told.is_empty() && told.iter().all(names)
}

pub(super) fn shares_mode(record: &MemoryRecord, mode: Option<Mode>) -> bool {
    mode.is_none_or(|mode| record.memory.mode.shares_with(mode))
}

/// Whether what a memory says had been said at some time.
fn was_said_by(record: &MemoryRecord, at: Time) -> bool {
    record.memory.valid_from <= at
}

/// Whether a memory held at some time: what is replaced held until then.
pub(super) fn held_at(record: &MemoryRecord, at: Time) -> bool {
    let memory = &record.memory;
    let replaced_later = memory.valid_until.is_some_and(|until| until > at) && !memory.is_forgotten();
    memory.holds(at) || (was_said_by(record, at) && replaced_later)
}
