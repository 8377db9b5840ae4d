//! Sharing: which memories others may read, who may write, and whose memories this agent looks at. Settings that an operator's receipt proves.

use super::{
    governed::{SHARE_PREFIX, SOURCE_PREFIX, WRITER_PREFIX, protected_setting},
    memory::MemoryRecord,
    pair,
};
use crate::{
    Result, StoreError,
    database::{Value, values},
    transaction::Tx,
};
use cairn_domain::{
    AgentName, MemoryId, MemoryShare, Receipt, ReceiptAction, SharedSource, Time, TrustJudgment,
    TrustVerdict, WhoseWord, WriteGrant,
};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// A share as row-level security reads it.
#[derive(Serialize)]
struct RowShare<'a> {
    #[serde(flatten)]
    share: &'a MemoryShare,
    /// The numbers of its entities.
    entity_ids: Vec<i64>,
}

impl RowShare<'_> {
    fn as_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| StoreError::Refused {
            problem: format!("the share cannot be written: {error}"),
            hint: "report this".into(),
        })
    }
}

impl Tx<'_> {
    /// The memories that this agent shares with a reader at `now`; nothing if it was taken back or is over.
    pub fn share_with(&mut self, reader: &AgentName, now: Time) -> Result<Option<MemoryShare>> {
        let share: Option<MemoryShare> = self.sharing_setting(SHARE_PREFIX, reader)?;
        Ok(share.filter(|share| share.holds(now)))
    }

    /// The same for reading on: on a database server row-level security holds every later statement of this transaction to it, and
    /// to nothing if there is no share.
    pub fn narrow_to_share(&mut self, reader: &AgentName, now: Time) -> Result<Option<MemoryShare>> {
        let share = self.share_with(reader, now)?;
        if !self.is_on_server() {
            return Ok(share);
        }
        let narrowed = match &share {
            Some(share) => RowShare { share, entity_ids: self.entity_ids(&share.entities)? }.as_json()?,
            None => "{}".to_owned(),
        };
        if let Some(postgres) = self.connection.postgres() {
            postgres.narrow_to(&narrowed)?;
        }
        Ok(share)
    }

    fn entity_ids(&mut self, slugs: &[String]) -> Result<Vec<i64>> {
        let sql = "SELECT entity_id FROM entity WHERE agent_id = ?1 AND slug = ?2";
        let rows: Vec<Vec<Value<'_>>> =
            slugs.iter().map(|slug| values![self.agent_id, slug.as_str()].to_vec()).collect();
        Ok(self.first_of_each(sql, &rows, |row| row.int(0))?.into_iter().flatten().collect())
    }

    /// Whether another agent may write into this memory at `now`.
    pub fn admits_writer(&mut self, writer: &AgentName, now: Time) -> Result<bool> {
        let grant: Option<WriteGrant> = self.sharing_setting(WRITER_PREFIX, writer)?;
        Ok(grant.is_some_and(|grant| grant.holds(now)))
    }

    /// The readers that something is shared with, by name, whether or not it is over.
    pub fn shares(&mut self) -> Result<Vec<(AgentName, MemoryShare)>> {
        self.sharing_settings(SHARE_PREFIX)
    }

    /// The agents that may write into this memory, by name, whether or not that is over.
    pub fn writers(&mut self) -> Result<Vec<(AgentName, WriteGrant)>> {
        self.sharing_settings(WRITER_PREFIX)
    }

    /// The owners whose memories this agent looks at, by name.
    pub fn shared_sources(&mut self) -> Result<Vec<(AgentName, SharedSource)>> {
        self.sharing_settings(SOURCE_PREFIX)
    }

    /// A memory, if it is shared with a reader at `now`.
    pub fn shared_memory(
        &mut self,
        id: MemoryId,
        reader: &AgentName,
        now: Time,
    ) -> Result<Option<MemoryRecord>> {
        let Some(share) = self.narrow_to_share(reader, now)? else { return Ok(None) };
        let Some(record) = self.memory(id)? else { return Ok(None) };
        let slugs = self.slugs_of_each(&[record.number])?.concat();
        Ok(Some(record).filter(|record| share.covers(&record.memory, &slugs)))
    }

    /// The verdicts of this agent on what an owner shares, oldest first. They are receipts about the source.
    pub fn trust_judgments(&mut self, owner: &AgentName) -> Result<Vec<TrustJudgment>> {
        let judgment = |receipt: Receipt| {
            let verdict = match receipt.action {
                ReceiptAction::Reinforce => TrustVerdict::Confirmed,
                ReceiptAction::Contradict => TrustVerdict::Contradicted,
                _ => return None,
            };
            let by = if receipt.actor == "user" { WhoseWord::User } else { WhoseWord::Agent };
            Some(TrustJudgment { memory: receipt.told.becomes.parse().ok()?, verdict, by })
        };
        let receipts = self.receipts_of(&format!("{SOURCE_PREFIX}{owner}"))?;
        Ok(receipts.into_iter().filter_map(judgment).collect())
    }

    fn sharing_settings<T: DeserializeOwned>(&mut self, prefix: &str) -> Result<Vec<(AgentName, T)>> {
        let mut found = Vec::new();
        for name in self.protected_names()? {
            let Some(Ok(agent)) = name.strip_prefix(prefix).map(str::parse::<AgentName>) else { continue };
            found.extend(self.sharing_setting(prefix, &agent)?.map(|value| (agent, value)));
        }
        Ok(found)
    }

    /// A value that an operator has set; what was taken back is empty, and none.
    fn sharing_setting<T: DeserializeOwned>(&mut self, prefix: &str, agent: &AgentName) -> Result<Option<T>> {
        let set = protected_setting(self, &format!("{prefix}{agent}"))?;
        Ok(set.and_then(|(value, _)| serde_json::from_str(&value).ok()))
    }

    /// The newest memories of the threads and categories of a share, and those that name its entities, without replaced ones:
    /// number and revision, the newest first.
    pub fn memories_in_share(&mut self, share: &MemoryShare, limit: u32) -> Result<Vec<(u32, u32)>> {
        let by_thread = "SELECT number, revision FROM memory WHERE agent_id = ?1 AND thread = ?2
                         AND status <> 'superseded' ORDER BY number DESC LIMIT ?3";
        let by_category = "SELECT number, revision FROM memory WHERE agent_id = ?1 AND category = ?2
                           AND status <> 'superseded' ORDER BY number DESC LIMIT ?3";
        let by_entity =
            "SELECT m.number, m.revision FROM mention AS x JOIN entity AS e ON e.agent_id = x.agent_id
                         AND e.entity_id = x.entity_id JOIN memory AS m ON m.agent_id = x.agent_id
                         AND m.number = x.number WHERE x.agent_id = ?1 AND e.agent_id = ?1 AND m.agent_id = ?1
                         AND e.slug = ?2 AND m.status <> 'superseded' ORDER BY m.number DESC LIMIT ?3";
        let threads = share.threads.iter().map(|name| (by_thread, name.as_str()));
        let categories = share.categories.iter().map(|category| (by_category, category.as_str()));
        let entities = share.entities.iter().map(|slug| (by_entity, slug.as_str()));
        let mut found = BTreeMap::new();
        for (sql, name) in threads.chain(categories).chain(entities) {
            found.extend(self.query(sql, values![self.agent_id, name, i64::from(limit)], pair)?);
        }
        Ok(found.into_iter().rev().take(limit as usize).collect())
    }
}
