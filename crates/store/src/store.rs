//! The handle: one agent's memory, opened. Callers await; `worker` says on which thread the work happens.

use crate::{
    Appended, Disk, EmbedderRecord, EmbedderState, NewVector, Result, StoreError, VectorIndex,
    archive::{Archive, reconcile, seal_finished_days, wants_sealing},
    backup,
    database::{Connection, migrate},
    keyword::{KeywordIndex, Keywords},
    rebuild::{Rebuilt, rebuild},
    record::{self, ensure_agent},
    vector::Vectors,
    verify::{Verification, restore_archive, verify},
    worker::{Readers, Writer, on_another_thread},
};
use cairn_domain::{AgentName, Message, Time};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLockReadGuard},
};

/// Where an agent is kept.
pub struct Options {
    /// The agent's folder, made if it is missing.
    pub folder: PathBuf,
    /// The agent's name.
    pub agent: AgentName,
    /// What archive files are written through.
    pub disk: Arc<dyn Disk>,
    /// The present.
    pub now: Time,
}

/// One agent's memory, opened. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
    writer: Writer,
    readers: Readers,
}

/// What the threads of one store have in common.
pub(crate) struct Shared {
    pub(crate) folder: PathBuf,
    pub(crate) agent_id: i64,
    pub(crate) archive: Archive,
    pub(crate) keywords: Keywords,
    pub(crate) vectors: Vectors,
    pub(crate) notes: Notes,
}

/// One unchanging view of an agent's memory. What can be asked stands in the files of `record`.
pub struct View<'a> {
    pub(crate) connection: &'a mut Connection,
    pub(crate) agent_id: i64,
    pub(crate) shared: &'a Shared,
}

impl View<'_> {
    /// The keyword index with everything this view holds.
    pub fn keywords(&mut self) -> Result<RwLockReadGuard<'_, KeywordIndex>> {
        self.shared.keywords.caught_up(self.connection, self.agent_id)
    }

    /// The keyword index with everything this view holds, and the vector index with every vector of the active
    /// embedder; `None` if there is no such embedder or no such vector. What is found in the second stands in the first.
    pub fn search_indexes(
        &mut self,
    ) -> Result<(RwLockReadGuard<'_, KeywordIndex>, Option<RwLockReadGuard<'_, VectorIndex>>)> {
        let Shared { keywords, vectors, .. } = self.shared;
        let keywords = keywords.caught_up(self.connection, self.agent_id)?;
        let vectors = vectors.caught_up(self.connection, self.agent_id)?;
        Ok((keywords, vectors))
    }

    /// Whether the archive still says what the database says of this message.
    pub fn archive_agrees(&self, record: &crate::MessageRecord) -> Result<bool> {
        let line = self.shared.archive.line_at(&record.place)?;
        Ok(line.is_some_and(|line| {
            serde_json::from_slice::<Message>(&line).is_ok_and(|said| said == record.message)
        }))
    }

    /// The archive file that holds this message's line.
    pub fn archive_file(&self, record: &crate::MessageRecord) -> PathBuf {
        self.shared.archive.path(record.place.day)
    }
}

/// Things that were repaired along the way and that the person should know. Bounded.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    const MOST: usize = 200;

    pub(crate) fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < Self::MOST {
            notes.push(note);
        }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store {
    /// Opens an agent's folder: brings its schema up to date and takes in what a crash left in the archive.
    pub async fn open(options: Options) -> Result<Self> {
        let (connection, shared) = on_another_thread(move || open(options)).await?;
        let shared = Arc::new(shared);
        let (writer, readers) =
            (Writer::new(connection, Arc::clone(&shared)), Readers::new(Arc::clone(&shared)));
        Ok(Self { shared, writer, readers })
    }

    /// Writes messages. When this returns, they are durable and visible to every process.
    pub async fn append(&self, messages: Vec<Message>, now: Time) -> Result<Vec<Appended>> {
        self.writer.append(messages, now).await
    }

    /// Reads on one unchanging view of the memory.
    pub async fn read<T>(&self, work: impl FnOnce(&mut View<'_>) -> Result<T>) -> Result<T> {
        self.readers.run(work).await
    }

    /// Takes the job `name` for `holder` until `until`; false if somebody else has it.
    pub async fn claim(&self, name: &'static str, holder: String, now: Time, until: Time) -> Result<bool> {
        let claim =
            move |c: &mut Connection, s: &Shared| record::claim(c, s.agent_id, name, &holder, now, until);
        self.writer.run(claim).await
    }

    /// Moves the watermark of a job that `holder` holds and gives the job back.
    pub async fn finish(&self, name: &'static str, holder: String, watermark: i64, now: Time) -> Result<()> {
        let finish = move |c: &mut Connection, s: &Shared| {
            record::advance(c, s.agent_id, name, &holder, watermark, now)?;
            record::release(c, s.agent_id, name, &holder)
        };
        self.writer.run(finish).await
    }

    /// Whether the keyword index has a tail worth writing down.
    pub fn keywords_want_tending(&self) -> bool {
        self.shared.keywords.wants_tending()
    }

    /// Catches the keyword index up and writes its tail down; up to which message its files now reach.
    pub async fn tend_keywords(&self) -> Result<u32> {
        self.readers.run_long(|view| view.shared.keywords.tend(view.connection, view.agent_id)).await
    }

    /// The embedder called `name`, made if it is missing. An agent's first is active at once; a later one, or one that
    /// was retired, is filled before it takes over. A known name with another dimension is refused.
    pub async fn embedder(&self, name: String, dimension: usize, now: Time) -> Result<EmbedderRecord> {
        let known = self
            .read(|view| record::known_embedder(view.connection, view.agent_id, &name, dimension))
            .await?
            .map(|known| known.record);
        if let Some(known) = known.filter(|known| known.state != EmbedderState::Retired) {
            return Ok(known);
        }
        let ensure = move |c: &mut Connection, s: &Shared| {
            record::ensure_embedder(c, s.agent_id, &name, dimension, now)
        };
        self.writer.run(ensure).await
    }

    /// Writes the vectors of the messages `from .. to`, each with its parts from 0 on, in one transaction with the move
    /// of the embedder's `reached` from `from` to `to`. False, and nothing is written, if `reached` is not `from` any
    /// more: somebody else did it.
    pub async fn add_vectors(
        &self,
        embedder: u32,
        from: u32,
        to: u32,
        vectors: Vec<NewVector>,
    ) -> Result<bool> {
        let vectors = record::settle_vectors(from, to, vectors)?;
        let add = move |c: &mut Connection, s: &Shared| {
            let added = record::add_vectors(c, s.agent_id, embedder, from, to, &vectors)?;
            s.vectors.added(if added { vectors.len() } else { 0 });
            Ok(added)
        };
        self.writer.run(add).await
    }

    /// Lets an embedder that reached every message take the active one's place, which is retired in the same
    /// transaction; false if it has not reached every message.
    pub async fn activate_embedder(&self, embedder: u32) -> Result<bool> {
        let activate =
            move |c: &mut Connection, s: &Shared| record::activate_embedder(c, s.agent_id, embedder);
        self.writer.run(activate).await
    }

    /// Takes about `limit` vectors of retired embedders away; how many. 0 when none is left: then the embedders and
    /// their files are gone too.
    pub async fn drop_retired_vectors(&self, limit: u32) -> Result<u32> {
        let drop_some = move |c: &mut Connection, s: &Shared| {
            let retired = record::embedders(c, s.agent_id)?.into_iter().map(|embedder| embedder.record);
            for embedder in retired.filter(|embedder| embedder.state == EmbedderState::Retired) {
                s.vectors.forget_embedder(embedder.id);
                let dropped = record::drop_vectors(c, s.agent_id, &embedder, limit)?;
                if dropped > 0 {
                    return Ok(dropped);
                }
            }
            Ok(0)
        };
        self.writer.run(drop_some).await
    }

    /// Whether there are vectors worth writing down.
    pub fn vectors_want_tending(&self) -> bool {
        self.shared.vectors.wants_tending()
    }

    /// Catches the vector index up and writes its tail down; up to which message its files now reach.
    pub async fn tend_vectors(&self) -> Result<u32> {
        let tend = |view: &mut View<'_>| {
            // First the keywords: whatever is found among vectors must stand there.
            drop(view.keywords()?);
            view.shared.vectors.tend(view.connection, view.agent_id)
        };
        self.readers.run_long(tend).await
    }

    /// Builds everything that can be derived anew from the archive.
    pub async fn rebuild(&self) -> Result<Rebuilt> {
        self.writer.run(rebuild).await
    }

    /// Checks archive, seals, database and index against each other. Changes nothing.
    pub async fn verify(&self) -> Result<Verification> {
        self.readers.run_long(verify).await
    }

    /// Writes archive lines again that are missing from the files of the days that `verify` named.
    pub async fn restore_archive(&self) -> Result<u64> {
        self.writer.run(restore_archive).await
    }

    /// Copies the agent, as it is now, into the new folder `to`.
    pub async fn backup(&self, to: PathBuf) -> Result<()> {
        self.readers.run_alone(move |connection, shared| backup::backup(connection, shared, &to)).await
    }

    /// What was repaired since this was last asked.
    pub fn take_notes(&self) -> Vec<String> {
        self.shared.notes.take()
    }
}

/// Opens the database of a folder.
fn open(options: Options) -> Result<(Connection, Shared)> {
    let Options { folder, agent, disk, now } = options;
    let notes = Notes::default();
    clear_the_way(&folder.join("index"), &notes)?;
    for folder in [&folder, &folder.join("archive"), &folder.join("index")] {
        fs::create_dir_all(folder).map_err(StoreError::file("make", folder))?;
    }
    let mut connection = Connection::open(&folder.join("memory.db"))?;
    migrate(&mut connection)?;
    let agent_id = ensure_agent(&mut connection, &agent, now)?;
    let archive = Archive::new(folder.join("archive"), disk);
    let keywords = Keywords::new(folder.join("index"), notes.clone());
    let vectors = Vectors::new(folder.join("index"), notes.clone());
    // Before messages are taken in: they may come to stand where the files say something else.
    keywords.remove_beyond(&mut connection, agent_id)?;
    vectors.remove_beyond(&mut connection, agent_id)?;
    settle(&mut connection, agent_id, &archive, &notes, now)?;
    Ok((connection, Shared { folder, agent_id, archive, keywords, vectors, notes }))
}

/// Renames whatever stands where the folder of derived files should be.
fn clear_the_way(folder: &Path, notes: &Notes) -> Result<()> {
    if !folder.exists() || folder.is_dir() {
        return Ok(());
    }
    let aside = folder.with_extension("aside");
    fs::rename(folder, &aside).map_err(StoreError::file("set aside", folder))?;
    notes.add(format!("{} was no folder; it is now {}", folder.display(), aside.display()));
    Ok(())
}

/// Takes the write lock only if archive and database do not already end at the same message, or if a process that
/// began a new day was gone before it had sealed the day before.
fn settle(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
    now: Time,
) -> Result<()> {
    let agree = |connection: &mut Connection| -> Result<bool> {
        let last = record::last_place(connection, agent_id)?.map(|(_, place)| place);
        match (last, archive.days()?.last()) {
            (None, None) => Ok(true),
            (Some(place), Some(day)) if place.day == *day => {
                Ok(archive.open_at(*day, place.end())?.is_some())
            }
            _ => Ok(false),
        }
    };
    if agree(connection)? && !wants_sealing(connection, agent_id, archive)? {
        return Ok(());
    }
    connection.write(|connection| {
        // Another process may have been between its append and its commit.
        if !agree(connection)? {
            reconcile(connection, agent_id, archive, notes)?;
        }
        Ok(())
    })?;
    seal_or_say(connection, agent_id, archive, notes, now);
    Ok(())
}

/// Seals finished days. A failure here costs nobody a word, and the next process tries again.
pub(crate) fn seal_or_say(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
    now: Time,
) {
    let sealed = connection.write(|connection| seal_finished_days(connection, agent_id, archive, now));
    if let Err(error) = sealed {
        notes.add(format!("a finished archive file could not be sealed yet: {error}"));
    }
}
