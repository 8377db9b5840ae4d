//! Gathering: which memories have something to say about a key, what each says, and where its words come from.

use crate::write::CORRECTS;
use cairn_cognition::{
    belief::claim::{Claim, Known, agree, claims, ended_for, is_over, values_agree},
    keywords::{terms, unique_terms},
};
use cairn_domain::{
    BeliefLane, Category, Evidence, Form, MemoryId, MessageId, RelationKind, Stance, SubjectType, Time,
    WriteSource,
};
use cairn_store::{
    BeliefFilter, BeliefLink, BeliefRecord, EntityRecord, LinkEnd, MemoryRecord, RelationRecord, Result, View,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Sources of one memory that are looked at, and memories of one belief, the newest of both.
const MAX_VOICES: usize = 64;
const MAX_LINKED_MEMORIES: usize = 64;
/// Beliefs about one subject that something may end.
const MAX_ENDED_BELIEFS: u32 = 500;
/// How often a memory is replaced, at most, before nobody looks further.
const MAX_SUPERSESSIONS: usize = 16;
/// A statement that is believed less than this is still to be made sure of, and founds nothing.
const PENDING_BELOW: f64 = 0.25;

/// Share of the words of a claim that its evidence has, where a memory has several pieces of it.
const MIN_CLAIMED_SHARE: f64 = 0.5;

/// A memory that concerns a key, with its claim about it.
#[derive(Debug, Clone)]
pub(super) struct KeyMember {
    pub(super) record: MemoryRecord,
    /// Its claim about the key; none if it only ended or replaced a memory that made one.
    pub(super) claim: Option<Claim>,
    /// Whether it still holds.
    pub(super) holds: bool,
    /// Whether it says that something else about the key is over or wrong.
    pub(super) ends: bool,
    pub(super) voices: Vec<EvidenceVoice>,
}

/// Somebody's words behind a memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EvidenceVoice {
    pub(super) role: String,
    /// The exchange, or the file.
    pub(super) origin: String,
    pub(super) excerpt: String,
    pub(super) quote_hash: String,
    pub(super) at: Time,
    /// The user says that this is so instead of something else.
    pub(super) corrects: bool,
}

/// Everything that is known about a key.
#[derive(Debug, Clone)]
pub(super) struct KeyGroup {
    pub(super) key: String,
    /// The newest belief under it, whether it stands or not.
    pub(super) newest: Option<BeliefRecord>,
    /// The evidence linked to the active belief.
    pub(super) links: Vec<BeliefLink>,
    pub(super) members: Vec<KeyMember>,
    /// Whether somebody says what an operator did not accept.
    pub(super) refused: bool,
    /// The entity that it is about, if that is known.
    pub(super) about: Option<EntityRecord>,
}

impl KeyGroup {
    /// The belief that stands.
    pub(super) fn standing(&self) -> Option<&BeliefRecord> {
        self.newest.as_ref().filter(|record| record.belief.status.stands())
    }
}

/// The groups that were gathered for some memories.
#[derive(Debug, Default)]
pub(super) struct GatheredKeys {
    pub(super) groups: Vec<KeyGroup>,
    /// Memories that say nothing that can be held.
    pub(super) silent: Vec<MemoryId>,
    /// Memories of which something is still to be made sure of.
    pub(super) unsure: Vec<MemoryId>,
}

/// Reads memories and what is known of the names in them, each once.
pub(super) struct KeyGatherer<'v, 's> {
    view: &'v mut View<'s>,
    now: Time,
    known: HashMap<String, Option<Known>>,
    read: HashMap<u32, ReadMemory>,
}

/// A memory that was read: what it claims, and whether something was too unsure.
#[derive(Clone)]
struct ReadMemory {
    record: MemoryRecord,
    claims: Vec<Claim>,
    unsure: bool,
}

impl<'v, 's> KeyGatherer<'v, 's> {
    pub(super) fn new(view: &'v mut View<'s>, now: Time) -> Self {
        Self { view, now, known: HashMap::new(), read: HashMap::new() }
    }

    /// Everything known about the keys that these memories concern.
    pub(super) fn gather(&mut self, numbers: &[u32]) -> Result<GatheredKeys> {
        let mut gathered = GatheredKeys::default();
        let mut keys: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for record in self.view.memories_at(numbers)? {
            let (number, id) = (record.number, record.memory.id);
            let read = self.read(record)?;
            let resting = self.keys_resting_on(&read.record)?;
            if read.claims.is_empty() && resting.is_empty() {
                (if read.unsure { &mut gathered.unsure } else { &mut gathered.silent }).push(id);
            }
            let over = self.over(&read.record, &keys)?;
            let claimed = read.claims.into_iter().map(|claim| claim.key);
            for key in claimed.chain(resting).chain(over) {
                keys.entry(key).or_default().insert(number);
            }
        }
        for (key, numbers) in keys {
            let group = self.group(key, numbers)?;
            gathered.groups.push(group);
        }
        Ok(gathered)
    }

    /// The keys of the beliefs that rest on a memory, or on what it corrects without taking its place.
    fn keys_resting_on(&mut self, record: &MemoryRecord) -> Result<Vec<String>> {
        let mut keys = self.view.keys_resting_on(record.number)?;
        for corrected in self.corrected_by(record)? {
            keys.extend(self.view.keys_resting_on(corrected)?);
        }
        Ok(keys)
    }

    /// The memories that one says are wrong without taking their place: only the user's word does that.
    fn corrected_by(&mut self, record: &MemoryRecord) -> Result<Vec<u32>> {
        if record.memory.category != Category::Correction {
            return Ok(Vec::new());
        }
        let relations = self.view.relations(record.number)?.into_iter();
        let corrects = |it: &RelationRecord| it.kind == RelationKind::Contradicts && it.from == record.number;
        Ok(relations.filter(corrects).map(|relation| relation.to).collect())
    }

    /// The keys of what a memory says is over: of beliefs that stand, and of what was gathered before it.
    fn over(
        &mut self,
        record: &MemoryRecord,
        gathered: &BTreeMap<String, BTreeSet<u32>>,
    ) -> Result<Vec<String>> {
        let mut over = Vec::new();
        for subject in ended_for(&record.memory.text) {
            let about = BeliefFilter { subject: Some(subject), ..BeliefFilter::default() };
            for BeliefRecord { belief, .. } in self.view.beliefs(&about, MAX_ENDED_BELIEFS)? {
                if is_over(&belief.detail, &record.memory.text) {
                    over.push(belief.key);
                }
            }
            let says = |number: &u32| {
                self.read
                    .get(number)
                    .is_some_and(|read| is_over(&read.record.memory.text, &record.memory.text))
            };
            over.extend(
                gathered.iter().filter(|(_, numbers)| numbers.iter().any(says)).map(|(key, _)| key.clone()),
            );
        }
        Ok(over)
    }

    fn group(&mut self, key: String, mut numbers: BTreeSet<u32>) -> Result<KeyGroup> {
        let newest = self.view.newest_belief(&key)?;
        let links = newest.as_ref().map_or(Ok(Vec::new()), |record| self.view.links_of(record.number))?;
        let linked = links.iter().rev().filter_map(|link| match link.to {
            LinkEnd::Memory(number) => Some(number),
            LinkEnd::Entity(_) => None,
        });
        numbers.extend(linked.take(MAX_LINKED_MEMORIES));
        let mut members: BTreeMap<u32, KeyMember> = BTreeMap::new();
        for number in numbers {
            if let Some(member) = self.member(number, &key)? {
                for other in self.around(&member)? {
                    if let Some(other) = self.member(other, &key)? {
                        members.entry(other.record.number).or_insert(other);
                    }
                }
                members.insert(number, member);
            }
        }
        let claiming: BTreeSet<u32> =
            members.values().filter(|it| it.claim.is_some()).map(|it| it.record.number).collect();
        for member in members.values_mut().filter(|member| member.claim.is_none()) {
            member.ends = self.corrected_by(&member.record)?.iter().any(|it| claiming.contains(it));
        }
        let mut members: Vec<KeyMember> = members.into_values().collect();
        end_what_is_over(&mut members);
        let refused = refuse_taken_back(&mut members, &self.view.taken_back(&key)?);
        let about = self.about(&members)?;
        // What no longer stands is not added to.
        let stands = newest.as_ref().is_some_and(|record| record.belief.status.stands());
        let links = if stands { links } else { Vec::new() };
        Ok(KeyGroup { key, newest, links, members, refused, about })
    }

    /// The entity that a claim is about. The user and the world are none.
    fn about(&mut self, members: &[KeyMember]) -> Result<Option<EntityRecord>> {
        let claim = members.iter().find_map(|member| member.claim.as_ref());
        let named = claim.filter(|claim| match claim.subject_type {
            SubjectType::Entity => claim.subject_id != "user",
            SubjectType::Project | SubjectType::Tool => true,
            SubjectType::Agent | SubjectType::Global => false,
        });
        named.map_or(Ok(None), |claim| self.view.entity(&claim.subject_id))
    }

    /// A memory's claim about a key, with the origin of its words.
    fn member(&mut self, number: u32, key: &str) -> Result<Option<KeyMember>> {
        let record = match self.read.get(&number) {
            Some(read) => read.record.clone(),
            None => match self.view.memories_at(&[number])?.pop() {
                Some(record) => record,
                None => return Ok(None),
            },
        };
        let read = self.read(record.clone())?;
        let claim = read.claims.into_iter().find(|claim| claim.key == key);
        let voices = self.voices(&record, claim.as_ref())?;
        let holds = self.holds(&record)?;
        Ok(Some(KeyMember { record, claim, holds, ends: false, voices }))
    }

    /// The memories that replaced this one or gave feedback on it.
    fn around(&mut self, member: &KeyMember) -> Result<Vec<u32>> {
        let by = member.record.superseded_by.into_iter();
        let praised = self.view.memory(feedback_on(member.record.memory.id))?;
        Ok(by.chain(praised.map(|record| record.number)).collect())
    }

    /// Whether a memory holds. What became part of a theme goes on holding, and so does what a person said and only an agent
    /// denied: which of them is held is weighed.
    fn holds(&mut self, record: &MemoryRecord) -> Result<bool> {
        let mut record = record.clone();
        for _ in 0..MAX_SUPERSESSIONS {
            if record.memory.holds(self.now) || is_feedback(&record) {
                return Ok(true);
            }
            let Some(by) = record.superseded_by else { return Ok(false) };
            match self.view.memories_at(&[by])?.pop() {
                Some(next) if next.memory.write_source == WriteSource::Dream => record = next,
                Some(next) => return Ok(outranks(&record, &next) && next.memory.holds(self.now)),
                None => return Ok(false),
            }
        }
        Ok(false)
    }

    fn read(&mut self, record: MemoryRecord) -> Result<ReadMemory> {
        if let Some(read) = self.read.get(&record.number) {
            return Ok(read.clone());
        }
        let (view, known) = (&mut *self.view, &mut self.known);
        let mut failed = None;
        let found = match record.memory.form {
            // A summary is generated, and no evidence; what was useful says nothing itself.
            Form::Summary => Vec::new(),
            _ if is_feedback(&record) => Vec::new(),
            _ => claims(&record.memory.text, |slug| {
                if let Some(known) = known.get(slug) {
                    return known.clone();
                }
                let entity = view.entity(slug).map_err(|error| failed = Some(error)).ok().flatten();
                let entity = entity.map(|entity| (entity.kind, entity.slug));
                known.insert(slug.to_owned(), entity.clone());
                entity
            }),
        };
        if let Some(error) = failed {
            return Err(error);
        }
        let all = found.len();
        let sure = |claim: &Claim| claim.confidence * record.memory.source_confidence >= PENDING_BELOW;
        let claims: Vec<Claim> = found.into_iter().filter(sure).collect();
        let read = ReadMemory { unsure: claims.len() < all, claims, record };
        self.read.insert(read.record.number, read.clone());
        Ok(read)
    }

    /// The words behind a memory, the newest last.
    fn voices(&mut self, record: &MemoryRecord, claim: Option<&Claim>) -> Result<Vec<EvidenceVoice>> {
        let evidence = self.view.evidence_of(record.number)?;
        let several = evidence.len() > 1 || !record.memory.form.is_told();
        let is_about = |one: &Evidence| {
            let claimed = claim.filter(|_| several && !is_feedback(record));
            claimed.is_none_or(|claim| says_what_is_claimed(&one.excerpt, &claim.sentence))
        };
        let speaks =
            |one: &&Evidence| (one.stance == Stance::Support || is_feedback(record)) && is_about(one);
        let newest = evidence.iter().filter(speaks).rev().take(MAX_VOICES);
        let mut voices = Vec::new();
        for one in newest.collect::<Vec<_>>().into_iter().rev() {
            voices.extend(self.voice(record, claim, one)?);
        }
        voices.sort_by_key(|voice| voice.at);
        Ok(voices)
    }

    fn voice(
        &mut self,
        record: &MemoryRecord,
        claim: Option<&Claim>,
        one: &Evidence,
    ) -> Result<Option<EvidenceVoice>> {
        let memory = &record.memory;
        let role = match memory.form {
            _ if is_feedback(record) => FEEDBACK.to_owned(),
            Form::Lesson | Form::Reflection | Form::Theme | Form::Pattern => memory.form.to_string(),
            Form::Fact | Form::Episode | Form::Procedure | Form::Plan | Form::Summary => one.role.clone(),
        };
        let voice = |origin: String, at: Time, corrects: bool| EvidenceVoice {
            role: role.clone(),
            origin,
            excerpt: one.excerpt.clone(),
            quote_hash: one.quote_hash(),
            at,
            corrects,
        };
        if is_feedback(record) {
            return Ok(Some(voice(one.root.clone(), memory.valid_from, false)));
        }
        let Ok(id) = one.source.parse::<MessageId>() else {
            return Ok(Some(voice(one.root.clone(), one.recorded_at, false)));
        };
        let Some(said) = self.view.message(id)? else { return Ok(None) };
        let changed = claim.is_some_and(|claim| claim.change) || memory.category == Category::Correction;
        let corrects = role == "user" && (changed || said.message.metadata.contains_key(CORRECTS));
        // A time that had not come when it was written down wins nothing.
        let at = said.message.at.min(said.message.recorded_at);
        Ok(Some(voice(said.exchange.to_string(), at, corrects)))
    }
}

/// Whether words are about a claim: they have at least half of the words of the sentence that makes it. Of a memory that was
/// made of several messages, not each says everything.
fn says_what_is_claimed(words: &str, sentence: &str) -> bool {
    let claimed: BTreeSet<String> = unique_terms(sentence).into_iter().collect();
    let shared = terms(words).counts.iter().filter(|(term, _)| claimed.contains(term)).count();
    claimed.is_empty() || shared as f64 >= claimed.len() as f64 * MIN_CLAIMED_SHARE
}

/// Whether what one memory says does not lower what the other says.
fn outranks(one: &MemoryRecord, other: &MemoryRecord) -> bool {
    let word = |record: &MemoryRecord| record.memory.data_source.whose_word();
    !word(other).weighs_against(word(one))
}

/// Lets what was said before something ended it hold no longer.
fn end_what_is_over(members: &mut [KeyMember]) {
    let last = |member: &KeyMember| member.voices.last().map(|voice| voice.at);
    let ended = |at: usize, by: &KeyMember| {
        by.claim.is_none()
            && by.holds
            && last(by) >= last(&members[at])
            && !outranks(&members[at].record, &by.record)
            && is_over(&members[at].record.memory.text, &by.record.memory.text)
    };
    let mut pairs = Vec::new();
    for at in (0..members.len()).filter(|at| members[*at].claim.is_some()) {
        pairs.extend(members.iter().position(|by| ended(at, by)).map(|by| (at, by)));
    }
    for (at, by) in pairs {
        members[at].holds = false;
        members[by].ends = true;
    }
}

/// Lets what says something that an operator took back hold no longer: neither for that nor against anything else. What was
/// rejected stays so, whoever says it again; what was verified once is heard again in words that are newer than its
/// retraction. Whether there was any.
fn refuse_taken_back(members: &mut [KeyMember], taken_back: &[BeliefRecord]) -> bool {
    let exact: Vec<Option<Claim>> = taken_back
        .iter()
        .map(|record| {
            let claims = members.iter().filter_map(|member| member.claim.as_ref());
            claims.into_iter().find(|claim| claim.value == record.belief.value).cloned()
        })
        .collect();
    let is_refused = |member: &KeyMember| {
        let Some(claim) = member.claim.as_ref().filter(|claim| member.holds && !claim.denies) else {
            return false;
        };
        let last = member.voices.last().map(|voice| voice.at);
        taken_back.iter().zip(&exact).any(|(record, exact)| {
            let same = values_agree(&record.belief.value, &claim.value)
                || exact.as_ref().is_some_and(|exact| agree(exact, claim));
            let newer = last.is_some_and(|last| last > record.updated_at);
            same && match record.belief.lane {
                BeliefLane::Candidate => true,
                BeliefLane::Verified => !newer,
            }
        })
    };
    let mut any = false;
    for member in members.iter_mut().filter(|member| is_refused(member)) {
        member.holds = false;
        any = true;
    }
    any
}

/// Who speaks when something was of use.
pub(super) const FEEDBACK: &str = "feedback";

/// The memory that something was of use.
pub(super) fn feedback_on(memory: MemoryId) -> MemoryId {
    MemoryId::of(&format!("{FEEDBACK}:{memory}"), 0)
}

/// Whether a memory says that another was of use.
pub(super) fn is_feedback(record: &MemoryRecord) -> bool {
    record.memory.form == Form::Reflection && record.memory.write_source == WriteSource::Manual
}
