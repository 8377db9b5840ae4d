//! Proposals: changes of identity files that wait. Only the protected half of the store decides about them.

use super::columns::{StoredRecord, columns, insert_statement, read_record};
use crate::{Result, Store, StoreError, database::values, transaction::Tx};
use cairn_domain::{
    IdentityEdit, PROPOSAL_TIMEOUT_MS, ProposalId, ProposalOrigin, ProposalStatus, ReceiptDetail, Time,
};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A proposal as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRecord {
    /// Its name.
    pub id: ProposalId,
    /// Who made it.
    pub origin: ProposalOrigin,
    /// The identity file.
    pub file: String,
    /// The passage that goes, if one does.
    pub replaces: Option<String>,
    /// The new passage.
    pub text: String,
    /// Why it is proposed.
    pub reason: String,
    /// The evidence as JSON.
    pub evidence: String,
    /// When it was proposed.
    pub proposed_at: Time,
    /// When it is closed if nobody decides.
    pub expires_at: Time,
    /// The status as it was written last: that it has expired is seen from `expires_at`.
    pub status: ProposalStatus,
    /// Until when an operator put it off.
    pub deferred_until: Option<Time>,
    /// The receipt of the last decision.
    pub receipt: Option<u64>,
    /// The effect that it expects and how to see whether it came, as JSON; of a change that came of friction.
    pub scaffold: Option<String>,
}

impl ProposalRecord {
    /// A proposal that waits from now on; `evidence` is JSON.
    pub fn pending(
        edit: IdentityEdit,
        origin: ProposalOrigin,
        reason: String,
        evidence: String,
        now: Time,
    ) -> Self {
        Self {
            id: ProposalId::of(&edit, origin, now),
            origin,
            file: edit.file,
            replaces: edit.replaces,
            text: edit.text,
            reason,
            evidence,
            proposed_at: now,
            expires_at: Time::from_millis(now.millis() + PROPOSAL_TIMEOUT_MS),
            status: ProposalStatus::Pending,
            deferred_until: None,
            receipt: None,
            scaffold: None,
        }
    }

    /// The change of the file.
    pub fn edit(&self) -> IdentityEdit {
        let Self { file, replaces, text, .. } = self;
        IdentityEdit { file: file.clone(), replaces: replaces.clone(), text: text.clone() }
    }
}

/// A decision about a proposal that was begun: its file may be written, its receipt is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedDecision {
    /// The status it was begun in.
    pub was: ProposalStatus,
    /// The status that it leads to.
    pub becomes: ProposalStatus,
    /// The file, as protected values are named.
    pub name: String,
    /// The hash that the file had by the ledger.
    pub known: Option<String>,
    /// The hash that the file has once it is written.
    pub value: String,
    /// The receipt to come.
    pub told: ReceiptDetail,
    /// Who decided.
    pub actor: String,
}

/// Whether a proposal was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalTaken {
    /// It waits.
    New,
    /// The same change waits already, under this name.
    Known(ProposalId),
    /// As many wait as may.
    Full,
}

columns! {
    proposal_columns: ProposalRecord, "proposal" as "p" {
        id: id "proposal_id",
        origin: word "origin",
        file: text "file",
        replaces: maybe_text "replaces",
        text: text "text",
        reason: text "reason",
        evidence: text "evidence",
        proposed_at: time "proposed_at",
        expires_at: time "expires_at",
        status: word "status",
        deferred_until: maybe_time "deferred_until",
        receipt: maybe_count "receipt",
        scaffold: maybe_text "scaffold",
    }
}

static INSERT_PROPOSAL: LazyLock<String> =
    LazyLock::new(|| insert_statement("proposal", &[], ProposalRecord::COLUMNS));

impl Store {
    /// Writes a proposal, unless the same waits already or `most` wait.
    pub async fn put_proposal(&self, proposal: ProposalRecord, most: usize) -> Result<ProposalTaken> {
        let work = move |tx: &mut Tx<'_>| {
            let waiting = tx.pending_proposals(proposal.proposed_at)?;
            if let Some(same) = waiting.iter().find(|other| other.edit() == proposal.edit()) {
                return Ok(ProposalTaken::Known(same.id));
            }
            if waiting.len() >= most {
                return Ok(ProposalTaken::Full);
            }
            insert_proposal(tx, &proposal)?;
            Ok(ProposalTaken::New)
        };
        self.writer.run_durably(work).await
    }
}

impl Tx<'_> {
    /// Proposals that wait at `now`, the oldest first.
    pub fn pending_proposals(&mut self, now: Time) -> Result<Vec<ProposalRecord>> {
        let sql = concat!(
            "SELECT ",
            proposal_columns!(),
            " FROM proposal AS p WHERE p.agent_id = ?1 AND p.status = 'pending' AND p.expires_at > ?2
             ORDER BY p.proposed_at, p.proposal_id"
        );
        self.query(sql, values![self.agent_id, now.millis()], read_record)
    }

    /// Proposals, the newest first.
    pub fn proposals(&mut self, limit: u32) -> Result<Vec<ProposalRecord>> {
        let sql = concat!(
            "SELECT ",
            proposal_columns!(),
            " FROM proposal AS p WHERE p.agent_id = ?1 ORDER BY p.proposed_at DESC, p.proposal_id LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], read_record)
    }

    /// A proposal by its name.
    pub fn proposal(&mut self, id: ProposalId) -> Result<Option<ProposalRecord>> {
        let sql = concat!(
            "SELECT ",
            proposal_columns!(),
            " FROM proposal AS p WHERE p.agent_id = ?1 AND p.proposal_id = ?2"
        );
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_record)
    }

    /// Decisions that were begun and not finished.
    pub fn unfinished_decisions(&mut self) -> Result<Vec<(ProposalId, UnfinishedDecision)>> {
        let sql =
            "SELECT proposal_id, unfinished FROM proposal WHERE agent_id = ?1 AND unfinished IS NOT NULL
                   ORDER BY proposal_id";
        self.query(sql, values![self.agent_id], |row| {
            let id = ProposalId::from_bytes(row.byte_array(0, "proposal.proposal_id")?);
            let begun = serde_json::from_str(row.str(1)?).map_err(|error| StoreError::Refused {
                problem: format!("the decision about {id} that was begun cannot be read: {error}"),
                hint: "restore the newest backup".to_owned(),
            })?;
            Ok((id, begun))
        })
    }

    /// The proposal that was accepted with this receipt.
    pub fn proposal_accepted_by(&mut self, receipt: u64) -> Result<Option<ProposalRecord>> {
        let sql = concat!(
            "SELECT ",
            proposal_columns!(),
            " FROM proposal AS p WHERE p.agent_id = ?1 AND p.receipt = ?2 AND p.status = 'accepted'"
        );
        self.first(sql, values![self.agent_id, receipt as i64], read_record)
    }
}

/// Writes a new proposal.
pub(crate) fn insert_proposal(tx: &mut Tx<'_>, proposal: &ProposalRecord) -> Result<()> {
    let mut values = values![tx.agent_id].to_vec();
    values.extend(proposal.column_values());
    tx.execute(&INSERT_PROPOSAL, &values).map(drop)
}

/// Notes that a decision is begun, or with `None` that it is not any more; whether the proposal stood where it began.
pub(crate) fn note_unfinished(
    tx: &mut Tx<'_>,
    id: ProposalId,
    was: ProposalStatus,
    begun: Option<&UnfinishedDecision>,
) -> Result<bool> {
    let begun = begun.map(serde_json::to_string).transpose().map_err(|error| StoreError::Refused {
        problem: format!("a decision cannot be written: {error}"),
        hint: "report this".to_owned(),
    })?;
    let sql = "UPDATE proposal SET unfinished = ?4 WHERE agent_id = ?1 AND proposal_id = ?2 AND status = ?3";
    let values = values![tx.agent_id, id.bytes().as_slice(), was.as_str(), begun.as_deref()];
    Ok(tx.execute(sql, values)? == 1)
}

/// Writes where a proposal stands, which finishes what was begun; whether it stood at `was`.
pub(crate) fn move_proposal(tx: &mut Tx<'_>, was: ProposalStatus, becomes: &ProposalRecord) -> Result<bool> {
    let sql = "UPDATE proposal SET status = ?4, expires_at = ?5, deferred_until = ?6, receipt = ?7, unfinished = NULL
               WHERE agent_id = ?1 AND proposal_id = ?2 AND status = ?3";
    let values = values![
        tx.agent_id,
        becomes.id.bytes().as_slice(),
        was.as_str(),
        becomes.status.as_str(),
        becomes.expires_at.millis(),
        becomes.deferred_until.map(Time::millis),
        becomes.receipt.map(|number| number as i64)
    ];
    Ok(tx.execute(sql, values)? == 1)
}

/// Deletes proposals that show words that are erased.
pub(crate) fn delete_proposals(tx: &mut Tx<'_>, shows: &dyn Fn(&str) -> bool) -> Result<()> {
    let gone = tx.proposals(u32::MAX)?.into_iter().filter(|one| {
        [&one.text, &one.reason, &one.evidence]
            .into_iter()
            .chain(&one.replaces)
            .chain(&one.scaffold)
            .any(|text| shows(text))
    });
    for proposal in gone {
        let sql = "DELETE FROM proposal WHERE agent_id = ?1 AND proposal_id = ?2";
        tx.execute(sql, values![tx.agent_id, proposal.id.bytes().as_slice()])?;
    }
    Ok(())
}
