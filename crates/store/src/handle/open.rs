//! Opening a store: migrating its database, and repairing what a crash left behind.

use super::{readers::Readers, store::Store};
use crate::{
    append::reconcile,
    archive::{Archive, KeepBeside, has_unsealed_day, is_kept_beside, keep_beside, restore_from_beside},
    context::{AgentFiles, RepairNotes, Storage, StoreContext},
    database::{Connection, DatabaseServer, LATEST_SCHEMA, WhenUnreachable, migrate, schema_version},
    error::{Result, StoreError},
    files::Disk,
    index::{keyword::LiveKeywordIndex, vector::LiveVectorIndex},
    maintenance::copy_before_migration,
    protected::{finish_in, is_unfinished},
    record::{self, ensure_agent},
    threads::run_on_blocking_thread,
    transaction::Tx,
    writer::{Writer, seal_or_note},
};
use cairn_domain::{AgentName, Time};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

/// How long opening waits for another process before it leaves a repair to whoever writes next: what is there can be read
/// without it.
const REPAIR_PATIENCE: Duration = Duration::from_secs(2);

/// Which agent to open, and where it is stored.
pub struct StoreOptions {
    /// Where it is stored.
    pub place: StoreLocation,
    /// The agent's name.
    pub agent: AgentName,
    /// The present.
    pub now: Time,
}

/// Where an agent is stored.
pub enum StoreLocation {
    /// In a folder of its own, created if it is missing.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The file system of the archive files.
        disk: Arc<dyn Disk>,
    },
    /// On a database server, with others.
    Server(Arc<DatabaseServer>),
}

impl Store {
    /// Opens an agent, created if it is missing, and migrates its database. In a folder it also takes in what a crash left in
    /// the archive; on a database server archive and rows are one, and a crash separates nothing.
    pub async fn open(options: StoreOptions) -> Result<Self> {
        let (connection, context) = run_on_blocking_thread(move || open_storage(options)).await?;
        let context = Arc::new(context);
        let (writer, readers) =
            (Writer::new(connection, Arc::clone(&context)), Readers::new(Arc::clone(&context)));
        Ok(Self { context, writer, readers })
    }
}

fn open_storage(options: StoreOptions) -> Result<(Connection, StoreContext)> {
    let StoreOptions { place, agent, now } = options;
    match place {
        StoreLocation::Folder { path, disk } => open_folder(path, agent, disk, now),
        StoreLocation::Server(server) => open_on_server(server, agent, now),
    }
}

/// Opens an agent in a folder: its database, migrated, and its files, repaired.
fn open_folder(
    folder: PathBuf,
    agent: AgentName,
    disk: Arc<dyn Disk>,
    now: Time,
) -> Result<(Connection, StoreContext)> {
    let notes = RepairNotes::default();
    set_aside_non_folder(&folder.join("index"), &notes)?;
    for folder in [&folder, &folder.join("archive"), &folder.join("index")] {
        fs::create_dir_all(folder).map_err(StoreError::file("make", folder))?;
    }
    let mut connection = Connection::open(&folder.join("memory.db"))?;
    if let Some(schema @ 1..) =
        Some(schema_version(&mut connection)?).filter(|schema| *schema < LATEST_SCHEMA)
    {
        let to = folder
            .join("backups")
            .join(format!("{}-before-schema-{LATEST_SCHEMA}", now.to_string().replace(':', "-")));
        copy_before_migration(&mut connection, &folder, &to)?;
        notes.add(format!(
            "schema {schema} is now {LATEST_SCHEMA}; a copy from before is in {}",
            to.display()
        ));
    }
    migrate(&mut connection)?;
    let agent_id = ensure_agent(&mut connection, &agent, now)?;
    let archive = Archive::new(folder.join("archive"), disk);
    let keywords = LiveKeywordIndex::new(folder.join("index"), notes.clone());
    let vectors = LiveVectorIndex::new(folder.join("index"), notes.clone());
    // Before messages are taken in: they may get numbers under which the files hold others.
    let tx = &mut Tx::new(&mut connection, agent_id);
    keywords.remove_files_beyond_newest(tx)?;
    vectors.remove_files_beyond_newest(tx)?;
    if !is_kept_beside(tx, &archive)? {
        let kept = tx.write_within(REPAIR_PATIENCE, |tx| {
            let restored = restore_from_beside(tx, &archive, now)?;
            keep_beside(tx, &archive, KeepBeside::New)?;
            Ok(restored)
        })?;
        kept.flatten().into_iter().for_each(|note| notes.add(note));
    }
    if is_unfinished(tx)? {
        tx.write_within(REPAIR_PATIENCE, |tx| finish_in(tx, &archive, now))?;
    }
    let may_be_unsealed = reconcile_if_needed(tx, &archive, &notes)?;
    let (revisions, words) = Default::default();
    let storage =
        Storage::Folder(Box::new(AgentFiles { folder, archive, keywords, vectors, revisions, words }));
    let context = StoreContext { agent, agent_id, storage, notes };
    if may_be_unsealed {
        seal_or_note(&mut connection, &context, now);
    }
    Ok((connection, context))
}

/// Opens an agent on a database server.
fn open_on_server(
    server: Arc<DatabaseServer>,
    agent: AgentName,
    now: Time,
) -> Result<(Connection, StoreContext)> {
    let mut connection = Connection::connect(&server, agent.as_str(), WhenUnreachable::Fail)?;
    migrate(&mut connection)?;
    let agent_id = ensure_agent(&mut connection, &agent, now)?;
    if let Some(postgres) = connection.postgres() {
        postgres.work_for(agent_id);
    }
    let storage = Storage::Server { server, unindexed_vectors: AtomicUsize::new(0) };
    Ok((connection, StoreContext { agent, agent_id, storage, notes: RepairNotes::default() }))
}

/// Renames a file that is in the way of the index folder.
fn set_aside_non_folder(folder: &Path, notes: &RepairNotes) -> Result<()> {
    if !folder.exists() || folder.is_dir() {
        return Ok(());
    }
    let aside = folder.with_extension("aside");
    fs::rename(folder, &aside).map_err(StoreError::file("set aside", folder))?;
    notes.add(format!("{} was no folder; it is now {}", folder.display(), aside.display()));
    Ok(())
}

/// Makes archive and database end at the same message; whether finished days may not be sealed yet. Takes the write lock only
/// if they do not agree already, or if a process that began a new day ended before it had sealed the day before.
fn reconcile_if_needed(tx: &mut Tx<'_>, archive: &Archive, notes: &RepairNotes) -> Result<bool> {
    let agree = |tx: &mut Tx<'_>| -> Result<bool> {
        let last = record::last_place(tx)?.map(|(_, place)| place);
        match (last, archive.days()?.last()) {
            (None, None) => Ok(true),
            (Some(place), Some(day)) if place.day == *day => archive.ends_at(*day, place.end()),
            _ => Ok(false),
        }
    };
    if agree(tx)? && !has_unsealed_day(tx, archive)? {
        return Ok(false);
    }
    let repaired = tx.write_within(REPAIR_PATIENCE, |tx| {
        // Another process may have been between its append and its commit.
        if !agree(tx)? {
            reconcile(tx, archive, notes)?;
        }
        Ok(())
    })?;
    Ok(repaired.is_some())
}
