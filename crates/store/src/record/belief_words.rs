//! Which verified beliefs hold a term. What a belief says never changes, so its terms are noted once, when it is verified.

use super::{
    belief::{belief_columns, read_belief, select_belief},
    fnv1a,
};
use crate::{BeliefRecord, Result, database::values, transaction::Tx};
use cairn_cognition::keywords::terms;

/// Beliefs whose terms are noted at a time.
const NOTED_AT_ONCE: i64 = 1_000;
/// Beliefs from before there were terms that are looked at, until theirs are noted.
const UNNOTED: i64 = 5_000;

/// Notes the terms of verified beliefs that have none yet: of those that were just verified, and of some from before there
/// were any. How many.
pub(crate) fn note_belief_terms(tx: &mut Tx<'_>) -> Result<usize> {
    let sql = "SELECT number, summary, detail, tags FROM belief WHERE agent_id = ?1 AND lane = 'verified' AND found_by = 0
               ORDER BY number DESC LIMIT ?2";
    let found = tx.query(sql, values![tx.agent_id, NOTED_AT_ONCE], |row| {
        Ok((row.int(0)?, format!("{} {} {}", row.str(1)?, row.str(2)?, row.str(3)?)))
    })?;
    let insert = "INSERT INTO belief_term (agent_id, term, belief) VALUES (?1, ?2, ?3)
                  ON CONFLICT (agent_id, term, belief) DO NOTHING";
    let noted = "UPDATE belief SET found_by = ?3 WHERE agent_id = ?1 AND number = ?2";
    for (number, text) in &found {
        let terms = terms(text);
        let rows: Vec<Vec<_>> = terms
            .counts
            .iter()
            .map(|(term, _)| values![tx.agent_id, fnv1a(term), *number].to_vec())
            .collect();
        tx.execute_each(insert, &rows)?;
        tx.execute(noted, values![tx.agent_id, *number, rows.len().max(1) as i64])?;
    }
    Ok(found.len())
}

impl Tx<'_> {
    /// Active beliefs that an operator has verified and that hold some of these terms, at most `limit`: those that hold the
    /// most of them, of equals the best supported. With them those under these keys. The best supported first.
    pub fn verified_beliefs_about(
        &mut self,
        terms: &[&str],
        keys: &[&str],
        limit: u32,
    ) -> Result<Vec<BeliefRecord>> {
        let hashes: Vec<i64> = terms.iter().map(|term| fnv1a(term)).collect();
        let sql = "SELECT b.number FROM belief_term AS t JOIN belief AS b ON b.agent_id = t.agent_id AND b.number = t.belief
                   WHERE t.agent_id = ?1 AND b.agent_id = ?1 AND t.term = ANY(?2) AND b.status = 'active'
                   AND b.lane = 'verified' GROUP BY b.number, b.confidence, b.freshness
                   ORDER BY COUNT(*) DESC, b.confidence DESC, b.freshness DESC, b.number LIMIT ?3";
        let values = values![self.agent_id, hashes.as_slice(), i64::from(limit)];
        let mut numbers = self.query(sql, values, |row| row.int(0))?;
        let under =
            "SELECT number FROM belief WHERE agent_id = ?1 AND canonical_key = ?2 AND status = 'active'
                     AND lane = 'verified'";
        for key in keys {
            numbers.extend(self.query(under, values![self.agent_id, *key], |row| row.int(0))?);
        }
        let unnoted = "SELECT number FROM belief WHERE agent_id = ?1 AND lane = 'verified' AND found_by = 0
                       AND status = 'active' LIMIT ?2";
        let values = values![self.agent_id, UNNOTED];
        numbers.extend(self.query(unnoted, values, |row| row.int(0))?);
        let sql =
            select_belief!("AND b.number = ANY(?2) ORDER BY b.confidence DESC, b.freshness DESC, b.number");
        self.query(sql, values![self.agent_id, numbers.as_slice()], read_belief)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        BeliefChange, BeliefChanges, BeliefTransition, LocalDisk, Store, StoreLocation, StoreOptions,
        protected::{BeliefDecision, Decided, decide},
    };
    use cairn_domain::{
        Belief, BeliefId, BeliefKind, BeliefLane, BeliefStatus, ConfidenceParts, Consumer, Privacy,
        ReceiptAction, ReceiptDetail, SubjectType, Time,
    };
    use std::{path::Path, sync::Arc};

    fn now() -> Time {
        Time::from_millis(1_794_736_800_000)
    }

    fn belief(key: &str, summary: &str, confidence: f64) -> Belief {
        Belief {
            id: BeliefId::of(key, "v", None),
            kind: BeliefKind::Identity,
            subject_type: SubjectType::Entity,
            subject_id: "user".to_owned(),
            key: key.to_owned(),
            value: "v".to_owned(),
            summary: summary.to_owned(),
            detail: String::new(),
            tags: Vec::new(),
            lane: BeliefLane::Candidate,
            status: BeliefStatus::Active,
            confidence,
            parts: ConfidenceParts::default(),
            freshness: 1.0,
            last_supported_at: now(),
            last_contradicted_at: None,
            due_at: now(),
            privacy: Privacy::Open,
            allowed_consumers: Consumer::ALL.to_vec(),
            created_at: now(),
        }
    }

    async fn open(folder: &Path) -> Store {
        let place = StoreLocation::Folder { path: folder.to_owned(), disk: Arc::new(LocalDisk) };
        Store::open(StoreOptions { place, agent: "main".parse().expect("a name"), now: now() })
            .await
            .expect("a store")
    }

    async fn version(store: &Store) -> i64 {
        store.read(|view| view.memory_version()).await.expect("a version")
    }

    /// covers: K-78, W-162
    #[test]
    fn verified_beliefs_are_found_by_their_words_and_keys_and_no_candidate_is() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        runtime.block_on(async {
            let store = open(folder.path()).await;
            let all = [
                belief("a", "User grows tulips.", 0.4),
                belief("b", "User grows tulips in Oslo.", 0.3),
                belief("c", "User sells tulips.", 0.9),
                belief("d", "User has a cat.", 0.9),
                belief("e", "User draws tulips.", 1.0),
            ];
            let made = |belief: &Belief| BeliefChange {
                what: BeliefTransition::Made {
                    belief: Box::new(belief.clone()),
                    after: None,
                    links: Vec::new(),
                },
                action: ReceiptAction::Create,
                told: ReceiptDetail::default(),
            };
            let changes = all.iter().map(made).collect();
            let believing = BeliefChanges { actor: "test".to_owned(), changes, considered: Vec::new() };
            assert!(store.believe(version(&store).await, believing, now()).await.expect("written"));
            for (number, belief) in all.iter().enumerate().take(4) {
                let decision = BeliefDecision {
                    version: version(&store).await,
                    number: number as u32,
                    becomes: Decided::Verified { belief: Box::new(belief.clone()), link: None },
                    action: ReceiptAction::AcceptVerified,
                    subject: belief.id.to_string(),
                    told: ReceiptDetail::default(),
                };
                let done = decide(&store, decision, "operator:test".to_owned(), now()).await;
                assert!(done.expect("decided").is_some());
            }
            let found = async |terms: &[&str], keys: &[&str], limit: u32| {
                let found = store.read(|view| view.verified_beliefs_about(terms, keys, limit)).await;
                found.expect("read").into_iter().map(|record| record.belief.key).collect::<String>()
            };
            assert_eq!(found(&["tulip", "oslo"], &[], 9).await, "cab", "the best supported first");
            assert_eq!(
                found(&["tulip", "oslo"], &[], 1).await,
                "b",
                "what holds the most is looked at first"
            );
            assert_eq!(found(&["tulip"], &[], 2).await, "ca");
            assert_eq!(found(&["oslo"], &["d", "e", "f"], 9).await, "db", "and what stands under a key");
            assert_eq!(found(&[], &[], 9).await, "");
        });
    }
}
