//! Feedback: whether what was found was of use. It moves how useful a memory counts and, if it was of use, how strong it
//! is; never what it says.

use super::{intake::STEP_BACK_MS, shape::meet};
use crate::{
    Agent, EngineError, Result,
    belief::{behind, praise},
    read::generated,
};
use cairn_cognition::utility::{Outcome, after_use, drifted};
use cairn_domain::{Invalid, Memory, Ref, Status, Time};
use cairn_store::{Committed, Formation, MemoryRecord, Strengthened, View};
use std::time::Duration;

const DAY_MS: f64 = 86_400_000.0;

impl Agent {
    /// Says that a memory was of use or was not, or a message, through the memories that rest on it. Those memories, as
    /// they are then.
    pub async fn feedback(&self, reference: Ref, outcome: Outcome) -> Result<Vec<MemoryRecord>> {
        if let Ref::Digest(id) = reference {
            return Err(generated(id).into());
        }
        let mut attempt = 0;
        loop {
            let now = self.now();
            let (version, named, made) = self
                .store
                .read(|view| {
                    let (version, named) = (view.memory_version()?, named(view, reference)?);
                    let mut praises = Vec::new();
                    for record in named.iter().flatten().filter(|_| outcome == Outcome::Success) {
                        praises.extend(praise(view, record, now)?);
                    }
                    Ok((version, named, praises))
                })
                .await?;
            let named = named.ok_or_else(|| EngineError::NotFound(reference.to_string()))?;
            let mut records: Vec<MemoryRecord> =
                named.into_iter().filter(|record| record.memory.status != Status::Superseded).collect();
            if records.is_empty() {
                return Err(useless(reference).into());
            }
            for record in &mut records {
                used(&mut record.memory, outcome, now);
            }
            let strengthened = records.iter().map(|record| {
                let (number, memory) = (record.number, record.memory.clone());
                Strengthened { number, memory, evidence: Vec::new() }
            });
            let strengthened = strengthened.collect();
            let formation = Formation { version, made, strengthened, ..Formation::default() };
            if let Committed::Done(_) = self.store.commit(formation, now).await? {
                let memories = records.iter().map(|record| record.memory.id).collect();
                if outcome == Outcome::Success {
                    self.believe_at_once(memories, "feedback").await?;
                }
                return Ok(records);
            }
            // Whoever was quicker has moved on, so that somebody always does.
            attempt = STEP_BACK_MS.min(attempt + 1);
            tokio::time::sleep(Duration::from_millis(attempt)).await;
        }
    }
}

/// The memories behind a ref; `None` if nothing is there.
fn named(view: &mut View<'_>, reference: Ref) -> cairn_store::Result<Option<Vec<MemoryRecord>>> {
    let messages = match reference {
        Ref::Memory(id) => return Ok(view.memory(id)?.map(|record| vec![record])),
        Ref::Belief(id) => return behind(view, id),
        Ref::Digest(_) => return Ok(None),
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
fn used(memory: &mut Memory, outcome: Outcome, now: Time) {
    let days = (now.millis() - memory.utility_at.millis()) as f64 / DAY_MS;
    memory.utility = after_use(drifted(memory.utility, days), outcome);
    memory.utility_at = memory.utility_at.max(now);
    if outcome == Outcome::Success {
        meet(memory, now);
    }
}

fn useless(reference: Ref) -> Invalid {
    match reference {
        Ref::Memory(id) => Invalid::new(
            format!("{id} holds no longer, and what is gone is of no use"),
            format!("`cairn why {id}` tells what took its place: give feedback on that"),
        ),
        Ref::Message(_) | Ref::Exchange(_) | Ref::Belief(_) | Ref::Digest(_) => Invalid::new(
            format!("no memory that holds rests on {reference}"),
            "feedback counts for memories; what was said is kept either way",
        ),
    }
}
