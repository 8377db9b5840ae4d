//! Changes to beliefs that do not wait for a rhythm: a correction takes effect the moment it is made, and useful
//! memories support the beliefs that rest on them. Both are evidence backed by words, never a number that is only
//! counted up.

use crate::{
    agent::Agent,
    belief::{
        consolidation::{Skips, belief_changes},
        gather::{FEEDBACK, feedback_on},
    },
    error::Result,
    retry::pause_before,
    stored_json::to_stored_json,
    write::Reasons,
};
use cairn_domain::{
    BeliefId, Category, DataSource, Evidence, Form, Invalid, Memory, MemoryId, Ref, Stance, Status,
    TemporalType, Tier, Time, Verdict, WriteSource,
};
use cairn_store::{BeliefChanges, LinkEnd, MemoryAttachments, MemoryRecord, NewMemory, View};

/// How often it is decided again because somebody else was quicker. After that the rhythm does it.
const MAX_ATTEMPTS: u64 = 50;

impl Agent {
    /// Holds at once what follows from some memories.
    pub(crate) async fn believe_at_once(&self, memories: Vec<MemoryId>, actor: &str) -> Result<()> {
        for attempt in 0..MAX_ATTEMPTS {
            let now = self.now();
            let (version, changes) = self
                .store
                .read(|view| {
                    let mut numbers = Vec::with_capacity(memories.len());
                    for id in &memories {
                        numbers.extend(view.memory(*id)?.map(|record| record.number));
                    }
                    numbers.sort_unstable();
                    numbers.dedup();
                    Ok((
                        view.memory_version()?,
                        belief_changes(view, &numbers, now, &self.config.beliefs, Skips::Silent)?,
                    ))
                })
                .await?;
            let believing = BeliefChanges { actor: actor.to_owned(), changes, considered: Vec::new() };
            if believing.is_empty() || self.store.believe(version, believing, now).await? {
                return Ok(());
            }
            tokio::time::sleep(pause_before(attempt)).await;
        }
        Ok(())
    }

    /// The memory that a correction of a belief is really about: the one that supported it last. Other refs stay as
    /// they are.
    pub(crate) async fn behind_belief(&self, reference: Ref) -> Result<Ref> {
        let Ref::Belief(id) = reference else { return Ok(reference) };
        let why = self.why_belief(id).await?;
        let holds = why.evidence.iter().rev().filter(|one| one.link.evidence.stance == Stance::Support);
        let memory =
            holds.filter_map(|one| one.memory.as_ref()).find(|record| record.memory.holds(self.now()));
        memory.map(|record| Ref::Memory(record.memory.id)).ok_or_else(|| {
            let hint =
                format!("`cairn why {id}` tells what took its place; tell what is right with `remember`");
            Invalid::new(format!("nothing that {id} is based on still holds"), hint).into()
        })
    }
}

/// The memories that speak for a belief.
pub(crate) fn memories_supporting(
    view: &mut View<'_>,
    id: BeliefId,
) -> cairn_store::Result<Option<Vec<MemoryRecord>>> {
    let Some(record) = view.belief(id)? else { return Ok(None) };
    let links = view.links_of(record.number)?;
    let supports = links.iter().filter(|link| link.evidence.stance == Stance::Support);
    let mut numbers: Vec<u32> = supports
        .filter_map(|link| match link.to {
            LinkEnd::Memory(number) => Some(number),
            LinkEnd::Entity(_) => None,
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    view.memories_at(&numbers).map(Some)
}

/// The memory that another was of use, unless there is one already or nothing that is held rests on it. It holds for the
/// moment it was said in, names what it is about by its ref, and quotes the words that were of use.
pub(crate) fn feedback_memory(
    view: &mut View<'_>,
    of: &MemoryRecord,
    now: Time,
) -> cairn_store::Result<Option<NewMemory>> {
    let id = feedback_on(of.memory.id);
    if view.keys_resting_on(of.number)?.is_empty() || view.memory(id)?.is_some() {
        return Ok(None);
    }
    let quoted = view.evidence_of(of.number)?.into_iter().find(|one| one.stance == Stance::Support);
    let Some(quoted) = quoted else { return Ok(None) };
    let root = format!("{FEEDBACK}:{}", of.memory.id);
    let evidence = vec![Evidence {
        stance: Stance::Context,
        role: FEEDBACK.to_owned(),
        root,
        recorded_at: now,
        ..quoted
    }];
    let memory = Memory {
        id,
        text: format!("{} was of use.", of.memory.id),
        form: Form::Reflection,
        category: Category::Other,
        status: Status::New,
        tier: Tier::Episodic,
        session: None,
        temporal_type: TemporalType::TimeBounded,
        valid_from: now,
        valid_until: Some(now),
        recorded_at: now,
        write_source: WriteSource::Manual,
        data_source: DataSource::System,
        source_hash: None,
        pinned: false,
        immutable: false,
        flashbulb: false,
        accesses: 0,
        accessed_at: now,
        utility_at: now,
        ..of.memory.clone()
    };
    let reasons = Reasons::default();
    Ok(Some(NewMemory {
        memory,
        verdict: Verdict::Create,
        reason: format!("{} was of use", of.memory.id),
        reasons: to_stored_json("the reasons of feedback", &reasons)?,
        bound: MemoryAttachments { evidence, ..MemoryAttachments::default() },
        tag_ms: None,
        in_mind: false,
        superseded_by: None,
    }))
}
