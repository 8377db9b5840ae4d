//! Reading growth: inquiries with their passes, the patterns that several inquiries came to, and what the last night did.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    growth::proposal::ProposalEvidence,
    stored_json::from_stored_json,
};
use cairn_domain::{ContemplationPass, InquiryId, MILLIS_PER_DAY, MILLIS_PER_HOUR, RunState, Time};
use cairn_store::{InquiryRecord, PassRecord, StepRecord, VectorRecord};
use std::collections::BTreeMap;

/// Inquiries and syntheses that a session is told of.
const MAX_TOLD: usize = 3;
/// Patterns that a session is told of.
const MAX_PATTERNS: usize = 3;
/// Inquiries that are looked at for it.
const MAX_SEARCHED: u32 = 100;
/// A synthesis is recent for this long.
const RECENT_MS: i64 = 7 * MILLIS_PER_DAY;
/// A night is told of for this long.
const NIGHT_MS: i64 = 18 * MILLIS_PER_HOUR;
/// The rhythms of the night that are told of.
const NIGHT_RHYTHMS: [&str; 4] = ["dream", "standing", "evolution", "digests"];

/// An inquiry with its passes and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryPage {
    /// The inquiry.
    pub inquiry: InquiryRecord,
    /// The records it is about.
    pub evidence: Vec<ProposalEvidence>,
    /// Its passes, in order.
    pub passes: Vec<PassRecord>,
    /// The vector that came of it.
    pub vector: Option<VectorRecord>,
}

/// A pattern: growth vectors that say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowthPattern {
    /// The sentence.
    pub text: String,
    /// How many inquiries came to it.
    pub times: usize,
    /// The records behind it.
    pub refs: Vec<String>,
}

/// Inquiries and patterns that a session is told of, each with the records behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Thoughts {
    pub(crate) open: Vec<(InquiryRecord, Vec<String>)>,
    pub(crate) synthesis: Vec<(PassRecord, Vec<String>)>,
    pub(crate) patterns: Vec<GrowthPattern>,
}

/// The report of the last night, in lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NightReport {
    pub(crate) lines: Vec<String>,
}

impl Agent {
    /// Inquiries with their passes, the newest first.
    pub async fn inquiries(&self, limit: u32) -> Result<Vec<InquiryPage>> {
        let pages = self.store.read(|view| {
            let vectors = view.growth_vectors(u32::MAX >> 1)?;
            let mut pages = Vec::new();
            for inquiry in view.inquiries(limit)? {
                let passes = view.passes_of(inquiry.id)?;
                let vector = vectors.iter().find(|vector| vector.inquiry == inquiry.id).cloned();
                let evidence = from_stored_json("the evidence of an inquiry", &inquiry.evidence)?;
                pages.push(InquiryPage { inquiry, evidence, passes, vector });
            }
            Ok(pages)
        });
        Ok(pages.await?)
    }

    /// One inquiry with its passes.
    pub async fn inquiry(&self, id: InquiryId) -> Result<InquiryPage> {
        let found = self.inquiries(u32::MAX >> 1).await?.into_iter().find(|page| page.inquiry.id == id);
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// Patterns that are part of no identity yet, the one that most inquiries came to first.
    pub async fn growth_patterns(&self) -> Result<Vec<GrowthPattern>> {
        let vectors = self.store.read(|view| view.growth_vectors(MAX_SEARCHED)).await?;
        patterns(&vectors)
    }

    pub(crate) async fn thoughts(&self) -> Result<Thoughts> {
        let since = Time::from_millis(self.now().millis() - RECENT_MS);
        let (inquiries, passes, vectors) = self
            .store
            .read(|view| {
                let passes = view.passes_since(since, MAX_SEARCHED)?;
                Ok((view.inquiries(MAX_SEARCHED)?, passes, view.growth_vectors(MAX_SEARCHED)?))
            })
            .await?;
        let open = inquiries.into_iter().filter(|inquiry| inquiry.progress.due_at.is_some());
        let open = open.take(MAX_TOLD).map(|inquiry| Ok((inquiry.clone(), refs(&inquiry.evidence)?)));
        let synthesis = passes.into_iter().filter(|pass| pass.pass == ContemplationPass::Synthesize);
        let synthesis = synthesis.take(1).map(|pass| Ok((pass.clone(), refs(&pass.evidence)?)));
        let patterns = patterns(&vectors)?.into_iter().take(MAX_PATTERNS).collect();
        Ok(Thoughts {
            open: open.collect::<Result<_>>()?,
            synthesis: synthesis.collect::<Result<_>>()?,
            patterns,
        })
    }

    /// The report of the last night, if it is not long ago: what each rhythm of it changed, and what was thought about.
    pub(crate) async fn night_report(&self) -> Result<NightReport> {
        let now = self.now();
        let since = Time::from_millis(now.millis() - NIGHT_MS);
        let report = self.store.read(move |view| {
            let mut lines = Vec::new();
            for rhythm in NIGHT_RHYTHMS {
                let run = view
                    .runs(rhythm, 1)?
                    .pop()
                    .filter(|run| run.state == RunState::Done && run.as_of > since && run.as_of <= now);
                let Some(run) = run else { continue };
                let steps = view.steps_of(run.run)?;
                let told: Vec<String> = steps.iter().filter(|step| step.changed > 0).map(told_step).collect();
                if !told.is_empty() {
                    lines.push(format!("{} {rhythm}: {}", run.as_of.minute(), told.join(", ")));
                }
            }
            if !lines.is_empty() {
                lines.extend(told_passes(&view.passes_since(since, MAX_SEARCHED)?));
            }
            Ok(NightReport { lines })
        });
        Ok(report.await?)
    }
}

/// How many passes of each kind were made; nothing of none.
fn told_passes(passes: &[PassRecord]) -> Option<String> {
    let count = |pass: ContemplationPass| passes.iter().filter(|made| made.pass == pass).count();
    let counts = ContemplationPass::ALL.into_iter().map(|pass| (pass, count(pass)));
    let told: Vec<String> =
        counts.filter(|(_, times)| *times > 0).map(|(pass, times)| format!("{pass} {times}")).collect();
    (!told.is_empty()).then(|| format!("thought: {}", told.join(", ")))
}

fn told_step(step: &StepRecord) -> String {
    format!("{} {}", step.name, step.changed)
}

fn patterns(vectors: &[VectorRecord]) -> Result<Vec<GrowthPattern>> {
    let mut by_text: BTreeMap<&str, Vec<&VectorRecord>> = BTreeMap::new();
    for vector in vectors.iter().filter(|vector| vector.proposal.is_none()) {
        by_text.entry(&vector.text).or_default().push(vector);
    }
    let mut found = Vec::new();
    for (text, vectors) in by_text {
        let mut all = Vec::new();
        for vector in &vectors {
            all.extend(refs(&vector.evidence)?);
        }
        all.dedup();
        found.push(GrowthPattern { text: text.to_owned(), times: vectors.len(), refs: all });
    }
    found.sort_by_key(|pattern| std::cmp::Reverse(pattern.times));
    Ok(found)
}

/// The refs of the records that evidence quotes.
fn refs(evidence: &str) -> Result<Vec<String>> {
    let evidence: Vec<ProposalEvidence> = from_stored_json("the evidence", evidence)?;
    Ok(evidence.into_iter().map(|one| one.reference).filter(|one| one.starts_with("mem_")).collect())
}
