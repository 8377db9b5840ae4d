//! Patterns: whatever repeats in what an agent knows of its work and of itself, in one list with its evidence. Whoever wants to
//! change a prompt reads it, and hands in what follows from it as a proposal; nothing here changes anything.

use crate::{agent::Agent, error::Result, read::MemoryListing};
use cairn_domain::{Form, MessageId, Privacy, ProposalId, ProposalStatus, Ref, Time, WriteSource};
use cairn_store::{MemoryRecord, View};
use std::cmp::Reverse;

/// Memories of one form that are looked at, the newest.
const MAX_SEARCHED: u32 = 200;

/// Where a pattern was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatternSource {
    /// Growth vectors that say the same.
    Growth,
    /// Friction in work with tools.
    Friction,
    /// Steps that worked in the same order.
    Procedure,
    /// Memories that say about the same on several days.
    Recurring,
    /// A correction, or how a problem ended.
    Lesson,
    /// A thought of the agent about what it knows.
    Reflection,
}

impl PatternSource {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Growth => "growth",
            Self::Friction => "friction",
            Self::Procedure => "procedure",
            Self::Recurring => "recurring",
            Self::Lesson => "lesson",
            Self::Reflection => "reflection",
        }
    }
}

/// Something that repeats, or that was learned from what did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPattern {
    /// Where it was seen.
    pub source: PatternSource,
    /// The pattern in one sentence.
    pub text: String,
    /// How often it was seen.
    pub times: usize,
    /// The project; none if it belongs to none.
    pub thread: Option<String>,
    /// When it was seen last, if that is known.
    pub last_at: Option<Time>,
    /// Refs of the records that it rests on: what a proposal may give as evidence.
    pub evidence: Vec<String>,
    /// The proposal that came of it.
    pub proposal: Option<(ProposalId, ProposalStatus)>,
}

impl Agent {
    /// Everything that repeats, the most often seen first, of one project or of all.
    pub async fn patterns(&self, thread: Option<&str>, limit: usize) -> Result<Vec<ObservedPattern>> {
        let mut found = Vec::new();
        if thread.is_none() {
            found.extend(self.growth_patterns().await?.into_iter().map(|pattern| ObservedPattern {
                source: PatternSource::Growth,
                text: pattern.text,
                times: pattern.times,
                thread: None,
                last_at: None,
                proposal: pattern.fate.proposal(),
                evidence: pattern.refs,
            }));
        }
        found.extend(self.work_patterns(thread).await?);
        for (form, source) in [
            (Form::Pattern, PatternSource::Recurring),
            (Form::Lesson, PatternSource::Lesson),
            (Form::Reflection, PatternSource::Reflection),
        ] {
            found.extend(self.remembered_patterns(thread, form, source).await?);
        }
        found.sort_by_key(|pattern| (Reverse(pattern.times), pattern.source, Reverse(pattern.last_at)));
        found.truncate(limit);
        Ok(found)
    }

    /// Friction and procedures.
    async fn work_patterns(&self, thread: Option<&str>) -> Result<Vec<ObservedPattern>> {
        let mut found = Vec::new();
        for project in self.evolution(thread).await?.projects {
            for friction in project.frictions {
                let Some(text) = friction.told() else { continue };
                found.push(ObservedPattern {
                    source: PatternSource::Friction,
                    text,
                    times: friction.times,
                    thread: project.thread.clone(),
                    last_at: friction.last_at,
                    evidence: refs(&friction.seen),
                    proposal: friction.proposal,
                });
            }
        }
        let skills = self.skills(thread).await?;
        found.extend(skills.into_iter().flat_map(|project| project.procedures).map(|procedure| {
            ObservedPattern {
                source: PatternSource::Procedure,
                text: procedure.order(),
                times: procedure.worked as usize,
                last_at: Some(procedure.last_at),
                evidence: refs(&procedure.evidence),
                thread: procedure.thread,
                proposal: None,
            }
        }));
        Ok(found)
    }

    /// Memories that were made of others, and thoughts about them.
    async fn remembered_patterns(
        &self,
        thread: Option<&str>,
        form: Form,
        source: PatternSource,
    ) -> Result<Vec<ObservedPattern>> {
        let listing =
            MemoryListing { thread: thread.map(str::to_owned), form: Some(form), ..MemoryListing::default() };
        let mut records = self.list_memories(&listing, MAX_SEARCHED).await?;
        records.retain(is_pattern);
        let numbers: Vec<u32> = records.iter().map(|record| record.number).collect();
        let counts = self.store.read(move |view: &mut View<'_>| {
            numbers
                .iter()
                .map(|number| Ok(view.evidence_of(*number)?.len()))
                .collect::<cairn_store::Result<Vec<usize>>>()
        });
        let counts = counts.await?;
        Ok(records.into_iter().zip(counts).map(|(record, times)| pattern_of(record, source, times)).collect())
    }
}

/// Whether a memory is a pattern and no private one; that another was of use is none.
fn is_pattern(record: &MemoryRecord) -> bool {
    let is_feedback =
        record.memory.form == Form::Reflection && record.memory.write_source == WriteSource::Manual;
    record.memory.privacy != Privacy::Private && !is_feedback
}

/// A recurring memory was seen as often as it has evidence; a lesson and a thought once.
fn pattern_of(record: MemoryRecord, source: PatternSource, evidence: usize) -> ObservedPattern {
    let memory = record.memory;
    ObservedPattern {
        source,
        times: if source == PatternSource::Recurring { evidence } else { 1 },
        thread: memory.thread,
        last_at: Some(memory.recorded_at),
        evidence: vec![memory.id.to_string()],
        text: memory.text,
        proposal: None,
    }
}

fn refs(messages: &[MessageId]) -> Vec<String> {
    messages.iter().map(|id| Ref::Message(*id).to_string()).collect()
}
