//! Contemplation: the three passes over an inquiry, each when it is due. A pass is decided on one view and written with how far
//! the inquiry is then, so that whoever is killed leaves it to be made once by whoever comes next.

use crate::{
    growth::proposal::ProposalEvidence,
    rhythm::{StepContext, StepDecision},
    stored_json::{from_stored_json, to_stored_json},
};
use cairn_cognition::{
    contemplation::{aspect, growth_sentence, related_terms, uncertainty},
    excerpt::{excerpt, on_one_line},
};
use cairn_domain::{ContemplationPass, DataSource, Form, Privacy};
use cairn_store::{
    GrowthBatch, InquiryRecord, MadePass, MemoryFilter, MemoryRecord, MemoryScope, PassRecord, Result,
    RhythmBatch, VectorRecord, View,
};
use std::cmp::Reverse;

/// Passes made in one batch.
const MAX_PASSES: u32 = 20;
/// Memories among which those that belong to an inquiry are looked for, the newest first.
const MAX_MEMORIES_SEARCHED: u32 = 2_000;
/// Inquiries looked at beside one.
const MAX_INQUIRIES_SEARCHED: u32 = 100;
/// Memories and inquiries that a pass names.
const MAX_CONNECTED: usize = 5;
/// Maximum characters of a memory that are quoted.
const MAX_QUOTED_CHARS: usize = 120;

/// Makes the passes that are due.
pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !context.growth.inquiries {
        return Ok(StepDecision::nothing("growth.inquiries is off"));
    }
    let due = view.due_inquiries(context.now, MAX_PASSES)?;
    if due.is_empty() {
        return Ok(StepDecision::nothing(""));
    }
    let mut growth = GrowthBatch::default();
    for inquiry in &due {
        growth.passes.extend(next_pass(view, inquiry, context)?);
    }
    // Where nothing settles, the next pass is due at once.
    let more = growth.passes.iter().any(|made| made.progress.due_pass(context.now).is_some());
    let more = more || due.len() as u32 == MAX_PASSES;
    let batch = RhythmBatch { looked_at: due.len() as u32, growth, ..RhythmBatch::default() };
    Ok(StepDecision { batch, next: more.then_some(context.place + 1) })
}

fn next_pass(
    view: &mut View<'_>,
    inquiry: &InquiryRecord,
    context: &StepContext<'_>,
) -> Result<Option<MadePass>> {
    let Some(pass) = inquiry.progress.due_pass(context.now) else { return Ok(None) };
    let sources: Vec<ProposalEvidence> = from_stored_json("the evidence of an inquiry", &inquiry.evidence)?;
    let quoted = |at: usize| sources.get(at).map_or("", |one| one.quoted.as_str());
    let aspect = aspect(quoted(0), quoted(1));
    let (text, evidence) = match pass {
        ContemplationPass::Clarify => {
            let asked = format!("{} {}", inquiry.question, uncertainty(inquiry.source, aspect));
            (asked, sources)
        }
        ContemplationPass::Connect => connections(view, inquiry)?,
        ContemplationPass::Synthesize => {
            let connected = view.passes_of(inquiry.id)?.into_iter();
            let connected = connected.filter(|pass| pass.pass == ContemplationPass::Connect);
            let mut evidence = sources;
            for pass in connected {
                let more: Vec<ProposalEvidence> = from_stored_json("the evidence of a pass", &pass.evidence)?;
                evidence.extend(more.into_iter().filter(|one| one.reference.starts_with("mem_")));
            }
            (growth_sentence(inquiry.source, aspect).to_owned(), evidence)
        }
    };
    let evidence = to_stored_json("the evidence", &evidence)?;
    let vector = (pass == ContemplationPass::Synthesize).then(|| VectorRecord {
        inquiry: inquiry.id,
        text: text.clone(),
        evidence: evidence.clone(),
        made_at: context.now,
        proposal: None,
    });
    Ok(Some(MadePass {
        was: inquiry.progress.passes,
        progress: inquiry.progress.after_pass(context.now, context.growth.settle),
        record: PassRecord { inquiry: inquiry.id, pass, made_at: context.now, text, evidence },
        vector,
    }))
}

/// Whether a memory was told, or is a thought that the agent had about others.
fn is_thought_with(record: &MemoryRecord) -> bool {
    let memory = &record.memory;
    memory.form.is_told()
        || (memory.form == Form::Reflection && memory.data_source == DataSource::AssistantMessage)
}

/// `1 other memory`, `3 other memories`; nothing of none.
fn counted(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} other {}", if number == 1 { one } else { many }))
}

/// The memories and the other inquiries that an inquiry belongs to, those that share most with it first.
fn connections(view: &mut View<'_>, inquiry: &InquiryRecord) -> Result<(String, Vec<ProposalEvidence>)> {
    let filter = MemoryFilter { scope: MemoryScope::Active, ..MemoryFilter::default() };
    let memories = view.memories(filter, u32::MAX, MAX_MEMORIES_SEARCHED)?;
    let told = memories.iter().filter(|it| is_thought_with(it) && it.memory.privacy != Privacy::Private);
    let related = told.filter(|it| !inquiry.evidence.contains(&it.memory.id.to_string()));
    let mut related: Vec<(usize, ProposalEvidence)> = related
        .filter_map(|record| {
            let shared = related_terms(&inquiry.topic, &record.memory.text)?;
            let quoted = excerpt(&on_one_line(&record.memory.text), MAX_QUOTED_CHARS, |_| 1.0);
            Some((shared, ProposalEvidence { reference: record.memory.id.to_string(), quoted }))
        })
        .collect();
    related.sort_by_key(|(shared, _)| Reverse(*shared));
    related.truncate(MAX_CONNECTED);
    let others = view.inquiries(MAX_INQUIRIES_SEARCHED)?.into_iter();
    let mut beside: Vec<(usize, ProposalEvidence)> = others
        .filter(|other| other.id != inquiry.id)
        .filter_map(|other| {
            let shared = related_terms(&inquiry.topic, &other.topic)?;
            Some((shared, ProposalEvidence { reference: other.id.to_string(), quoted: other.question }))
        })
        .collect();
    beside.sort_by_key(|(shared, _)| Reverse(*shared));
    beside.truncate(MAX_CONNECTED);
    let text = match (related.len(), beside.len()) {
        (0, 0) => "It belongs to nothing else that I know.".to_owned(),
        (memories, inquiries) => {
            let told = [counted(memories, "memory", "memories"), counted(inquiries, "inquiry", "inquiries")];
            let told: Vec<String> = told.into_iter().flatten().collect();
            format!("It belongs to {}.", told.join(" and "))
        }
    };
    Ok((text, related.into_iter().chain(beside).map(|(_, one)| one).collect()))
}
