//! Whether the ledger is whole and what is held true rests on words that are there. Changes nothing.

use super::report::VerificationReport;
use crate::{
    context::View,
    database::values,
    error::Result,
    record::{BeliefRecord, LOW_RISK, LinkEnd, PROVENANCE_MODE, StoredReceipt, protected_row},
    transaction::Tx,
};
use cairn_cognition::excerpt::is_quoted_from;
use cairn_domain::{BeliefLane, BeliefStatus, FIRST_LINK, ReceiptAction, ReceiptDetail, ReceiptHash, Stance};

/// Receipts and beliefs read at a time.
const PAGE_ROWS: u32 = 1_000;

const COMPARE_LEDGER: &str =
    "somebody changed the ledger: compare it with a backup; what came before that entry can be trusted";
const SET_AGAIN: &str =
    "somebody changed the database: set it again with `cairn operator apply`, and look who could";
const COMPARE_BELIEF: &str = "somebody changed the database: compare it with a backup";

/// Every receipt against the one before it. The first that does not fit is named; what follows it proves nothing.
pub(crate) fn verify_ledger(view: &mut View<'_>, verification: &mut VerificationReport) -> Result<()> {
    let (mut number, mut previous) = (0, FIRST_LINK);
    loop {
        let receipts = view.ledger(number, PAGE_ROWS)?;
        if receipts.is_empty() {
            return Ok(());
        }
        for stored in receipts {
            if let Some(problem) = broken(&stored, number, &previous) {
                verification.found(problem, COMPARE_LEDGER);
                return Ok(());
            }
            if stored.detail.is_none() && view.receipt_was_erased(stored.receipt.number)? {
                verification.erased += 1;
            } else if let Some(problem) = broken_words(&stored) {
                verification.found(problem, COMPARE_LEDGER);
                return Ok(());
            }
            verification.receipts += 1;
            (number, previous) = (stored.receipt.number, stored.hash);
        }
    }
}

/// The fault of a receipt that should follow `number`, whose hash is `previous`; none if it does.
fn broken(stored: &StoredReceipt, number: u64, previous: &ReceiptHash) -> Option<String> {
    let found = stored.receipt.number;
    if found != number + 1 {
        return Some(format!("receipt {} of the ledger is gone", number + 1));
    }
    if stored.previous != *previous {
        return Some(format!("receipt {found} does not follow receipt {number}"));
    }
    let linked = stored.receipt.link(previous, &stored.told) == stored.hash;
    (!linked).then(|| format!("receipt {found} is not what was written"))
}

/// The fault of a receipt's words, which were not erased; none if they are as written.
fn broken_words(stored: &StoredReceipt) -> Option<String> {
    let told = stored.detail.as_deref().map(ReceiptDetail::hash);
    let number = stored.receipt.number;
    (told != Some(stored.told)).then(|| format!("what receipt {number} tells is not what was written"))
}

/// Every belief that stands against the words it rests on, and every one that was superseded against what took its place.
pub(crate) fn verify_beliefs(view: &mut View<'_>, verification: &mut VerificationReport) -> Result<()> {
    let mut number = 0;
    loop {
        let records = view.beliefs_onward(number, PAGE_ROWS)?;
        let Some(last) = records.last() else { return Ok(()) };
        number = last.number + 1;
        for record in &records {
            verification.beliefs += 1;
            if let Some(problem) = unfounded(view, record)? {
                verification.found(format!("{} {problem}", record.belief.id), COMPARE_BELIEF);
            }
        }
    }
}

/// Whether what an operator alone sets is what the newest receipt about it tells.
pub(crate) fn verify_settings(view: &mut View<'_>, verification: &mut VerificationReport) -> Result<()> {
    for (name, called) in [(PROVENANCE_MODE, "provenance mode"), (LOW_RISK, "list of what is of low risk")] {
        let Some((value, number)) = protected_row(view, name)? else { continue };
        let newest = view.receipts_of(name)?.pop();
        let tells = newest.is_some_and(|receipt| receipt.number == number && receipt.told.becomes == value);
        if !tells {
            let problem = format!("the {called} is `{value}`, and no receipt tells that an operator set it");
            verification.found(problem, SET_AGAIN);
        }
    }
    Ok(())
}

fn unfounded(view: &mut View<'_>, record: &BeliefRecord) -> Result<Option<&'static str>> {
    if record.belief.lane == BeliefLane::Verified {
        let receipts = view.receipts_of(&record.belief.id.to_string())?;
        if !receipts.iter().any(|receipt| receipt.action == ReceiptAction::AcceptVerified) {
            return Ok(Some("is verified, and no receipt tells that an operator did it"));
        }
    }
    match record.belief.status {
        BeliefStatus::Superseded => {
            Ok(view.successor(record.number)?.is_none().then_some("was superseded by nothing"))
        }
        BeliefStatus::Invalidated | BeliefStatus::Retracted => Ok(None),
        BeliefStatus::Active | BeliefStatus::Stale => {
            let links = view.links_of(record.number)?;
            let supports = links.iter().filter(|link| link.evidence.stance == Stance::Support);
            let mut rests = false;
            for link in supports {
                let LinkEnd::Memory(memory) = link.to else { continue };
                if !view.are_words(memory, &link.evidence.excerpt, &link.evidence.quote_hash())? {
                    return Ok(Some("rests on words that nobody said"));
                }
                rests = true;
            }
            Ok((!rests).then_some("rests on nothing"))
        }
    }
}

impl Tx<'_> {
    /// Whether a memory quotes these words, and their source, if it is a message, holds them.
    fn are_words(&mut self, memory: u32, excerpt: &str, quote_hash: &str) -> Result<bool> {
        let sql =
            "SELECT e.message_id, x.text FROM evidence AS e LEFT JOIN message AS x ON x.agent_id = e.agent_id
                   AND x.agent_id = ?1 AND x.message_id = e.message_id
                   WHERE e.agent_id = ?1 AND e.owner_kind = 'memory' AND e.owner = ?2 AND e.quote_hash = ?3";
        let values = values![self.agent_id, i64::from(memory), quote_hash];
        let sources =
            self.query(sql, values, |row| Ok((row.maybe_bytes(0)?.is_some(), row.maybe_text(1)?)))?;
        let said = |(from_message, text): &(bool, Option<String>)| match text {
            Some(text) => is_quoted_from(excerpt, text),
            // A file is read again by whoever asks why; here it is enough that it is cited.
            None => !from_message,
        };
        Ok(sources.iter().any(said))
    }
}
