//! Leases of background jobs.

use super::store::Store;
use crate::{error::Result, record, transaction::Tx};
use cairn_domain::Time;
use std::time::Duration;

/// How long taking a lease waits for another process: work in the background can wait for another time.
const CLAIM_PATIENCE: Duration = Duration::from_secs(5);

impl Store {
    /// Takes the lease of the job `name` for `holder` until `until`; false if another holder has it, or nobody can write at the
    /// moment.
    pub async fn claim_job(
        &self,
        name: &'static str,
        holder: String,
        now: Time,
        until: Time,
    ) -> Result<bool> {
        let claim = move |tx: &mut Tx<'_>| record::claim(tx, name, &holder, now, until);
        Ok(self.writer.claim_within(CLAIM_PATIENCE, claim).await?.unwrap_or(false))
    }

    /// Moves the watermark of a job that `holder` holds, and releases its lease.
    pub async fn finish_job(
        &self,
        name: &'static str,
        holder: String,
        watermark: i64,
        now: Time,
    ) -> Result<()> {
        let finish = move |tx: &mut Tx<'_>| {
            record::advance(tx, name, &holder, watermark, now)?;
            record::release(tx, name, &holder)
        };
        self.writer.claim(finish).await
    }

    /// Releases every lease of `holder`.
    pub async fn release_all_jobs(&self, holder: String) -> Result<()> {
        let release = move |tx: &mut Tx<'_>| record::release_all(tx, &holder);
        self.writer.claim(release).await
    }
}
