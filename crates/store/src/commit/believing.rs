//! Believing: what changes about beliefs, each change with its receipt, in one transaction with whatever led to it. What is
//! held was decided elsewhere; lanes are an operator's and are never written here.

use crate::{
    BeliefLink, Result, Store,
    record::{
        bump_memory_version, considered, insert_belief, insert_receipt, ledger_end, link_belief,
        memory_state, move_belief, next_belief, note_belief_terms,
    },
    transaction::Tx,
};
use cairn_domain::{Belief, Receipt, ReceiptAction, ReceiptDetail, Time};

/// Changes of beliefs, written together.
#[derive(Debug, Clone, Default)]
pub struct BeliefChanges {
    /// Who changes it: a rhythm, `user`, `agent`.
    pub actor: String,
    /// The changes, in order.
    pub changes: Vec<BeliefChange>,
    /// Memories that were looked at again.
    pub considered: Vec<u32>,
}

/// One change, and why.
#[derive(Debug, Clone)]
pub struct BeliefChange {
    /// The change.
    pub what: BeliefTransition,
    /// As the ledger calls it.
    pub action: ReceiptAction,
    /// From what, to what, why.
    pub told: ReceiptDetail,
}

/// A change of one belief.
#[derive(Debug, Clone)]
pub enum BeliefTransition {
    /// It is held from now on.
    Made {
        /// The belief.
        belief: Box<Belief>,
        /// The belief of the same key that stood before it.
        after: Option<u32>,
        /// The evidence it rests on.
        links: Vec<BeliefLink>,
    },
    /// It stands otherwise than before.
    Moved {
        /// Which.
        number: u32,
        /// As it is then; what it says is the same.
        belief: Box<Belief>,
        /// Evidence to add.
        links: Vec<BeliefLink>,
    },
    /// Nothing is held: only that is noted, under this subject.
    Noted(String),
}

impl BeliefChanges {
    /// How many beliefs change.
    pub fn count(&self) -> usize {
        self.changes.iter().filter(|change| !matches!(change.what, BeliefTransition::Noted(_))).count()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.considered.is_empty()
    }
}

impl Store {
    /// Writes what changes about beliefs, all of it or nothing. False, and nothing is written, if something about memories
    /// or beliefs has changed since `version`.
    pub async fn believe(&self, version: i64, believing: BeliefChanges, now: Time) -> Result<bool> {
        let believe = move |tx: &mut Tx<'_>| {
            let state = memory_state(tx)?;
            if state.version != version {
                return Ok(false);
            }
            believe(tx, &believing, now)?;
            if believing.count() > 0 {
                bump_memory_version(tx, &state)?;
            }
            Ok(true)
        };
        let done = self.writer.run(believe).await?;
        self.keep_beside().await;
        Ok(done)
    }
}

pub(crate) fn believe(tx: &mut Tx<'_>, believing: &BeliefChanges, now: Time) -> Result<()> {
    if believing.is_empty() {
        return Ok(());
    }
    let (mut next, mut end) = (next_belief(tx)?, ledger_end(tx)?);
    for BeliefChange { what, action, told } in &believing.changes {
        let subject = match what {
            BeliefTransition::Made { belief, after, links } => {
                insert_belief(tx, next, belief, *after, now)?;
                link_belief(tx, next, links)?;
                next += 1;
                belief.id.to_string()
            }
            BeliefTransition::Moved { number, belief, links } => {
                link_belief(tx, i64::from(*number), links)?;
                move_belief(tx, *number, belief, now)?;
                belief.id.to_string()
            }
            BeliefTransition::Noted(subject) => subject.clone(),
        };
        let (action, told, actor) = (*action, told.clone(), believing.actor.clone());
        let receipt = Receipt { number: 0, at: now, actor, action, subject, told };
        insert_receipt(tx, &mut end, receipt)?;
    }
    note_belief_terms(tx)?;
    considered(tx, &believing.considered)
}
