//! The stores of other agents whose memories one agent may look at. Each is opened when it is first needed. Being open permits
//! nothing: every question asks the owner's ledger anew what is shared.

use crate::{agent_places::AgentPlaces, error::Result};
use cairn_domain::{AgentName, Time};
use cairn_store::{Store, StoreOptions};
use std::collections::HashMap;
use tokio::sync::Mutex;

/// Stores that are kept open; beyond that all are closed.
const MAX_OPEN_STORES: usize = 32;

/// The open stores of other agents.
pub(crate) struct OwnerStores {
    places: AgentPlaces,
    open: Mutex<HashMap<AgentName, Store>>,
}

impl OwnerStores {
    pub(crate) fn new(places: AgentPlaces) -> Self {
        Self { places, open: Mutex::default() }
    }

    /// The store of another agent; none if there is no such agent.
    pub(crate) async fn store(&self, owner: &AgentName, now: Time) -> Result<Option<Store>> {
        let mut open = self.open.lock().await;
        if let Some(store) = open.get(owner) {
            return Ok(Some(store.clone()));
        }
        if !self.places.has(owner).await? {
            return Ok(None);
        }
        let options = StoreOptions { place: self.places.place_of(owner), agent: owner.clone(), now };
        let store = Store::open(options).await?;
        if open.len() >= MAX_OPEN_STORES {
            open.clear();
        }
        open.insert(owner.clone(), store.clone());
        Ok(Some(store))
    }
}
