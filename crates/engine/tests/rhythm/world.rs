//! An agent whose memories a test makes as it needs them.

use cairn_domain::{AgentName, EntityKind, Evidence, MILLIS_PER_DAY, Memory, RelationKind, Time, Verdict};
use cairn_engine::{Agent, Home, MemoryScope, Missing, RhythmOutcome, RhythmReport};
use cairn_store::{
    Committed, Formation, LocalDisk, MemoryAttachments, MemoryRecord, NewMemory, NewMention, RelationRecord,
    Store, StoreLocation, StoreOptions,
};
use cairn_testkit::{SimulatedClock, conformance};
use std::{path::Path, sync::Arc};
use tempfile::TempDir;
pub(crate) const START: &str = "2026-03-01T02:00:00Z";
/// No model, no jitter: what is due is due at once.
pub(crate) const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

pub(crate) struct World {
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) home: Home,
    pub(crate) agent: Agent,
    pub(crate) store: Store,
    /// Goes with the world.
    _folder: Option<TempDir>,
}

pub(crate) fn start() -> Time {
    START.parse().expect("a time")
}

/// So many days after the start.
pub(crate) fn day(day: i64) -> Time {
    Time::from_millis(start().millis() + day * MILLIS_PER_DAY)
}

impl World {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let world = Self::at(folder.path(), START).await;
        Self { _folder: Some(folder), ..world }
    }

    /// The world in a folder, at this time.
    pub(crate) async fn at(folder: &Path, time: &str) -> Self {
        Self::with(folder, time, CONFIG, |home| home).await
    }

    pub(crate) async fn with(
        folder: &Path,
        time: &str,
        config: &str,
        change: impl FnOnce(Home) -> Home,
    ) -> Self {
        std::fs::write(folder.join("config.toml"), config).expect("written");
        let clock = SimulatedClock::at(time);
        let home = change(Home::new(folder, Arc::clone(&clock) as Arc<_>).expect("a home"));
        let name: AgentName = "main".parse().expect("a name");
        let agent = home.agent(&name, Missing::Create).await.expect("an agent");
        let place = StoreLocation::Folder { path: home.folder(&name), disk: Arc::new(LocalDisk) };
        let options = StoreOptions { place, agent: name, now: time.parse().expect("a time") };
        let store = Store::open(options).await.expect("a store");
        Self { clock, home, agent, store, _folder: None }
    }

    pub(crate) fn pass_days(&self, days: i64) {
        self.clock.pass_ms(days * MILLIS_PER_DAY);
    }

    pub(crate) async fn make(&self, memories: Vec<(Memory, MemoryAttachments)>) {
        let made = memories.into_iter().map(|(memory, bound)| new(memory, bound)).collect();
        let version = self.store.read(|view| view.memory_version()).await.expect("a version");
        let formation = Formation { version, made, ..Formation::default() };
        let done = self.store.commit(formation, start()).await.expect("written");
        assert!(matches!(done, Committed::Done(_)), "{done:?}");
    }

    pub(crate) async fn memory(&self, text: &str) -> MemoryRecord {
        let all = self.agent.memories(None, MemoryScope::All, 100_000).await.expect("listed");
        all.into_iter().find(|record| record.memory.text == text).unwrap_or_else(|| panic!("no “{text}”"))
    }

    pub(crate) async fn all(&self) -> Vec<MemoryRecord> {
        self.agent.memories(None, MemoryScope::All, 100_000).await.expect("listed")
    }

    pub(crate) async fn dream(&self) -> RhythmReport {
        let report = self.agent.run_rhythm("dream", &mut |_| {}).await.expect("a dream");
        assert_eq!(report.outcome, RhythmOutcome::Done);
        report
    }

    /// The same without how far steps have come.
    pub(crate) async fn memories(&self) -> Vec<String> {
        self.state().await.into_iter().filter(|row| !row.starts_with("watermark")).collect()
    }

    /// Everything that is kept of memories and of what was done to them, as text.
    pub(crate) async fn state(&self) -> Vec<String> {
        let mut rows = Vec::new();
        let read = self.store.read(|view| {
            rows.clear();
            view.portable_rows(|row| {
                if row.table != "memory_state" && row.table != "rhythm" {
                    rows.push(format!("{} {:?}", row.table, row.row));
                }
                Ok(())
            })
        });
        read.await.expect("read");
        rows
    }
}

/// Says which rows differ.
pub(crate) fn assert_same(before: &[String], after: &[String], when: &str) {
    let other = |rows: &[String], than: &[String]| -> Vec<String> {
        rows.iter().filter(|row| !than.contains(row)).cloned().collect()
    };
    assert_eq!(other(before, after), other(after, before), "{when}");
}

fn new(memory: Memory, bound: MemoryAttachments) -> NewMemory {
    let reasons = r#"{"prediction_error":0.8}"#.to_owned();
    NewMemory {
        memory,
        verdict: Verdict::Create,
        reason: "told".to_owned(),
        reasons,
        bound,
        tag_ms: None,
        in_mind: false,
        superseded_by: None,
    }
}

/// A memory of day 0 with this text.
pub(crate) fn memory(text: &str) -> Memory {
    let day = start();
    Memory {
        valid_from: day,
        recorded_at: day,
        utility_at: day,
        accessed_at: day,
        stability: 4.0,
        valence: 0.0,
        arousal: 0.0,
        ..conformance::memories::memory(text)
    }
}

/// The evidence and the names of a memory.
pub(crate) fn about(text: &str, names: &[&str]) -> MemoryAttachments {
    let mention = |name: &&str| NewMention {
        kind: EntityKind::Place,
        name: (*name).to_owned(),
        slug: name.to_lowercase(),
        alias: None,
    };
    MemoryAttachments {
        evidence: vec![Evidence::support(format!("file:notes.md#{text}"), "user", text, start())],
        mentions: names.iter().map(mention).collect(),
        ..MemoryAttachments::default()
    }
}

pub(crate) fn related(mut bound: MemoryAttachments, to: u32, kind: RelationKind) -> MemoryAttachments {
    bound.relations.push(RelationRecord { from: 0, to, kind, confidence: 0.9, reason: "told".to_owned() });
    bound
}

/// A statement of which there is one value at a time.
pub(crate) fn single(mut bound: MemoryAttachments) -> MemoryAttachments {
    bound.statements.push(conformance::memories::statement("lisbon"));
    bound
}
