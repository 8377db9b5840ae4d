//! The operator's decisions among imported rows, and rows without them. A bundle proves nothing about who wrote it, so that
//! whoever takes it in without signing in gets the words and what was made of them, and no decision.

use super::{
    row::{PortableRow, unfit},
    tables::column,
};
use crate::{BeliefLink, Result, record::move_belief, transaction::Tx};
use cairn_domain::{Belief, BeliefLane, ProposalStatus, Time};
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashMap};

/// Whose word it is when an operator confirms something.
const OPERATOR: &str = "operator";

/// Decisions that an operator made in the store that the rows come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecidedThere {
    /// Beliefs that were verified, by their numbers.
    pub verified: Vec<i64>,
    /// Beliefs that an operator's word spoke for, by their numbers.
    confirmed: BTreeSet<i64>,
    /// Number of settings: the provenance mode, kinds of low risk.
    pub settings: u64,
    /// Candidates that were put off.
    pub put_off: u64,
    /// Proposals about identity files that were decided.
    pub proposals: u64,
}

impl DecidedThere {
    pub(super) fn of(rows: &[PortableRow]) -> Self {
        let mut decided = Self::default();
        for row in rows {
            match row.table.as_str() {
                "belief" if text(row, "lane") == Some(BeliefLane::Verified.as_str()) => {
                    decided.verified.extend(number(row, "number"));
                }
                "belief_evidence" if text(row, "role") == Some(OPERATOR) => {
                    decided.confirmed.extend(number(row, "belief"));
                }
                "protected_setting" => decided.settings += 1,
                "deferral" => decided.put_off += 1,
                "proposal" if text(row, "status") != Some(ProposalStatus::Pending.as_str()) => {
                    decided.proposals += 1;
                }
                _ => {}
            }
        }
        decided
    }

    /// Whether nothing was.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// "verified 3, set 1, put off 0".
    pub(super) fn in_words(&self) -> String {
        format!("verified {}, set {}, put off {}", self.verified.len(), self.settings, self.put_off)
    }
}

/// The rows without what was decided, and what that was.
pub(super) fn without(rows: &[PortableRow]) -> Result<(Vec<PortableRow>, DecidedThere)> {
    let (mut kept, mut places) = (Vec::with_capacity(rows.len()), HashMap::new());
    for row in rows {
        match row.table.as_str() {
            "protected_setting" | "deferral" => {}
            // Memories rest on what was said and written; no operator speaks there.
            "evidence" if text(row, "role") == Some(OPERATOR) => {
                return Err(unfit("a memory that rests on an operator's word"));
            }
            "belief_evidence" if text(row, "role") == Some(OPERATOR) => {}
            "belief_evidence" => {
                // What is left moves up: the next link is put behind as many as there are.
                let place: &mut i64 = places.entry(number(row, "belief")).or_default();
                let mut row = row.clone();
                if let Some(value) = row.row.get_mut(column("belief_evidence", "place")) {
                    *value = json!(*place);
                }
                *place += 1;
                kept.push(row);
            }
            "proposal" if text(row, "status") != Some(ProposalStatus::Pending.as_str()) => {}
            "proposal" => {
                let mut row = row.clone();
                for name in ["deferred_until", "receipt"] {
                    if let Some(value) = row.row.get_mut(column("proposal", name)) {
                        *value = Json::Null;
                    }
                }
                kept.push(row);
            }
            _ => kept.push(row.clone()),
        }
    }
    Ok((kept, DecidedThere::of(rows)))
}

/// How well beliefs are supported that an operator's word spoke for, without it.
pub(super) fn weigh_again(
    tx: &mut Tx<'_>,
    decided: &DecidedThere,
    weigh: &impl Fn(&Belief, &[BeliefLink]) -> Belief,
    now: Time,
) -> Result<()> {
    for number in &decided.confirmed {
        let Some(record) = tx.belief_at(*number as u32)? else { continue };
        let links = tx.links_of(record.number)?;
        let belief = Belief { status: record.belief.status, ..weigh(&record.belief, &links) };
        move_belief(tx, record.number, &belief, now)?;
    }
    Ok(())
}

fn text<'r>(row: &'r PortableRow, name: &str) -> Option<&'r str> {
    row.row.get(column(&row.table, name)).and_then(Json::as_str)
}

fn number(row: &PortableRow, name: &str) -> Option<i64> {
    row.row.get(column(&row.table, name)).and_then(Json::as_i64)
}
