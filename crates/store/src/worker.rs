//! Who does the work. Short work runs on the caller's own thread: a hop to another thread and back costs as much as
//! half of an acknowledgement. Long work runs on a thread of its own. Either way the caller awaits.
//!
//! Writes that arrive while another is under way wait in line, and whoever writes next takes all of them along: they
//! share one transaction and one fsync.

use crate::{
    Appended, Result, StoreError,
    append::append,
    database::Connection,
    memo::Memo,
    store::{Shared, View, seal_or_say},
};
use cairn_domain::{Day, Message, Time};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::Duration,
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{Semaphore, oneshot},
    task::{block_in_place, spawn_blocking},
};

/// Messages that may share one fsync.
const GROUP_MESSAGES: usize = 4_096;
/// The write-ahead log is moved into the database file when it is longer than this and nobody writes,
const LONG_LOG: u64 = 8 << 20;
/// or when it is longer than this: moving it keeps the disk busy for as long as a hundred acknowledgements take.
const LONGEST_LOG: u64 = 48 << 20;
/// Nobody writes if the log has not grown for this long.
const CALM: Duration = Duration::from_millis(20);
/// Groups after which it is looked again whether the log is long, or on a server whether the tables have grown.
const LOOK_EVERY: u64 = 8;
/// Messages after which a server is asked to look at its tables again, when there are also half as many again.
const GROWN: i64 = 500;
/// Connections that read at the same time; further readers wait.
const READERS: usize = 8;

/// A write that waits: its messages, its moment and who is told.
struct Waiting {
    messages: Vec<Message>,
    now: Time,
    reply: oneshot::Sender<Result<Vec<Appended>>>,
}

/// The one connection that writes, and those who wait for it.
#[derive(Clone)]
pub(crate) struct Writer(Arc<Line>);

struct Line {
    shared: Arc<Shared>,
    waiting: Mutex<Vec<Waiting>>,
    desk: Mutex<Desk>,
    /// Where formations are decided on and written, in a folder: what it wrote last is still in its cache, which a
    /// write through any other connection empties. Whoever locks it to write is at the desk.
    study: Mutex<Option<Connection>>,
    /// What moves a long write-ahead log into the database file while others write on.
    sweeper: Mutex<Option<Connection>>,
}

struct Desk {
    /// On a server, only while somebody is at the desk: others may need it.
    connection: Option<Connection>,
    memo: Memo,
    /// Groups written so far.
    groups: u64,
    /// How many messages there were when a server last looked at its tables.
    looked_at: i64,
    /// The newest day written on, with a moment of it.
    day: Option<(Time, Day)>,
    /// Whether the days before it may not be sealed yet.
    unsealed: bool,
}

impl Writer {
    pub(crate) fn new(connection: Connection, shared: Arc<Shared>) -> Self {
        let desk = Mutex::new(Desk {
            connection: shared.files().is_some().then_some(connection),
            memo: Memo::default(),
            groups: 0,
            looked_at: 0,
            day: None,
            unsealed: false,
        });
        let (study, sweeper) = Default::default();
        Self(Arc::new(Line { shared, waiting: Mutex::default(), desk, study, sweeper }))
    }

    pub(crate) async fn append(&self, messages: Vec<Message>, now: Time) -> Result<Vec<Appended>> {
        let (reply, answer) = oneshot::channel();
        lock(&self.0.waiting).push(Waiting { messages, now, reply });
        if on_this_thread(|| self.0.serve()) {
            let line = Arc::clone(&self.0);
            spawn_blocking(move || line.serve_all());
        }
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a write transaction of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.at_desk(move |connection, shared| connection.write(|connection| work(connection, shared))).await
    }

    /// The same for what the archive does not carry: durable when this returns, whatever happens to the machine.
    pub(crate) async fn run_durably<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.at_desk(move |connection, shared| {
            connection.sync_fully(true)?;
            let done = connection.write(|connection| work(connection, shared));
            connection.sync_fully(false)?;
            done
        })
        .await
    }

    /// The same for work that touches no memory, such as taking a lease.
    pub(crate) async fn claim<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.at_desk(move |connection, shared| connection.claim(|connection| work(connection, shared))).await
    }

    /// Empties a write-ahead log that has grown long, as far as nobody is in the way, and waits until that is done.
    pub(crate) async fn sweep(&self) {
        if log_bytes(&self.0.shared) > LONG_LOG {
            let line = Arc::clone(&self.0);
            let _ = spawn_blocking(move || line.sweep()).await;
        }
    }

    async fn at_desk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.answer(move |line| {
            let mut desk = lock(&line.desk);
            desk.memo.forget();
            let done = connection(&mut desk.connection, &line.shared).and_then(|it| work(it, &line.shared));
            desk.leave(&line.shared);
            done
        })
        .await
    }

    /// Reads, on this thread, what [`Self::write_studied`] will be decided on. `None` on a server, where any connection
    /// is as good.
    pub(crate) fn study<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Option<Result<T>> {
        let Line { shared, study, .. } = &*self.0;
        shared.files()?;
        Some(on_this_thread(|| {
            let mut study = lock(study);
            view(connection(&mut study, shared)?, shared, work)
        }))
    }

    /// The same as [`Self::run`] on the connection that [`Self::study`] reads on.
    pub(crate) async fn write_studied<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if self.0.shared.files().is_none() {
            return self.run(work).await;
        }
        // Short work, for which a thread of its own would have to be woken; unless somebody is at the desk.
        let line = &self.0;
        let done = on_this_thread(|| line.desk().map(|_desk| line.write_studied(&mut work)));
        if let Some(done) = done {
            if line.is_untidy() {
                let line = Arc::clone(line);
                spawn_blocking(move || line.serve_all());
            }
            return done;
        }
        self.answer(move |line| {
            let _desk = lock(&line.desk);
            line.write_studied(work)
        })
        .await
    }

    /// Does work that keeps the desk on another thread. Nobody waits for what is tidied after it.
    async fn answer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Line) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (line, (reply, answer)) = (Arc::clone(&self.0), oneshot::channel());
        spawn_blocking(move || {
            let _ = reply.send(work(&line));
            // Whoever came while this was under way relies on whoever leaves the desk.
            line.serve_all();
        });
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

impl Line {
    /// Writes for everybody in line, unless somebody is at it: they will see the line when they are done. Whether
    /// there is more to do: others wait, or the desk wants tidying, which nobody should have to wait for.
    fn serve(&self) -> bool {
        let Some(mut desk) = self.desk() else { return false };
        let group = self.next_group();
        let untidy = match group.last().map(|waiting| waiting.now) {
            Some(now) => {
                desk.append_group(&self.shared, group);
                desk.is_untidy(&self.shared, now)
            }
            None => false,
        };
        desk.leave(&self.shared);
        drop(desk);
        untidy || !lock(&self.waiting).is_empty()
    }

    /// Writes on the connection that is studied on. Whoever calls this is at the desk.
    fn write_studied<T>(&self, mut work: impl FnMut(&mut Connection, &Shared) -> Result<T>) -> Result<T> {
        let mut study = lock(&self.study);
        connection(&mut study, &self.shared)?.write(|connection| work(connection, &self.shared))
    }

    /// Whether somebody came to the desk while it was taken, or the write-ahead log has grown long.
    fn is_untidy(&self) -> bool {
        !lock(&self.waiting).is_empty() || log_bytes(&self.shared) > LONG_LOG
    }

    /// Writes for everybody in line until nobody waits, tidies the desk in between and sweeps at the end.
    fn serve_all(&self) {
        loop {
            if let Some(mut desk) = self.desk() {
                desk.tidy(&self.shared);
            }
            if !self.serve() {
                return self.sweep();
            }
        }
    }

    /// Moves a long write-ahead log into the database file once nobody writes, unless somebody is at it. What a reader still
    /// needs stays for the next time.
    fn sweep(&self) {
        let mut bytes = log_bytes(&self.shared);
        if bytes <= LONG_LOG {
            return;
        }
        let Ok(mut sweeper) = self.sweeper.try_lock() else { return };
        while bytes <= LONGEST_LOG {
            thread::sleep(CALM);
            let before = std::mem::replace(&mut bytes, log_bytes(&self.shared));
            if bytes <= before {
                break;
            }
        }
        if let Ok(connection) = connection(&mut sweeper, &self.shared) {
            let _ = connection.checkpoint();
        }
    }

    /// The desk, if nobody is at it.
    fn desk(&self) -> Option<MutexGuard<'_, Desk>> {
        match self.desk.try_lock() {
            Ok(desk) => Some(desk),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The first in line and as many after them as may share an fsync.
    fn next_group(&self) -> Vec<Waiting> {
        let mut waiting = lock(&self.waiting);
        let mut size = 0;
        let fits = |one: &Waiting| {
            size += one.messages.len();
            size <= GROUP_MESSAGES
        };
        let end = waiting.iter().map(fits).take_while(|fits| *fits).count().max(1).min(waiting.len());
        waiting.drain(..end).collect()
    }
}

impl Desk {
    /// One transaction for the whole group; if that fails, each on its own, so that one caller's bad luck
    /// is not everybody's.
    fn append_group(&mut self, shared: &Shared, group: Vec<Waiting>) {
        if let [_, _, ..] = &group[..] {
            let together: Vec<Message> =
                group.iter().flat_map(|waiting| waiting.messages.iter().cloned()).collect();
            let now = group.iter().map(|waiting| waiting.now).max().unwrap_or(group[0].now);
            if let Ok(appended) = self.append(shared, &together, now) {
                let mut rest = appended.into_iter();
                for Waiting { messages, reply, .. } in group {
                    let _ = reply.send(Ok(rest.by_ref().take(messages.len()).collect()));
                }
                return;
            }
        }
        for Waiting { messages, now, reply } in group {
            let _ = reply.send(self.append(shared, &messages, now));
        }
    }

    fn append(&mut self, shared: &Shared, messages: &[Message], now: Time) -> Result<Vec<Appended>> {
        append(connection(&mut self.connection, shared)?, shared, &mut self.memo, messages, now)
    }

    /// Whether a new day has begun, the write-ahead log of a folder has grown long, or the tables on a server have.
    fn is_untidy(&mut self, shared: &Shared, now: Time) -> bool {
        self.groups += 1;
        let new_day = self.day.is_none_or(|(_, day)| day != now.day());
        if new_day {
            self.day = Some((now, now.day()));
        }
        self.unsealed |= new_day;
        self.unsealed
            || (self.groups.is_multiple_of(LOOK_EVERY)
                && (log_bytes(shared) > LONG_LOG || self.has_grown(shared)))
    }

    /// Seals finished days once the first message of a new day is in; asks a server whose tables have grown to look at them
    /// again. A failure here costs nobody a word; the next process to write tries again.
    fn tidy(&mut self, shared: &Shared) {
        let has_grown = self.has_grown(shared);
        if !has_grown && !self.unsealed {
            return;
        }
        let Ok(connection) = connection(&mut self.connection, shared) else { return };
        if let Some((now, _)) = self.day
            && std::mem::take(&mut self.unsealed)
        {
            seal_or_say(connection, shared, now);
        }
        if has_grown {
            self.looked_at = self.memo.messages();
            if let Some(postgres) = connection.postgres() {
                // A server that was not asked looks by itself, only later.
                let _ = postgres.look_again(self.looked_at);
            }
        }
        self.leave(shared);
    }

    /// Whether a server should look at its tables again.
    fn has_grown(&self, shared: &Shared) -> bool {
        let messages = self.memo.messages();
        shared.files().is_none() && messages > (self.looked_at + GROWN).max(self.looked_at * 3 / 2)
    }

    /// Gives a connection to a server back to whoever needs it next.
    fn leave(&mut self, shared: &Shared) {
        if shared.files().is_none() {
            self.connection = None;
        }
    }
}

/// The connection at the desk, which a server gives when somebody comes.
fn connection<'a>(at_desk: &'a mut Option<Connection>, shared: &Shared) -> Result<&'a mut Connection> {
    match at_desk {
        Some(connection) => Ok(connection),
        empty => Ok(empty.insert(shared.connect()?)),
    }
}

/// How long the write-ahead log is; there is none on a server.
fn log_bytes(shared: &Shared) -> u64 {
    let log = shared.files().map(|files| files.folder.join("memory.db-wal"));
    log.and_then(|log| log.metadata().ok()).map_or(0, |metadata| metadata.len())
}

/// The connections that read. Opened when they are first needed, so that a process that only writes never pays.
#[derive(Clone)]
pub(crate) struct Readers {
    shared: Arc<Shared>,
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, idle: Arc::default(), free: Arc::new(Semaphore::new(READERS)) }
    }

    /// Runs `work` on one unchanging view, on this thread.
    pub(crate) async fn run<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        on_this_thread(|| self.with_connection(|connection, shared| view(connection, shared, work)))
    }

    /// Runs `work` on one unchanging view, on another thread.
    pub(crate) async fn run_long<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut View<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_alone(move |connection, shared| view(connection, shared, work)).await
    }

    /// Runs `work` outside of any transaction, on another thread.
    pub(crate) async fn run_alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        let readers = self.clone();
        on_another_thread(move || readers.with_connection(work)).await
    }

    fn with_connection<T>(&self, work: impl FnOnce(&mut Connection, &Shared) -> Result<T>) -> Result<T> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.shared.connect_to_read()?,
        };
        let done = work(&mut connection, &self.shared);
        // Connections to a server are shared by all agents of a process.
        if self.shared.files().is_some() {
            lock(&self.idle).push(connection);
        }
        done
    }
}

fn view<T>(
    connection: &mut Connection,
    shared: &Shared,
    mut work: impl FnMut(&mut View<'_>) -> Result<T>,
) -> Result<T> {
    connection.read(|connection| work(&mut View { connection, agent_id: shared.agent_id, shared }))
}

/// Runs short blocking work here. On a runtime with several threads the others take over what else this one had.
fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// Runs long blocking work on a thread for such work.
pub(crate) async fn on_another_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(|_| StoreError::Closed)?
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
