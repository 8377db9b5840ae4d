//! Feedback: whether what was found was of use. It moves how useful a memory counts and, if it was of use, how strong it
//! is; never what it says.

use crate::{
    agent::Agent,
    belief::{feedback_memory, memories_supporting},
    error::{EngineError, Result},
    read::generated,
    retry::Attempts,
    write::form::memory::reinforce_on_access,
};
use cairn_cognition::utility::{UseOutcome, drifted_utility, utility_after_use};
use cairn_domain::{Invalid, MILLIS_PER_DAY, Memory, Ref, Status, Time};
use cairn_store::{Committed, Formation, MemoryRecord, Strengthened, View};

impl Agent {
    /// Says that a memory was of use or was not, or a message, through the memories that rest on it. Those memories, as
    /// they are then.
    pub(crate) async fn feedback(&self, reference: Ref, outcome: UseOutcome) -> Result<Vec<MemoryRecord>> {
        if let Ref::Digest(id) = reference {
            return Err(generated(id).into());
        }
        let mut attempts = Attempts::at("take feedback");
        loop {
            let now = self.now();
            let (version, named, made) = self
                .store
                .read(|view| {
                    let (version, named) = (view.memory_version()?, memories_behind(view, reference)?);
                    let mut praises = Vec::new();
                    for record in named.iter().flatten().filter(|_| outcome == UseOutcome::Success) {
                        praises.extend(feedback_memory(view, record, now)?);
                    }
                    Ok((version, named, praises))
                })
                .await?;
            let named = named.ok_or_else(|| EngineError::NotFound(reference.to_string()))?;
            let mut records: Vec<MemoryRecord> =
                named.into_iter().filter(|record| record.memory.status != Status::Superseded).collect();
            if records.is_empty() {
                return Err(nothing_to_rate(reference).into());
            }
            for record in &mut records {
                apply_feedback(&mut record.memory, outcome, now);
            }
            let strengthened = records.iter().map(|record| {
                let (number, memory) = (record.number, record.memory.clone());
                Strengthened { number, memory, evidence: Vec::new() }
            });
            let strengthened = strengthened.collect();
            let formation = Formation { version, made, strengthened, ..Formation::default() };
            if let Committed::Done(_) = self.store.commit(formation, now).await? {
                let memories = records.iter().map(|record| record.memory.id).collect();
                if outcome == UseOutcome::Success {
                    self.believe_at_once(memories, "feedback").await?;
                }
                return Ok(records);
            }
            attempts.overtaken().await?;
        }
    }
}

/// The memories behind a ref; `None` if nothing is there.
fn memories_behind(view: &mut View<'_>, reference: Ref) -> cairn_store::Result<Option<Vec<MemoryRecord>>> {
    let messages = match reference {
        Ref::Memory(id) => return Ok(view.memory(id)?.map(|record| vec![record])),
        Ref::Belief(id) => return memories_supporting(view, id),
        Ref::Digest(_) | Ref::Attachment(_) => return Ok(None),
        Ref::Message(id) => view.message(id)?.into_iter().collect(),
        Ref::Exchange(id) => view.exchange(id)?,
    };
    let mut numbers = Vec::new();
    for record in &messages {
        numbers.extend(view.memories_on(record.message.id)?);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let records = view.memories_at(&numbers)?;
    Ok((!messages.is_empty()).then_some(records))
}

/// How useful a memory is after a use, counted from what time has made of it; one of use is met again.
fn apply_feedback(memory: &mut Memory, outcome: UseOutcome, now: Time) {
    let days = (now.millis() - memory.utility_at.millis()) as f64 / MILLIS_PER_DAY as f64;
    memory.utility = utility_after_use(drifted_utility(memory.utility, days), outcome);
    memory.utility_at = memory.utility_at.max(now);
    if outcome == UseOutcome::Success {
        reinforce_on_access(memory, now);
    }
}

fn nothing_to_rate(reference: Ref) -> Invalid {
    match reference {
        Ref::Memory(id) => Invalid::new(
            format!("{id} no longer holds"),
            format!("`cairn why {id}` shows what replaced it: give feedback on that"),
        ),
        Ref::Message(_) | Ref::Exchange(_) | Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_) => {
            Invalid::new(
                format!("no active memory is based on {reference}"),
                "give feedback on a memory; messages are kept either way",
            )
        }
    }
}
