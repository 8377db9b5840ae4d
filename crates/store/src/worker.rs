//! The store's own threads: one that writes, a few that read. Queues are bounded; a full one makes the
//! caller wait. Writes that arrive while another is under way share the next fsync.

use crate::{
    Appended, Result, StoreError,
    append::append,
    database::Connection,
    store::{Shared, View, seal_or_say},
};
use cairn_domain::{Day, Message, Time};
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait for a thread.
const QUEUE: usize = 256;
/// Messages that may share one fsync.
const GROUP_MESSAGES: usize = 4_096;
/// The write-ahead log is moved into the database file when it is longer than this.
const WAL_BYTES: u64 = 16 << 20;
/// Threads that read.
const READERS: usize = 3;

/// Work for a thread, which may have failed to open its connection.
type Job = Box<dyn FnOnce(Result<&mut Connection>, &Shared) + Send>;
type Reply<T> = oneshot::Sender<Result<T>>;
/// A write that waits: its messages, its moment and who is told.
type Waiting = (Vec<Message>, Time, Reply<Vec<Appended>>);

enum Request {
    Append { messages: Vec<Message>, now: Time, reply: Reply<Vec<Appended>> },
    Run(Job),
}

/// The thread that writes.
#[derive(Clone)]
pub(crate) struct Writer(mpsc::Sender<Request>);

impl Writer {
    /// Starts the thread; what `open` fails with is what this fails with.
    pub(crate) async fn start(
        open: impl FnOnce() -> Result<(Connection, Shared)> + Send + 'static,
    ) -> Result<(Self, Arc<Shared>)> {
        let (requests, received) = mpsc::channel(QUEUE);
        let (opened, ready) = oneshot::channel();
        spawn("cairn-writer", move || match open() {
            Ok((connection, shared)) => {
                let shared = Arc::new(shared);
                if opened.send(Ok(Arc::clone(&shared))).is_ok() {
                    WriterThread { connection, shared, received, newest_day: None }.run();
                }
            }
            Err(error) => drop(opened.send(Err(error))),
        })?;
        let shared = ready.await.map_err(|_| StoreError::Closed)??;
        Ok((Self(requests), shared))
    }

    pub(crate) async fn append(&self, messages: Vec<Message>, now: Time) -> Result<Vec<Appended>> {
        let (reply, answer) = oneshot::channel();
        let request = Request::Append { messages, now, reply };
        self.0.send(request).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a write transaction of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection, shared| {
            let done =
                connection.and_then(|connection| connection.write(|connection| work(connection, shared)));
            let _ = reply.send(done);
        });
        self.0.send(Request::Run(job)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

struct WriterThread {
    connection: Connection,
    shared: Arc<Shared>,
    received: mpsc::Receiver<Request>,
    newest_day: Option<Day>,
}

impl WriterThread {
    fn run(mut self) {
        let mut held_back = None;
        while let Some(request) = held_back.take().or_else(|| self.received.blocking_recv()) {
            match request {
                Request::Run(job) => job(Ok(&mut self.connection), &self.shared),
                Request::Append { messages, now, reply } => {
                    let mut group = vec![(messages, now, reply)];
                    held_back = self.gather(&mut group);
                    self.append_group(group);
                    self.seal_yesterday(now);
                }
            }
            self.empty_log();
        }
    }

    /// Adds the writes that are already waiting; hands back the first request that is something else.
    fn gather(&mut self, group: &mut Vec<Waiting>) -> Option<Request> {
        let mut size = group.iter().map(|(messages, ..)| messages.len()).sum::<usize>();
        while size < GROUP_MESSAGES {
            match self.received.try_recv() {
                Ok(Request::Append { messages, now, reply }) => {
                    size += messages.len();
                    group.push((messages, now, reply));
                }
                Ok(other) => return Some(other),
                Err(_) => return None,
            }
        }
        None
    }

    /// One transaction for the whole group; if that fails, each on its own, so that one caller's bad luck
    /// is not everybody's.
    fn append_group(&mut self, group: Vec<Waiting>) {
        if let [_, _, ..] = &group[..] {
            let together: Vec<Message> =
                group.iter().flat_map(|(messages, ..)| messages.iter().cloned()).collect();
            let now = group.iter().map(|(_, now, _)| *now).max().unwrap_or(group[0].1);
            if let Ok(appended) = self.append(&together, now) {
                let mut rest = appended.into_iter();
                for (messages, _, reply) in group {
                    let _ = reply.send(Ok(rest.by_ref().take(messages.len()).collect()));
                }
                return;
            }
        }
        for (messages, now, reply) in group {
            let _ = reply.send(self.append(&messages, now));
        }
    }

    fn append(&mut self, messages: &[Message], now: Time) -> Result<Vec<Appended>> {
        let Shared { agent_id, archive, notes, .. } = &*self.shared;
        append(&mut self.connection, *agent_id, archive, notes, messages, now)
    }

    /// Seals finished days once the first message of a new day is in. After the acknowledgement; if this process
    /// ends before it is done, the next one to open the memory does it.
    fn seal_yesterday(&mut self, now: Time) {
        let today = Some(now.day());
        if self.newest_day == today {
            return;
        }
        self.newest_day = today;
        let Shared { agent_id, archive, notes, .. } = &*self.shared;
        seal_or_say(&mut self.connection, *agent_id, archive, notes, now);
    }

    /// Moves a long write-ahead log into the database file. What a reader still needs stays for the next time.
    fn empty_log(&mut self) {
        let log = self.shared.folder.join("memory.db-wal");
        if log.metadata().is_ok_and(|metadata| metadata.len() > WAL_BYTES) {
            let _ = self.connection.checkpoint();
        }
    }
}

/// The threads that read. Started with the first question, so that a write-only process never pays for them.
#[derive(Clone)]
pub(crate) struct Readers {
    shared: Arc<Shared>,
    jobs: mpsc::Sender<Job>,
    idle: Arc<Mutex<Option<mpsc::Receiver<Job>>>>,
}

impl Readers {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let (jobs, received) = mpsc::channel(QUEUE);
        Self { shared, jobs, idle: Arc::new(Mutex::new(Some(received))) }
    }

    /// Runs `work` on one unchanging view.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut View<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_alone(move |connection, shared| {
            connection.read(|connection| work(&mut View { connection, agent_id: shared.agent_id, shared }))
        })
        .await
    }

    /// Runs `work` outside of any transaction.
    pub(crate) async fn run_alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.start()?;
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection, shared| {
            let _ = reply.send(connection.and_then(|connection| work(connection, shared)));
        });
        self.jobs.send(job).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    fn start(&self) -> Result<()> {
        let Some(received) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let received = Arc::new(Mutex::new(received));
        for _ in 0..READERS {
            let (shared, received) = (Arc::clone(&self.shared), Arc::clone(&received));
            spawn("cairn-reader", move || read_jobs(&shared, &received))?;
        }
        Ok(())
    }
}

fn read_jobs(shared: &Shared, received: &Mutex<mpsc::Receiver<Job>>) {
    let mut connection = None;
    loop {
        let job = received.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(job) = job else { return };
        if connection.is_none() {
            match Connection::open(&shared.folder.join("memory.db")) {
                Ok(opened) => connection = Some(opened),
                Err(error) => {
                    job(Err(error), shared);
                    continue;
                }
            }
        }
        job(connection.as_mut().ok_or(StoreError::Closed), shared);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(StoreError::file("start a thread for", "the store"))
}
