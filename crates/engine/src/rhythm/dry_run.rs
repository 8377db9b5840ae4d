//! A dry run: the rhythm is carried out in a copy of the agent, which is thrown away. So it shows exactly what would change,
//! each step on what the steps before it have left. A language model is not asked: what it would word is shown in the
//! words of rules.

use crate::{
    error::{EngineError, Result},
    home::{Home, Missing},
    rhythm::run::{OnBatch, RhythmReport},
    tend::Disclosure,
};
use cairn_domain::AgentName;
use std::fs::File;

impl Home {
    /// The changes a rhythm would make if it ran now. It runs on a copy, so nothing changes.
    pub async fn try_rhythm(
        &self,
        name: &AgentName,
        rhythm: &str,
        on_batch: OnBatch<'_>,
    ) -> Result<RhythmReport> {
        let agent = self.agent(name, Missing::Refuse).await?;
        std::fs::create_dir_all(self.path()).map_err(EngineError::file("make", self.path()))?;
        let folder = tempfile::Builder::new().prefix(".dry-run-").tempdir_in(self.path());
        let folder = folder.map_err(EngineError::file("make a folder in", self.path()))?;
        let copy = self.without_language_models(folder.path())?;
        if agent.is_on_server() {
            let bundle = folder.path().join("agent.cairn");
            let mut file = File::create(&bundle).map_err(EngineError::file("write", &bundle))?;
            agent.export(&mut file, &bundle, Disclosure::Whole).await?;
            let there = copy.agent(name, Missing::Create).await?;
            let (_, rows) = there.import_messages(&bundle).await?;
            there.store.copy_rows(rows).await?;
            // A bundle has no vectors.
            there.store.copy_memory_vectors(&agent.store, self.now()).await?;
            return there.run_rhythm(rhythm, on_batch).await;
        }
        agent.store.backup(copy.folder(name)).await?;
        copy.agent(name, Missing::Refuse).await?.run_rhythm(rhythm, on_batch).await
    }
}
