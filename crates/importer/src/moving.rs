//! A move carried out: pieces are read on a thread of their own and stored in batches, each durable before the next. A move
//! that was killed is begun again and adds only what is missing.

use crate::{
    error::{ImporterError, Result},
    form::Form,
    gathered::Gathered,
    plan::{Plan, ProductPlan, SeenMessages, gather_new},
    recognize::Source,
};
use cairn_domain::Draft;
use cairn_engine::{Agent, IngestReport, KnowledgeReport};
use jiff::tz::TimeZone;
use std::{path::PathBuf, thread};
use tokio::sync::mpsc;

/// Messages that become durable together.
const BATCH_MESSAGES: usize = 512;
/// Batches read ahead of the writer.
const BATCHES_AHEAD: usize = 4;

/// Whose things are taken, where several people or agents share a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TenantChoice {
    /// Everything: nothing is shared.
    Everything,
    /// Of what is shared, this one's; of the rest everything.
    User(String),
    /// This one's of what is shared, and nothing else.
    Only(String),
    /// Everything that is not shared, and all that is nobody's.
    Unshared,
}

impl TenantChoice {
    /// Whether a piece of a product is taken.
    fn takes(&self, product: &ProductPlan, tenant: Option<&str>) -> bool {
        let shared = product.is_shared();
        match self {
            Self::Everything => true,
            Self::User(user) => !shared || tenant == Some(user.as_str()),
            Self::Only(user) => shared && tenant == Some(user.as_str()),
            Self::Unshared => !shared || tenant.is_none(),
        }
    }

    /// Whether what belongs to nobody in particular is read: files, transcripts.
    fn takes_files(&self) -> bool {
        !matches!(self, Self::Only(_))
    }
}

/// Counts of a move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moved {
    /// Messages.
    pub messages: IngestReport,
    /// Files read as knowledge.
    pub knowledge: KnowledgeReport,
    /// Messages of other people or agents, left where they are.
    pub others: u64,
}

/// One step of the reading thread.
enum Step {
    Batch(Vec<Draft>),
    Knowledge { path: PathBuf, thread: Option<String> },
    Others(u64),
    Failed(ImporterError),
}

/// Stores what was planned. `on_progress` is told after every batch.
pub async fn carry_out(
    agent: &Agent,
    sources: &[Source],
    plan: &Plan,
    choice: &TenantChoice,
    zone: &TimeZone,
    on_progress: &mut (dyn FnMut(&Moved) + Send),
) -> Result<Moved> {
    let mut moved = Moved::default();
    let (steps, mut received) = mpsc::channel(BATCHES_AHEAD);
    let (all, planned, chosen, zone) = (sources.to_vec(), plan.clone(), choice.clone(), zone.clone());
    let reading = move || {
        if let Err(failed) = read_all(&all, &planned, &chosen, &zone, &steps) {
            // Nobody waits any more if this is not taken.
            let _ = steps.blocking_send(Step::Failed(failed));
        }
    };
    let spawned = thread::Builder::new().name("cairn-importer".to_owned()).spawn(reading);
    spawned.map_err(ImporterError::file(&PathBuf::from("a thread")))?;
    while let Some(step) = received.recv().await {
        match step {
            Step::Batch(drafts) => moved.messages += agent.ingest_drafts(drafts).await?,
            Step::Knowledge { path, thread } => {
                moved.knowledge += agent.learn(&path, thread.as_deref(), &mut |_| {}).await?;
            }
            Step::Others(count) => moved.others += count,
            Step::Failed(failed) => return Err(failed),
        }
        on_progress(&moved);
    }
    if choice.takes_files() {
        for source in sources.iter().filter(|source| source.form == Form::Transcript) {
            moved.messages += agent.ingest_file(&source.path, None, &mut |_| {}).await?;
            on_progress(&moved);
        }
    }
    agent.finish_ingest(moved.messages).await?;
    Ok(moved)
}

fn read_all(
    sources: &[Source],
    plan: &Plan,
    choice: &TenantChoice,
    zone: &TimeZone,
    steps: &mpsc::Sender<Step>,
) -> Result<()> {
    let mut seen = SeenMessages::default();
    for source in sources {
        let planned = plan.get(&source.form.product()).cloned().unwrap_or_default();
        let (mut batch, mut others) = (Vec::with_capacity(BATCH_MESSAGES), 0);
        // Whoever stopped listening gets nothing more; the rest is read and dropped.
        let send = |step: Step| drop(steps.blocking_send(step));
        gather_new(source, sources, zone, &mut seen, &mut |piece| match piece {
            Gathered::Words { draft, tenant, .. } => {
                if !choice.takes(&planned, tenant.as_deref()) {
                    others += 1;
                    return;
                }
                batch.push(*draft);
                if batch.len() == BATCH_MESSAGES {
                    send(Step::Batch(std::mem::take(&mut batch)));
                }
            }
            Gathered::Knowledge { path, thread } if choice.takes_files() => {
                send(Step::Knowledge { path, thread });
            }
            _ => {}
        })?;
        if !batch.is_empty() {
            send(Step::Batch(batch));
        }
        send(Step::Others(others));
    }
    Ok(())
}
