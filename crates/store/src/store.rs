//! The handle: one agent's memory, opened. Callers await; `worker` says on which thread the work happens.

use crate::{
    Appended, Disk, EmbedderRecord, EmbedderState, NewVector, Result, Server, StoreError,
    archive::{self, Archive, reconcile, seal_finished_days, wants_sealing},
    backup,
    database::{Connection, KNOWN, migrate, schema},
    keyword::{Keywords, table},
    protected::{finish_in, is_unfinished},
    readers::Readers,
    rebuild::{Rebuilt, rebuild},
    record::{self, ensure_agent},
    vector::{self, Revisions, Vectors},
    verify::{Verification, restore_archive, verify},
    words::Words,
    worker::{Writer, on_another_thread},
};
use cairn_domain::{AgentName, Message, Time};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Vectors added on a server after which an index may pay.
const TEND_AFTER: usize = 1_024;

/// Which agent is opened, and where it is kept.
pub struct Options {
    /// Where it is kept.
    pub place: Place,
    /// The agent's name.
    pub agent: AgentName,
    /// The present.
    pub now: Time,
}

/// Where an agent is kept.
pub enum Place {
    /// In a folder of its own, made if it is missing.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What archive files are written through.
        disk: Arc<dyn Disk>,
    },
    /// In a database on a server, with others.
    Server(Arc<Server>),
}

/// One agent's memory, opened. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
    pub(crate) writer: Writer,
    pub(crate) readers: Readers,
}

/// What the threads of one store have in common.
pub(crate) struct Shared {
    pub(crate) agent: AgentName,
    pub(crate) agent_id: i64,
    kept: Kept,
    pub(crate) notes: Notes,
}

/// Where the agent is kept, opened.
enum Kept {
    /// In a folder, with what is there.
    Folder(Box<Files>),
    /// On a server, where nothing is kept in files.
    Server {
        server: Arc<Server>,
        /// Vectors that this process added since it last tended.
        untended: AtomicUsize,
    },
}

/// What an agent in a folder keeps beside its database.
pub(crate) struct Files {
    pub(crate) folder: PathBuf,
    pub(crate) archive: Archive,
    pub(crate) keywords: Keywords,
    pub(crate) vectors: Vectors,
    pub(crate) revisions: Revisions,
    pub(crate) words: Words,
}

impl Shared {
    /// What is kept in files; on a server nothing is.
    pub(crate) fn files(&self) -> Option<&Files> {
        match &self.kept {
            Kept::Folder(files) => Some(files),
            Kept::Server { .. } => None,
        }
    }

    /// One more connection to the database, for whoever only reads: the file looks like memory to it.
    pub(crate) fn connect_to_read(&self) -> Result<Connection> {
        let mut connection = self.connect()?;
        connection.read_much()?;
        Ok(connection)
    }

    /// One more connection to the database.
    pub(crate) fn connect(&self) -> Result<Connection> {
        match &self.kept {
            Kept::Folder(files) => Connection::open(&files.folder.join("memory.db")),
            Kept::Server { server, .. } => connect(server, &self.agent, self.agent_id),
        }
    }
}

fn connect(server: &Arc<Server>, agent: &AgentName, agent_id: i64) -> Result<Connection> {
    let mut connection = Connection::connect(server, agent.as_str(), true)?;
    if let Some(postgres) = connection.postgres() {
        postgres.works_for(agent_id);
    }
    Ok(connection)
}

/// One unchanging view of an agent's memory. What can be asked stands in the files of `record`.
pub struct View<'a> {
    pub(crate) connection: &'a mut Connection,
    pub(crate) agent_id: i64,
    pub(crate) shared: &'a Shared,
}

impl View<'_> {
    /// Whether the archive still says what the database says of this message. On a server the table is the archive, and
    /// what it says must still make the message's id.
    pub fn archive_agrees(&self, record: &crate::MessageRecord) -> Result<bool> {
        let Some(files) = self.shared.files() else { return Ok(record.message.is_authentic()) };
        let line = files.archive.line_at(&record.place)?;
        Ok(line.is_some_and(|line| {
            serde_json::from_slice::<Message>(&line).is_ok_and(|said| said == record.message)
        }))
    }

    /// The archive file that holds this message's line; on a server the table, which `cairn archive export` writes as
    /// such files.
    pub fn archive_file(&self, record: &crate::MessageRecord) -> String {
        match &self.shared.kept {
            Kept::Folder(files) => files.archive.path(record.place.day).display().to_string(),
            Kept::Server { server, .. } => format!("{server} message, day {}", record.archive_day),
        }
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
    /// Opens an agent, made if it is missing, and brings the schema of its database up to date. In a folder it also
    /// takes in what a crash left in the archive; on a server archive and rows are one and a crash parts nothing.
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
    pub async fn read<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        self.readers.run(work).await
    }

    /// Reads what a formation is decided on: sooner than [`Self::read`] for whoever commits what it decides.
    pub async fn study<T>(&self, mut work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        match self.writer.study(&mut work) {
            Some(done) => done,
            None => self.readers.run(work).await,
        }
    }

    /// Takes the job `name` for `holder` until `until`; false if somebody else has it.
    pub async fn claim(&self, name: &'static str, holder: String, now: Time, until: Time) -> Result<bool> {
        let claim =
            move |c: &mut Connection, s: &Shared| record::claim(c, s.agent_id, name, &holder, now, until);
        self.writer.claim(claim).await
    }

    /// Moves the watermark of a job that `holder` holds and gives the job back.
    pub async fn finish(&self, name: &'static str, holder: String, watermark: i64, now: Time) -> Result<()> {
        let finish = move |c: &mut Connection, s: &Shared| {
            record::advance(c, s.agent_id, name, &holder, watermark, now)?;
            record::release(c, s.agent_id, name, &holder)
        };
        self.writer.claim(finish).await
    }

    /// Gives every job back that `holder` holds.
    pub async fn release_all(&self, holder: String) -> Result<()> {
        let release = move |c: &mut Connection, s: &Shared| record::release_all(c, s.agent_id, &holder);
        self.writer.claim(release).await
    }

    /// Moves what the database has noted down on the side into its place, if that has grown long: whoever opens it next
    /// would have to read all of it first.
    pub async fn sweep(&self) {
        self.writer.sweep().await;
    }

    /// Whether the keyword index has a tail worth writing down.
    pub fn keywords_want_tending(&self) -> bool {
        self.shared.files().is_some_and(|files| files.keywords.wants_tending())
    }

    /// Catches the keyword index up and writes its tail down; up to which message its files now reach.
    pub async fn tend_keywords(&self) -> Result<u32> {
        let tend = |view: &mut View<'_>| match view.shared.files() {
            Some(files) => files.keywords.tend(view.connection, view.agent_id),
            None => record::next_seq(view.connection, view.agent_id),
        };
        if self.shared.files().is_none() {
            self.readers.run_alone(|connection, _| table::tend(connection)).await?;
        }
        self.readers.run_long(tend).await
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
            let count = if added { vectors.len() } else { 0 };
            match &s.kept {
                Kept::Folder(files) => files.vectors.added(count),
                Kept::Server { untended, .. } => drop(untended.fetch_add(count, Ordering::Relaxed)),
            }
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
                match s.files() {
                    Some(files) => files.vectors.forget_embedder(embedder.id),
                    None => vector::table::forget_embedder(c, s.agent_id, embedder.id)?,
                }
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
        match &self.shared.kept {
            Kept::Folder(files) => files.vectors.wants_tending(),
            Kept::Server { untended, .. } => untended.load(Ordering::Relaxed) >= TEND_AFTER,
        }
    }

    /// Catches the vector index up and writes its tail down; up to which message its files now reach.
    pub async fn tend_vectors(&self) -> Result<u32> {
        if let Kept::Server { untended, .. } = &self.shared.kept {
            untended.store(0, Ordering::Relaxed);
            let embedders = self.read(|view| view.embedders()).await?;
            let reached =
                embedders.iter().find(|it| it.state == EmbedderState::Active).map_or(0, |it| it.reached);
            let tend = move |connection: &mut Connection, shared: &Shared| {
                vector::table::tend(connection, shared.agent_id, &embedders, &shared.notes)
            };
            self.readers.run_alone(tend).await?;
            return Ok(reached);
        }
        let tend = |view: &mut View<'_>| {
            let Some(Files { keywords, vectors, .. }) = view.shared.files() else { return Ok(0) };
            // First the keywords: whatever is found among vectors must stand there.
            drop(keywords.caught_up(view.connection, view.agent_id)?);
            vectors.tend(view.connection, view.agent_id)
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

    /// Writes the archive as daily files into the new or empty folder `to`; how many.
    pub async fn export_archive(&self, to: PathBuf) -> Result<u64> {
        self.readers.run_long(move |view| archive::table::export(view.connection, view.agent_id, &to)).await
    }

    /// What was repaired since this was last asked.
    pub fn take_notes(&self) -> Vec<String> {
        self.shared.notes.take()
    }
}

fn open(options: Options) -> Result<(Connection, Shared)> {
    let Options { place, agent, now } = options;
    match place {
        Place::Folder { path, disk } => open_folder(path, agent, disk, now),
        Place::Server(server) => open_on_server(server, agent, now),
    }
}

/// Opens the database of a folder.
fn open_folder(
    folder: PathBuf,
    agent: AgentName,
    disk: Arc<dyn Disk>,
    now: Time,
) -> Result<(Connection, Shared)> {
    let notes = Notes::default();
    clear_the_way(&folder.join("index"), &notes)?;
    for folder in [&folder, &folder.join("archive"), &folder.join("index")] {
        fs::create_dir_all(folder).map_err(StoreError::file("make", folder))?;
    }
    let mut connection = Connection::open(&folder.join("memory.db"))?;
    if let Some(schema @ 1..) = Some(schema(&mut connection)?).filter(|schema| *schema < KNOWN) {
        let to = folder
            .join("backups")
            .join(format!("{}-before-schema-{KNOWN}", now.to_string().replace(':', "-")));
        backup::before_migrating(&mut connection, &folder, &to)?;
        notes.add(format!("schema {schema} is now {KNOWN}; a copy from before is in {}", to.display()));
    }
    migrate(&mut connection)?;
    let agent_id = ensure_agent(&mut connection, &agent, now)?;
    let archive = Archive::new(folder.join("archive"), disk);
    let keywords = Keywords::new(folder.join("index"), notes.clone());
    let vectors = Vectors::new(folder.join("index"), notes.clone());
    // Before messages are taken in: they may come to stand where the files say something else.
    keywords.remove_beyond(&mut connection, agent_id)?;
    vectors.remove_beyond(&mut connection, agent_id)?;
    if is_unfinished(&mut connection, agent_id)? {
        connection.write(|connection| finish_in(connection, agent_id, &archive, now))?;
    }
    let may_be_unsealed = settle(&mut connection, agent_id, &archive, &notes)?;
    let (revisions, words) = Default::default();
    let kept = Kept::Folder(Box::new(Files { folder, archive, keywords, vectors, revisions, words }));
    let shared = Shared { agent, agent_id, kept, notes };
    if may_be_unsealed {
        seal_or_say(&mut connection, &shared, now);
    }
    Ok((connection, shared))
}

/// Opens an agent on a server.
fn open_on_server(server: Arc<Server>, agent: AgentName, now: Time) -> Result<(Connection, Shared)> {
    let mut connection = Connection::connect(&server, agent.as_str(), false)?;
    migrate(&mut connection)?;
    let agent_id = ensure_agent(&mut connection, &agent, now)?;
    if let Some(postgres) = connection.postgres() {
        postgres.works_for(agent_id);
    }
    let kept = Kept::Server { server, untended: AtomicUsize::new(0) };
    Ok((connection, Shared { agent, agent_id, kept, notes: Notes::default() }))
}

/// Whether an agent is in a database on a server.
pub async fn is_on(server: Arc<Server>, agent: AgentName) -> Result<bool> {
    on_another_thread(move || {
        let mut connection = Connection::connect(&server, agent.as_str(), false)?;
        Ok(schema(&mut connection)? > 0 && record::agent_id(&mut connection, &agent)?.is_some())
    })
    .await
}

/// The agents in a database on a server that somebody who works for `agent` may know of, by name; none if it is empty.
pub async fn agents_on(server: Arc<Server>, agent: AgentName) -> Result<Vec<AgentName>> {
    let names = on_another_thread(move || {
        let mut connection = Connection::connect(&server, agent.as_str(), false)?;
        if schema(&mut connection)? == 0 { Ok(Vec::new()) } else { record::agent_names(&mut connection) }
    });
    Ok(names.await?.into_iter().filter_map(|name| name.parse().ok()).collect())
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

/// Lets archive and database end at the same message; whether finished days may not be sealed yet. Takes the write lock
/// only if they do not agree already, or if a process that began a new day was gone before it had sealed the day before.
fn settle(connection: &mut Connection, agent_id: i64, archive: &Archive, notes: &Notes) -> Result<bool> {
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
        return Ok(false);
    }
    connection.write(|connection| {
        // Another process may have been between its append and its commit.
        if !agree(connection)? {
            reconcile(connection, agent_id, archive, notes)?;
        }
        Ok(())
    })?;
    Ok(true)
}

/// Seals finished days. A failure here costs nobody a word, and the next process tries again.
pub(crate) fn seal_or_say(connection: &mut Connection, shared: &Shared, now: Time) {
    let sealed = connection.write(|connection| match shared.files() {
        Some(files) => seal_finished_days(connection, shared.agent_id, &files.archive, now),
        None => archive::table::seal_finished_days(connection, shared.agent_id, now),
    });
    if let Err(error) = sealed {
        shared.notes.add(format!("a finished archive file could not be sealed yet: {error}"));
    }
}
