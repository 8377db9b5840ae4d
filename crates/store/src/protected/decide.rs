//! Deciding: what an operator does about a belief or a proposal, and what an operator sets, each in one transaction with its
//! receipt.

use crate::{
    BeliefLink, ProposalRecord, Result, Store, StoreError, UnfinishedDecision,
    database::values,
    record::{
        bump_memory_version, insert_belief, insert_receipt, ledger_end, link_belief, memory_state,
        move_belief, move_proposal, next_belief, note_belief_terms, note_unfinished, protected_setting,
    },
    transaction::Tx,
};
use cairn_domain::{
    Belief, BeliefLane, ProposalId, ProposalStatus, Receipt, ReceiptAction, ReceiptDetail, Time,
};

/// A decision about a belief.
#[derive(Debug, Clone)]
pub struct BeliefDecision {
    /// The count of all that ever changed about memories and beliefs when it was decided: if it has moved, nothing is done.
    pub version: i64,
    /// The belief.
    pub number: u32,
    /// The change that the decision makes.
    pub becomes: Decided,
    /// As the ledger calls it.
    pub action: ReceiptAction,
    /// To what: its ref.
    pub subject: String,
    /// From what, to what, why, and how it is undone.
    pub told: ReceiptDetail,
}

/// The change that an operator's decision makes to a belief.
#[derive(Debug, Clone)]
pub enum Decided {
    /// It is verified.
    Verified {
        /// As it is then.
        belief: Box<Belief>,
        /// The operator's word for it, if one looked at it.
        link: Option<BeliefLink>,
    },
    /// It no longer stands.
    Retracted {
        /// As it is then.
        belief: Box<Belief>,
    },
    /// It is looked at again later.
    Deferred(Time),
    /// It is looked at again at once.
    Undeferred,
    /// It no longer stands, and a candidate that says the same stands in its place.
    Again {
        /// As it is then, if it stood.
        retracted: Option<Box<Belief>>,
        /// The candidate.
        belief: Box<Belief>,
        /// The evidence it rests on.
        links: Vec<BeliefLink>,
    },
}

/// Does what an operator decided about a belief; the number of the receipt. None, and nothing is done, if something about
/// memories or beliefs has changed since.
pub async fn decide(
    store: &Store,
    decision: BeliefDecision,
    actor: String,
    now: Time,
) -> Result<Option<u64>> {
    let work = move |tx: &mut Tx<'_>| {
        let state = memory_state(tx)?;
        if state.version != decision.version {
            return Ok(None);
        }
        let mut end = ledger_end(tx)?;
        let (actor, told) = (actor.clone(), numbered(&decision.told, end.number + 1));
        let (action, subject) = (decision.action, decision.subject.clone());
        let receipt = Receipt { number: 0, at: now, actor, action, subject, told };
        insert_receipt(tx, &mut end, receipt)?;
        become_so(tx, &decision, end.number, now)?;
        bump_memory_version(tx, &state)?;
        Ok(Some(end.number))
    };
    let done = store.writer.run_durably(work).await?;
    store.keep_beside().await;
    Ok(done)
}

fn become_so(tx: &mut Tx<'_>, decision: &BeliefDecision, receipt: u64, now: Time) -> Result<()> {
    let number = decision.number;
    let forget = "DELETE FROM deferral WHERE agent_id = ?1 AND belief = ?2";
    tx.execute(forget, values![tx.agent_id, i64::from(number)])?;
    match &decision.becomes {
        Decided::Verified { belief, link } => {
            link_belief(tx, i64::from(number), link.as_slice())?;
            move_belief(tx, number, belief, now)?;
            let sql =
                "UPDATE belief SET lane = ?3, allowed_consumers = ?4 WHERE agent_id = ?1 AND number = ?2";
            let lane = BeliefLane::Verified.as_str();
            let consumers: Vec<&str> = belief.allowed_consumers.iter().map(|one| one.as_str()).collect();
            let consumers = consumers.join(" ");
            tx.execute(sql, values![tx.agent_id, i64::from(number), lane, consumers.as_str()])?;
            note_belief_terms(tx).map(drop)
        }
        Decided::Retracted { belief } => move_belief(tx, number, belief, now),
        Decided::Deferred(until) => {
            let sql = "INSERT INTO deferral (agent_id, belief, until, receipt) VALUES (?1, ?2, ?3, ?4)";
            let values = values![tx.agent_id, i64::from(number), until.millis(), receipt as i64];
            tx.execute(sql, values).map(drop)
        }
        Decided::Undeferred => Ok(()),
        Decided::Again { retracted, belief, links } => {
            if let Some(retracted) = retracted {
                move_belief(tx, number, retracted, now)?;
            }
            let next = next_belief(tx)?;
            insert_belief(tx, next, belief, Some(number), now)?;
            link_belief(tx, next, links)
        }
    }
}

/// `{receipt}` in how something is undone stands for the number of the receipt itself.
fn numbered(told: &ReceiptDetail, number: u64) -> ReceiptDetail {
    ReceiptDetail { undo: told.undo.replace("{receipt}", &number.to_string()), ..told.clone() }
}

/// A change of something that is protected.
#[derive(Debug, Clone)]
pub struct SettingChange {
    /// Its name.
    pub name: String,
    /// Its value when the change was planned.
    pub was: Option<String>,
    /// The new value.
    pub value: String,
    /// From what, to what, why, and how it is undone.
    pub told: ReceiptDetail,
    /// The proposal that is accepted with it, or undone.
    pub proposal: Option<ProposalMove>,
}

/// A proposal that moves from one status to another.
#[derive(Debug, Clone)]
pub struct ProposalMove {
    /// The status it was seen in: if that is another now, nothing is done.
    pub was: ProposalStatus,
    /// The proposal as it stands then; its receipt is filled in.
    pub becomes: ProposalRecord,
}

/// A decision about a proposal that changes no file.
#[derive(Debug, Clone)]
pub struct ProposalDecision {
    /// From which status to which.
    pub moves: ProposalMove,
    /// As the ledger calls it.
    pub action: ReceiptAction,
    /// From what, to what, why, and how it is undone.
    pub told: ReceiptDetail,
}

/// Does what an operator decided about a proposal; the number of the receipt.
pub async fn decide_proposal(
    store: &Store,
    decision: ProposalDecision,
    actor: String,
    now: Time,
) -> Result<u64> {
    let work = move |tx: &mut Tx<'_>| {
        let mut end = ledger_end(tx)?;
        let (actor, told) = (actor.clone(), numbered(&decision.told, end.number + 1));
        let subject = decision.moves.becomes.id.to_string();
        let receipt = Receipt { number: 0, at: now, actor, action: decision.action, subject, told };
        insert_receipt(tx, &mut end, receipt)?;
        move_with_receipt(tx, &decision.moves, end.number)?;
        Ok(end.number)
    };
    let done = store.writer.run_durably(work).await?;
    store.keep_beside().await;
    Ok(done)
}

fn move_with_receipt(tx: &mut Tx<'_>, moves: &ProposalMove, receipt: u64) -> Result<()> {
    let becomes = ProposalRecord { receipt: Some(receipt), ..moves.becomes.clone() };
    if move_proposal(tx, moves.was, &becomes)? {
        return Ok(());
    }
    Err(decided_meanwhile(becomes.id))
}

/// Notes a decision about a proposal before its file is written. Refused if the proposal has been decided meanwhile.
pub async fn begin_decision(store: &Store, id: ProposalId, begun: UnfinishedDecision) -> Result<()> {
    let work = move |tx: &mut Tx<'_>| {
        if note_unfinished(tx, id, begun.was, Some(&begun))? { Ok(()) } else { Err(decided_meanwhile(id)) }
    };
    store.writer.run_durably(work).await
}

/// Forgets a decision that was begun: its file is as it was before.
pub async fn forget_decision(store: &Store, id: ProposalId, was: ProposalStatus) -> Result<()> {
    store.writer.run_durably(move |tx| note_unfinished(tx, id, was, None).map(drop)).await
}

fn decided_meanwhile(id: ProposalId) -> StoreError {
    StoreError::Refused {
        problem: format!("{id} has been decided meanwhile"),
        hint: format!("look at it again with `cairn review show {id}`; nothing was changed"),
    }
}

/// Sets something that is protected; the number of the receipt. Refused if it is not `was` any more.
pub async fn configure(store: &Store, change: SettingChange, actor: String, now: Time) -> Result<u64> {
    let work = move |tx: &mut Tx<'_>| {
        let SettingChange { name, was, value, told, proposal } = &change;
        let found = protected_setting(tx, name)?.map(|(value, _)| value);
        if found != *was {
            return Err(StoreError::Refused {
                problem: format!("{name} has been changed meanwhile"),
                hint: "look at the plan again; nothing was changed".into(),
            });
        }
        let mut end = ledger_end(tx)?;
        let (action, actor) = (ReceiptAction::Configure, actor.clone());
        let told = numbered(told, end.number + 1);
        let receipt = Receipt { number: 0, at: now, actor, action, subject: name.clone(), told };
        insert_receipt(tx, &mut end, receipt)?;
        let sql = "INSERT INTO protected_setting (agent_id, name, value, receipt, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT (agent_id, name) DO UPDATE SET value = ?3, receipt = ?4, changed_at = ?5";
        let values = values![tx.agent_id, name.as_str(), value.as_str(), end.number as i64, now.millis()];
        tx.execute(sql, values)?;
        if let Some(moves) = proposal {
            move_with_receipt(tx, moves, end.number)?;
        }
        Ok(end.number)
    };
    let done = store.writer.run_durably(work).await?;
    store.keep_beside().await;
    Ok(done)
}
