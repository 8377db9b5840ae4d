//! Proposals: an agent says how an identity file should read, and why. The proposal is stored; the file is written by nobody but
//! an operator.

use crate::{
    agent::Agent,
    belief::ReviewScope,
    error::{EngineError, Result},
    limits::{MAX_PROPOSAL_CHARS, MAX_PROPOSAL_EVIDENCE},
    read::IdentityFile,
    stored_json::{from_stored_json, to_stored_json},
    verb::{Audience, OpenedRecord},
};
use cairn_cognition::{
    alignment::{Alignment, PrincipleAlignment, alignment},
    excerpt::{excerpt, on_one_line},
    principles::principles,
};
use cairn_domain::{
    IdentityEdit, Invalid, MAX_PENDING_PROPOSALS, ProposalId, ProposalOrigin, ProposalStatus, Receipt,
    ReviewDecision, is_invisible_control,
};
use cairn_store::{ProposalRecord, ProposalTaken};
use serde::{Deserialize, Serialize};
use similar::TextDiff;

/// Maximum characters that are quoted of a record.
const MAX_QUOTED_CHARS: usize = 200;
/// Lines around a change in a diff.
const DIFF_CONTEXT_LINES: usize = 3;

/// A change that is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalDraft {
    /// The change of the file.
    pub edit: IdentityEdit,
    /// Why.
    pub reason: String,
    /// Refs of the records that speak for it.
    pub evidence: Vec<String>,
    /// Who proposes it.
    pub origin: ProposalOrigin,
}

/// A record that speaks for a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalEvidence {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The words of it when the change was proposed.
    pub quoted: String,
}

/// The rest of a change that came of friction: which friction, what it expects, how one sees whether it came, and how to take it
/// back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaffoldChange {
    /// The kind of friction.
    pub friction: String,
    /// By what the same friction is known again.
    pub key: String,
    /// The expected effect.
    pub expects: String,
    /// How one sees whether it came.
    pub verify: String,
    /// How it is taken back.
    pub rollback: String,
}

/// A proposal and where it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProposal {
    /// As it is stored.
    pub record: ProposalRecord,
    /// Where it stands now.
    pub status: ProposalStatus,
    /// The records that speak for it.
    pub evidence: Vec<ProposalEvidence>,
    /// The effect that it expects, if it came of friction.
    pub scaffold: Option<ScaffoldChange>,
}

/// Everything that an operator has to know to decide about a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalReview {
    /// The proposal.
    pub proposal: StoredProposal,
    /// The file as it is now; empty if it is missing.
    pub before: String,
    /// The file as it would be, or why it cannot be.
    pub after: std::result::Result<String, Invalid>,
    /// The difference, line by line.
    pub diff: String,
    /// How the new passage stands to each principle of SOUL.md, conflicts first.
    pub alignment: Vec<PrincipleAlignment>,
    /// The hash of the change and of the file as it is now: a decision confirms it.
    pub confirms: String,
    /// The receipts about it.
    pub receipts: Vec<Receipt>,
}

impl ProposalReview {
    /// Why this cannot be decided now; none if it can.
    pub fn refuses(&self, decision: ReviewDecision) -> Option<String> {
        let id = self.proposal.record.id;
        if decision == ReviewDecision::Retract {
            return Some(format!("{id} is a proposal: roll back its receipt to undo it"));
        }
        if self.proposal.status != ProposalStatus::Pending {
            return Some(format!("{id} is {}", self.proposal.status));
        }
        match (&self.after, decision) {
            (Err(invalid), ReviewDecision::AcceptVerified) => Some(invalid.problem.clone()),
            _ => None,
        }
    }

    /// Principles that it conflicts with.
    pub fn conflicts(&self) -> impl Iterator<Item = &PrincipleAlignment> {
        self.alignment.iter().filter(|one| one.alignment == Alignment::Conflicts)
    }
}

impl Agent {
    /// Stores a proposal. The same change that waits already is not stored twice, and at most five wait.
    pub async fn propose(&self, draft: ProposalDraft, audience: Audience) -> Result<StoredProposal> {
        let ProposalDraft { edit, reason, evidence, origin } = draft;
        let edit = checked_edit(edit)?;
        let reason = checked_text("the reason", &reason)?;
        edit.applied_to(&self.identity_text(&edit.file)?)?;
        let evidence = self.quoted_evidence(&evidence, audience).await?;
        let now = self.now();
        let evidence = to_stored_json("the evidence", &evidence)?;
        let record = ProposalRecord::pending(edit, origin, reason, evidence, now);
        let id = match self.store.put_proposal(record.clone(), MAX_PENDING_PROPOSALS).await? {
            ProposalTaken::New => record.id,
            ProposalTaken::Known(id) => id,
            ProposalTaken::Full => {
                let hint = "an operator decides with `cairn review list`, or they close after seven days";
                let problem = format!("{MAX_PENDING_PROPOSALS} proposals wait already");
                return Err(Invalid::new(problem, hint).into());
            }
        };
        self.proposal(id).await
    }

    /// Proposals, the newest first.
    pub async fn proposals(&self, limit: u32) -> Result<Vec<StoredProposal>> {
        let records = self.store.read(|view| view.proposals(limit)).await?;
        records.into_iter().map(|record| self.stored_proposal(record)).collect()
    }

    /// The proposals that an operator is shown beside the beliefs of this scope.
    pub async fn proposals_to_review(&self, scope: ReviewScope, limit: u32) -> Result<Vec<StoredProposal>> {
        match scope {
            ReviewScope::Waiting => self.pending_proposals().await,
            ReviewScope::All => self.proposals(limit).await,
        }
    }

    /// Proposals that wait for an operator, the oldest first; those put off only once their time has come.
    pub async fn pending_proposals(&self) -> Result<Vec<StoredProposal>> {
        let now = self.now();
        let records = self.store.read(|view| view.pending_proposals(now)).await?;
        let due = records.into_iter().filter(|record| record.deferred_until.is_none_or(|until| until <= now));
        due.map(|record| self.stored_proposal(record)).collect()
    }

    /// Whether a decision about a proposal was interrupted, or is being made; an operator's surface finishes it.
    pub async fn has_unfinished_decision(&self) -> Result<bool> {
        Ok(!self.store.read(|view| view.unfinished_decisions()).await?.is_empty())
    }

    /// One proposal.
    pub async fn proposal(&self, id: ProposalId) -> Result<StoredProposal> {
        let record = self.store.read(|view| view.proposal(id)).await?;
        self.stored_proposal(record.ok_or_else(|| EngineError::NotFound(id.to_string()))?)
    }

    /// Everything that an operator has to know to decide about a proposal. Changes nothing.
    pub async fn review_proposal(&self, id: ProposalId) -> Result<ProposalReview> {
        let proposal = self.proposal(id).await?;
        let edit = proposal.record.edit();
        let before = self.identity_text(&edit.file)?;
        let after = match proposal.status {
            ProposalStatus::Pending => edit.applied_to(&before),
            status => Err(Invalid::new(format!("{id} is {status}"), "there is nothing to decide")),
        };
        let diff =
            after.as_ref().map_or_else(|_| String::new(), |after| difference(&edit.file, &before, after));
        let soul = self.identity_text(IdentityFile::Soul.file_name())?;
        let passage = on_one_line(edit.text.trim_start_matches("- "));
        let mut receipts = self.receipts_of(&id.to_string()).await?;
        // What was accepted is told by the receipt of the file.
        let decided =
            proposal.record.receipt.filter(|number| receipts.iter().all(|one| one.number != *number));
        if let Some(number) = decided {
            receipts.extend(self.receipt(number).await?);
        }
        Ok(ProposalReview {
            confirms: confirmation_hash(&proposal.record, &before),
            alignment: alignment(&passage, &principles(&soul)),
            proposal,
            before,
            after,
            diff,
            receipts,
        })
    }

    fn stored_proposal(&self, record: ProposalRecord) -> Result<StoredProposal> {
        let evidence = from_stored_json("the evidence of a proposal", &record.evidence)?;
        let scaffold = scaffold_change(&record)?;
        Ok(StoredProposal {
            status: record.status.at(record.expires_at, self.now()),
            evidence,
            scaffold,
            record,
        })
    }

    /// The text of an identity file; empty if it is missing.
    pub(super) fn identity_text(&self, file: &str) -> Result<String> {
        if self.identity_files()?.iter().any(|name| name == file) {
            self.identity_file(file)
        } else {
            Ok(String::new())
        }
    }

    async fn quoted_evidence(&self, refs: &[String], audience: Audience) -> Result<Vec<ProposalEvidence>> {
        if refs.len() > MAX_PROPOSAL_EVIDENCE {
            let problem = format!("{} refs are given as evidence", refs.len());
            return Err(Invalid::new(problem, format!("give up to {MAX_PROPOSAL_EVIDENCE}")).into());
        }
        if refs.is_empty() {
            return Ok(Vec::new());
        }
        let records = self.open_records(refs, audience).await?;
        Ok(records.iter().map(quotation).collect())
    }
}

/// The effect that a proposal expects that came of friction.
pub(super) fn scaffold_change(record: &ProposalRecord) -> cairn_store::Result<Option<ScaffoldChange>> {
    let stored = record.scaffold.as_deref();
    stored.map(|scaffold| from_stored_json("the scaffold of a proposal", scaffold)).transpose()
}

fn quotation(record: &OpenedRecord) -> ProposalEvidence {
    let (reference, text) = match record {
        OpenedRecord::Messages(reference, messages) => {
            let texts: Vec<&str> = messages.iter().map(|record| record.message.text.as_str()).collect();
            (reference.to_string(), texts.join(" "))
        }
        OpenedRecord::Memory(record) => (record.memory.id.to_string(), record.memory.text.clone()),
        OpenedRecord::Belief(record) => (record.belief.id.to_string(), record.belief.summary.clone()),
        OpenedRecord::Digest(record) => (record.digest.id().to_string(), record.digest.text.clone()),
        OpenedRecord::Attachment(seen) => (seen.attachment.id.to_string(), seen.attachment.excerpt.clone()),
    };
    ProposalEvidence { reference, quoted: excerpt(&on_one_line(&text), MAX_QUOTED_CHARS, |_| 1.0) }
}

/// The edit of a file that an identity has, within its limits.
fn checked_edit(edit: IdentityEdit) -> Result<IdentityEdit> {
    let names: Vec<&str> = IdentityFile::ALL.into_iter().map(IdentityFile::file_name).collect();
    if !names.contains(&edit.file.as_str()) {
        let name: String = edit.file.chars().take(60).collect();
        let problem = format!("`{}` is not an identity file", name.escape_debug());
        return Err(Invalid::new(problem, format!("use one of {}", names.join(", "))).into());
    }
    let text = checked_text("the text", &edit.text)?;
    let replaces = edit.replaces.map(|passage| checked_text("the passage", &passage)).transpose()?;
    Ok(IdentityEdit { file: edit.file, replaces, text })
}

fn checked_text(what: &str, text: &str) -> Result<String> {
    let text = text.trim();
    let problem = if text.is_empty() {
        format!("{what} is empty")
    } else if text.chars().count() > MAX_PROPOSAL_CHARS {
        format!("{what} has more than {MAX_PROPOSAL_CHARS} characters")
    } else if text.chars().any(is_invisible_control) {
        // An operator decides about what can be seen.
        format!("{what} has characters that cannot be seen")
    } else {
        return Ok(text.to_owned());
    };
    Err(Invalid::new(problem, "propose a passage in plain words; nothing was stored").into())
}

/// The lines that change, in the format of `diff -u`.
fn difference(file: &str, before: &str, after: &str) -> String {
    let (from, to) = (format!("identity/{file}"), format!("identity/{file} as proposed"));
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(DIFF_CONTEXT_LINES).header(&from, &to).to_string()
}

fn confirmation_hash(record: &ProposalRecord, before: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [record.id.to_string().as_str(), record.text.as_str(), record.evidence.as_str(), before] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
