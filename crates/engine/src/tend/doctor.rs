//! The doctor: is everything in order, and if not, what to do. With `fix` it does it.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    govern::StandingLease,
    growth::CoherenceState,
    home::{Home, Missing},
    tend::{
        check::{Check, Health},
        server_checks as server,
    },
    write::Embedding,
};
use cairn_domain::{AgentName, LeaseAudience};
use cairn_store::VerificationFinding;
use std::{fs, path::Path, sync::Arc};

/// Handoffs that are looked at.
const MAX_HANDOFFS_EXAMINED: u32 = 1_000;

impl Home {
    /// Looks at the home and one agent without changing anything.
    pub async fn examine(&self, name: &AgentName) -> Result<Vec<Check>> {
        let mut checks = self.check_surroundings(name).await;
        checks.extend(self.check_privacy());
        match self.agent(name, Missing::Refuse).await {
            Ok(agent) => {
                checks.extend(agent.examine().await?);
                checks.extend(self.check_protected_files(&agent).await?);
            }
            Err(error) => checks.push(Check::bad("agent", error.to_string(), error.hint())),
        }
        Ok(checks)
    }

    /// Looks at the home and one agent and mends what can be mended without losing a word.
    pub async fn mend(&self, name: &AgentName) -> Result<Vec<Check>> {
        let mut checks = self.check_surroundings(name).await;
        let closed = self.make_private()?;
        if closed > 0 {
            let found = format!("{closed} file(s) or folder(s) were open to other users of this machine");
            checks.push(Check::mended("privacy", found));
        }
        let folder = self.folder(name);
        let agent = match self.readable(name).await {
            Ok(agent) => agent,
            Err(EngineError::Store(error)) if error.is_corruption() => {
                let aside = set_aside(&folder, &self.now().to_string().replace(':', "-"))?;
                checks.push(Check::mended(
                    "database",
                    format!("{error}; set aside as {aside} and restored from the archive"),
                ));
                self.agent(name, Missing::Refuse).await?
            }
            Err(error) => {
                checks.push(Check::bad("agent", error.to_string(), error.hint()));
                return Ok(checks);
            }
        };
        let restored = agent.store.restore_archive().await?;
        if restored > 0 {
            checks.push(Check::mended(
                "archive",
                format!("{restored} line(s) were written again from the database"),
            ));
        }
        if agent.verify().await?.findings.iter().any(VerificationFinding::is_mended_by_rebuilding) {
            let rebuilt = agent.rebuild().await?;
            checks.push(Check::mended("index", format!("rebuilt from {} archive file(s)", rebuilt.files)));
        }
        let given_back = agent.release_dead_leases().await?;
        if !given_back.is_empty() {
            let found = format!("{} was held by somebody who is gone", given_back.join(", "));
            checks.push(Check::mended("lease", found));
        }
        if agent.examine_queue().await?.is_some() {
            let formed = agent.form(&mut |_| {}).await?;
            checks
                .push(Check::mended("queue", format!("all {} messages are looked at now", formed.messages)));
        }
        checks.extend(agent.examine().await?);
        checks.extend(self.check_protected_files(&agent).await?);
        Ok(checks)
    }

    /// The agent, if every page of its database can be read.
    async fn readable(&self, name: &AgentName) -> Result<Agent> {
        let agent = self.agent(name, Missing::Refuse).await?;
        agent.verify().await?;
        Ok(agent)
    }

    /// The home, the server if one keeps the agents, and the language models.
    async fn check_surroundings(&self, agent: &AgentName) -> Vec<Check> {
        let mut checks = vec![self.check_home()];
        checks.extend(Some(self.check_disk()).filter(|disk| disk.health != Health::Good));
        if let Some(server) = self.server() {
            let report = cairn_store::inspect_database_server(Arc::clone(server), agent.clone()).await;
            checks.extend(server::checks(&server.to_string(), report));
        }
        checks.push(self.check_language().await);
        checks
    }

    pub(super) fn check_home(&self) -> Check {
        let probe = self.path().join(".doctor");
        let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
        let home = self.path().display();
        match written {
            Ok(()) => Check::good("home", format!("{home} can be written; its configuration is valid")),
            Err(error) => Check::bad(
                "home",
                format!("{home} cannot be written: {error}"),
                "give this user write access to it",
            ),
        }
    }
}

impl Agent {
    async fn examine(&self) -> Result<Vec<Check>> {
        let mut checks = Vec::new();
        let stats = self.stats().await?;
        checks.push(Check::good("agent", format!("{} holds {} messages", self.name, stats.counts.messages)));
        let verification = self.verify().await?;
        if verification.findings.is_empty() {
            let detail = format!(
                "{} message(s) in {} archive file(s) say what the database says; {} seal(s) hold",
                verification.messages, verification.files, verification.seals
            );
            checks.push(Check::good("archive", detail));
        }
        for finding in verification.findings {
            checks.push(Check::bad("archive", finding.problem, finding.hint));
        }
        checks.push(self.examine_vectors().await?);
        let jobs = self.store.read(|view| view.jobs()).await?;
        for job in jobs {
            let lease = job
                .lease
                .map_or(String::new(), |(holder, until)| format!(", held by {holder} until {until}"));
            checks.push(Check::good("job", format!("{} reached {}{lease}", job.name, job.watermark)));
        }
        checks.extend(self.examine_handoffs().await?);
        checks.extend(self.examine_coherence().await?);
        checks.extend(self.examine_leases().await?);
        checks.extend(self.readiness().await?);
        checks.extend(self.examine_queue().await?);
        for note in self.take_notes() {
            checks.push(Check { name: "note", health: Health::Warning, detail: note, fix: None });
        }
        Ok(checks)
    }
}

impl Agent {
    /// Handoffs that cannot be read; reading them sets them aside.
    async fn examine_handoffs(&self) -> Result<Vec<Check>> {
        self.handoffs(MAX_HANDOFFS_EXAMINED).await?;
        let told = |path: std::path::PathBuf| {
            let detail =
                format!("{} is no handoff that Cairn wrote; it is shown to no model", path.display());
            Check::warning(
                "handoff",
                detail,
                "read it, then delete it; the next handoff is written by itself",
            )
        };
        Ok(self.quarantined_handoffs().into_iter().map(told).collect())
    }

    /// Sessions whose entropy has been critical for too long.
    async fn examine_coherence(&self) -> Result<Vec<Check>> {
        let told = |state: CoherenceState| {
            let CoherenceState { critical_since, newest, .. } = state;
            let since = critical_since.unwrap_or(newest.at);
            let detail = format!(
                "session {} has had an entropy of {:.1} or more since {since}",
                newest.session, self.config.coherence.critical_from
            );
            let fix =
                format!("look at `cairn coherence --session {}`, then begin a new session", newest.session);
            Check::bad("coherence", detail, fix)
        };
        Ok(self.critical_sessions().await?.into_iter().map(told).collect())
    }

    /// Leases that have ended, if the operator wants to know.
    async fn examine_leases(&self) -> Result<Vec<Check>> {
        let leases = self.leases().await?;
        let told = leases.iter().filter(|lease| lease.is_told_to(LeaseAudience::Operator, self.now()));
        let check = |lease: &StandingLease| {
            let fix = format!("give a new one with `cairn operator lease {0}`, or add --end", lease.name);
            Some(Check::warning("lease", lease.end_told()?, &fix))
        };
        Ok(told.filter_map(check).collect())
    }

    /// Whether messages can be found by meaning.
    async fn examine_vectors(&self) -> Result<Check> {
        let Embedding { done, messages } = self.embedding().await?;
        let detail = format!("{done} of {messages} messages can be found by meaning");
        let warning = |detail: String, fix: &str| Check::warning("vectors", detail, fix);
        if self.embedders.configured().spec().is_none() {
            return Ok(Check::good("vectors", "by keywords only, as config.toml says"));
        }
        Ok(match self.embedders.configured().embedder().await {
            Err(error) => warning(format!("{detail}; {error}"), error.hint()),
            Ok(_) if done < messages => warning(detail, "run `cairn embed`"),
            Ok(embedder) => Check::good("vectors", format!("{detail}; {} answers", embedder.spec().id)),
        })
    }
}

/// Renames the database out of the way; the archive brings everything back.
fn set_aside(folder: &Path, stamp: &str) -> Result<String> {
    let aside = format!("memory.db.damaged-{stamp}");
    for end in ["", "-wal", "-shm"] {
        let from = folder.join(format!("memory.db{end}"));
        if from.exists() {
            let to = folder.join(format!("{aside}{end}"));
            fs::rename(&from, to).map_err(EngineError::file("set aside", from))?;
        }
    }
    Ok(aside)
}
