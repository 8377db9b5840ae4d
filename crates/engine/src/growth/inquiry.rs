//! Inquiries are opened for what did not fit: a correction that replaced something, two memories that cannot both hold, somebody who
//! questioned who the agent is, an exchange whose entropy called for anchors. The same matter is opened once; that it came up again is
//! counted.

use crate::{
    growth::{CoherenceConfig, proposal::ProposalEvidence},
    rhythm::{StepContext, StepDecision},
    stored_json::{from_stored_json, to_stored_json},
};
use cairn_cognition::{
    contemplation::{InquiryMatter, inquiry_question, topic},
    excerpt::{excerpt, on_one_line},
};
use cairn_domain::{
    Category, EntropyPart, EntropySource, ExchangeEntropy, InquiryId, InquiryProgress, InquirySource,
    MILLIS_PER_DAY, Privacy, RelationKind, Time,
};
use cairn_store::{
    CoherenceFilter, GrowthBatch, InquiryRecord, InquirySeen, MemoryRecord, Result, RhythmBatch, View,
};

/// Up to which memory candidates were looked for. The name is stored, so it never changes.
const INQUIRIES: &str = "growth/inquiries";
/// Up to when exchanges were looked at. The name is stored, so it never changes.
const EXCHANGES: &str = "growth/inquiries/exchanges";
/// Exchanges looked at in one batch at most, the newest.
const MAX_EXCHANGES: u32 = 200;
/// Inquiries among which the same matter is looked for.
const MAX_KNOWN_INQUIRIES: u32 = 200;
/// An inquiry that ended this long ago is opened anew.
const SETTLED_FOR_MS: i64 = 7 * MILLIS_PER_DAY;
/// Inquiries opened in one batch at most.
const MAX_OPENED: usize = 20;
/// Sayings that an inquiry quotes at most.
const MAX_EVIDENCE: usize = 12;
/// Maximum characters that are quoted.
const MAX_QUOTED_CHARS: usize = 160;

/// Something that did not fit.
pub(super) struct InquiryCandidate {
    pub(super) source: InquirySource,
    /// As it was held, if something was.
    pub(super) before: Option<ProposalEvidence>,
    /// As it was said then.
    pub(super) after: ProposalEvidence,
}

/// Opens inquiries for the next memories and exchanges that do not fit what was known.
pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !context.growth.inquiries {
        return Ok(StepDecision::nothing("growth.inquiries is off"));
    }
    let from = view.watermark(INQUIRIES)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let mut exchanges = new_exchanges(view)?;
    exchanges.reverse();
    if records.is_empty() && exchanges.is_empty() {
        return Ok(StepDecision::nothing(""));
    }
    let looked_at = (records.len() + exchanges.len()) as u32;
    let mut batch = RhythmBatch { looked_at, ..RhythmBatch::default() };
    if let Some(last) = records.last() {
        batch.watermarks.push((INQUIRIES.to_owned(), i64::from(last.number) + 1));
    }
    if let Some(last) = exchanges.last() {
        // The last one may grow within the same moment.
        batch.watermarks.push((EXCHANGES.to_owned(), last.at.millis()));
    }
    let mut candidates = Vec::new();
    for record in &records {
        candidates.extend(candidates_of(view, record)?);
    }
    candidates.extend(exchanges.iter().filter_map(|it| exchange_candidate(it, context.coherence)));
    batch.growth = opened_inquiries(view, &candidates, context.now)?;
    let more = records.len() as u32 == context.config.batch;
    Ok(StepDecision { batch, next: more.then_some(context.place + 1) })
}

/// An inquiry among which the same matter is looked for.
struct KnownInquiry {
    record: InquiryRecord,
    /// The words that were held, if some were, what was said then, and what was said of it since.
    evidence: Vec<ProposalEvidence>,
    matter: InquiryMatter,
}

impl KnownInquiry {
    fn of(record: InquiryRecord) -> Result<Self> {
        let evidence: Vec<ProposalEvidence> =
            from_stored_json("the evidence of an inquiry", &record.evidence)?;
        let matter = match (is_of_two(record.source), evidence.as_slice()) {
            (true, [before, after, ..]) => InquiryMatter::of(Some(&before.quoted), &after.quoted),
            (_, evidence) => InquiryMatter::of(None, evidence.first().map_or("", |one| one.quoted.as_str())),
        };
        Ok(Self { record, evidence, matter })
    }

    /// An exchange is measured again with each of its messages.
    fn has_counted(&self, candidate: &InquiryCandidate, opened: InquiryId) -> bool {
        let of_exchange = candidate.before.is_none() && self.record.source == candidate.source;
        let quotes = || self.evidence.iter().any(|one| one.reference == candidate.after.reference);
        self.record.id == opened || of_exchange && quotes()
    }

    /// Whether what set something right is now set right itself.
    fn goes_on_in(&self, candidate: &InquiryCandidate) -> bool {
        let held = candidate.before.as_ref().map(|before| &before.reference);
        candidate.source == InquirySource::Correction
            && self.evidence.get(1).is_some_and(|after| Some(&after.reference) == held)
    }

    fn is_about(&self, candidate: &InquiryCandidate, opened: &Self, now: Time) -> bool {
        let InquiryRecord { progress, seen_at, source, .. } = &self.record;
        let ended = progress.due_at.is_none() && now.millis() - seen_at.millis() > SETTLED_FOR_MS;
        let same = || self.goes_on_in(candidate) || self.matter.is_same(&opened.matter);
        !ended && *source == candidate.source && same()
    }

    /// Counts that it came up again. A question about something that was set right since is asked anew.
    fn see_again(&mut self, candidate: &InquiryCandidate) -> Result<InquirySeen> {
        if self.goes_on_in(candidate) {
            self.evidence.insert(1, candidate.after.clone());
        } else {
            self.evidence.push(candidate.after.clone());
        }
        self.evidence.truncate(MAX_EVIDENCE);
        let mut record = self.record.clone();
        if let [before, after, ..] = self.evidence.as_slice()
            && is_of_two(record.source)
        {
            record.question = inquiry_question(record.source, &before.quoted, &after.quoted);
            record.topic = topic(&format!("{} {}", before.quoted, after.quoted));
        }
        record.evidence = to_stored_json("the evidence", &self.evidence)?;
        *self = Self::of(record)?;
        let InquiryRecord { id, topic, question, evidence, .. } = self.record.clone();
        Ok(InquirySeen { id, topic, question, evidence })
    }
}

/// Whether an inquiry is about two sayings.
fn is_of_two(source: InquirySource) -> bool {
    matches!(source, InquirySource::Correction | InquirySource::Contradiction)
}

/// The inquiries that candidates open, and those that they bring up again.
fn opened_inquiries(view: &mut View<'_>, candidates: &[InquiryCandidate], now: Time) -> Result<GrowthBatch> {
    let known = view.inquiries(MAX_KNOWN_INQUIRIES)?.into_iter();
    let mut known = known.map(KnownInquiry::of).collect::<Result<Vec<KnownInquiry>>>()?;
    let mut growth = GrowthBatch::default();
    for candidate in candidates {
        let opened = KnownInquiry::of(opened_inquiry(candidate, now)?)?;
        if known.iter().any(|one| one.has_counted(candidate, opened.record.id)) {
            continue;
        }
        match known.iter_mut().find(|one| one.is_about(candidate, &opened, now)) {
            Some(same) => growth.seen.push(same.see_again(candidate)?),
            None if growth.opened.len() < MAX_OPENED => {
                growth.opened.push(opened.record.clone());
                known.push(opened);
            }
            None => {}
        }
    }
    Ok(growth)
}

/// Exchanges that were measured since the last look, the newest first.
fn new_exchanges(view: &mut View<'_>) -> Result<Vec<ExchangeEntropy>> {
    let since = view.watermark(EXCHANGES)?.map(Time::from_millis);
    view.coherence(&CoherenceFilter { session: None, since }, MAX_EXCHANGES)
}

/// An exchange in which somebody questioned who the agent is, or whose entropy called for anchors. One that set something right or
/// contradicted something is thought about by the memories of it.
fn exchange_candidate(measured: &ExchangeEntropy, config: &CoherenceConfig) -> Option<InquiryCandidate> {
    let part = |source: EntropySource| measured.parts.iter().find(|part| part.source == source);
    let (source, seen) = if let Some(challenge) = part(EntropySource::IdentityChallenge) {
        (InquirySource::IdentityChallenge, challenge)
    } else {
        let replaced = part(EntropySource::Correction).or(part(EntropySource::Contradiction));
        if measured.entropy <= config.anchors_above || replaced.is_some() {
            return None;
        }
        let amount = |part: &&EntropyPart| part.strength * config.weights.of(part.source);
        let strongest = measured.parts.iter().max_by(|a, b| amount(a).total_cmp(&amount(b)))?;
        (InquirySource::Entropy, strongest)
    };
    let quoted = excerpt(&on_one_line(&seen.saw), MAX_QUOTED_CHARS, |_| 1.0);
    let after = ProposalEvidence { reference: seen.message.to_string(), quoted };
    Some(InquiryCandidate { source, before: None, after })
}

/// The memories that a memory does not fit: those it set right, and those it contradicts.
fn candidates_of(view: &mut View<'_>, record: &MemoryRecord) -> Result<Vec<InquiryCandidate>> {
    if !record.memory.form.is_told() || record.memory.privacy == Privacy::Private {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for relation in view.relations(record.number)?.into_iter().filter(|it| it.from == record.number) {
        let source = match relation.kind {
            RelationKind::Supersedes if record.memory.category == Category::Correction => {
                InquirySource::Correction
            }
            RelationKind::Contradicts => InquirySource::Contradiction,
            _ => continue,
        };
        let Some(before) = view.memories_at(&[relation.to])?.pop() else { continue };
        found.push(InquiryCandidate { source, before: Some(quoted(&before)), after: quoted(record) });
    }
    Ok(found)
}

fn quoted(record: &MemoryRecord) -> ProposalEvidence {
    let quoted = excerpt(&on_one_line(&record.memory.text), MAX_QUOTED_CHARS, |_| 1.0);
    ProposalEvidence { reference: record.memory.id.to_string(), quoted }
}

fn opened_inquiry(candidate: &InquiryCandidate, now: Time) -> Result<InquiryRecord> {
    let InquiryCandidate { source, before, after } = candidate;
    let held = before.as_ref().map_or("", |before| before.quoted.as_str());
    let question = inquiry_question(*source, held, &after.quoted);
    let topic = topic(&format!("{held} {}", after.quoted));
    let reference = before.as_ref().map_or("", |before| before.reference.as_str());
    let evidence: Vec<&ProposalEvidence> = before.iter().chain([after]).collect();
    Ok(InquiryRecord {
        id: InquiryId::of(*source, &after.reference, reference),
        source: *source,
        topic,
        question,
        evidence: to_stored_json("the evidence", &evidence)?,
        opened_at: now,
        seen: 1,
        seen_at: now,
        progress: InquiryProgress::opened(now),
    })
}
