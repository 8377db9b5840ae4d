//! Reading growth: inquiries with their passes, and what a session is told of them.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    growth::{developing::GrowthPattern, proposal::ProposalEvidence},
    stored_json::from_stored_json,
};
use cairn_domain::{ContemplationPass, InquiryId, MILLIS_PER_DAY, Time};
use cairn_store::{InquiryRecord, PassRecord, VectorRecord, View};

/// Inquiries and syntheses that a session is told of.
const MAX_TOLD: usize = 3;
/// Patterns that a session is told of.
const MAX_PATTERNS: usize = 3;
/// Inquiries that are looked at for it.
const MAX_SEARCHED: u32 = 100;
/// A synthesis is recent for this long.
const RECENT_MS: i64 = 7 * MILLIS_PER_DAY;

/// An inquiry with its passes and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InquiryPage {
    /// The inquiry.
    pub inquiry: InquiryRecord,
    /// The records it is about.
    pub evidence: Vec<ProposalEvidence>,
    /// Its passes, in order.
    pub passes: Vec<PassRecord>,
    /// The memories and the other inquiries that it belongs to.
    pub connected: Vec<ProposalEvidence>,
    /// The vector that came of it.
    pub vector: Option<VectorRecord>,
}

/// Inquiries and patterns that a session is told of, each with the records behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Thoughts {
    pub(crate) open: Vec<(InquiryRecord, Vec<String>)>,
    pub(crate) synthesis: Vec<(PassRecord, Vec<String>)>,
    pub(crate) patterns: Vec<GrowthPattern>,
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
                let connect = passes.iter().find(|made| made.pass == ContemplationPass::Connect);
                let connected =
                    connect.map(|made| from_stored_json("the evidence of a pass", &made.evidence));
                let connected = connected.transpose()?.unwrap_or_default();
                pages.push(InquiryPage { inquiry, evidence, passes, connected, vector });
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

    pub(crate) async fn thoughts(&self) -> Result<Thoughts> {
        let since = Time::from_millis(self.now().millis() - RECENT_MS);
        let read = move |view: &mut View<'_>| {
            Ok((view.inquiries(MAX_SEARCHED)?, view.passes_since(since, MAX_SEARCHED)?))
        };
        let (inquiries, passes) = self.store.read(read).await?;
        let open = inquiries.into_iter().filter(|inquiry| inquiry.progress.due_at.is_some());
        let open = open.take(MAX_TOLD).map(|inquiry| Ok((inquiry.clone(), refs(&inquiry.evidence)?)));
        let synthesis = passes.into_iter().filter(|pass| pass.pass == ContemplationPass::Synthesize);
        let synthesis = synthesis.take(1).map(|pass| Ok((pass.clone(), refs(&pass.evidence)?)));
        let mut patterns = self.growth_patterns().await?;
        patterns.retain(|pattern| pattern.fate.is_open());
        patterns.truncate(MAX_PATTERNS);
        Ok(Thoughts {
            open: open.collect::<Result<_>>()?,
            synthesis: synthesis.collect::<Result<_>>()?,
            patterns,
        })
    }
}

/// The refs of the memories that evidence quotes.
fn refs(evidence: &str) -> Result<Vec<String>> {
    let evidence: Vec<ProposalEvidence> = from_stored_json("the evidence", evidence)?;
    Ok(evidence.into_iter().map(|one| one.reference).filter(|one| one.starts_with("mem_")).collect())
}
