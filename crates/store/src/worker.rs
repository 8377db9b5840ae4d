//! Who does the work. Short work runs on the caller's own thread: a hop to another thread and back costs as much as
//! half of an acknowledgement. Long work runs on a thread of its own. Either way the caller awaits.
//!
//! Writes that arrive while another is under way wait in line, and whoever writes next takes all of them along: they
//! share one transaction and one fsync. Who only reads is in `readers`.

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
    sync::oneshot,
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
    /// In a folder, where everything is written and formations are decided on: what was read and written last is still in
    /// the cache of this connection, which a write through any other empties. Whoever locks it to write is at the desk.
    main: Mutex<Seat>,
    /// What moves a long write-ahead log into the database file while others write on.
    sweeper: Mutex<Option<Connection>>,
}

/// A connection to write on, and what is still known from its last transaction.
#[derive(Default)]
struct Seat {
    connection: Option<Connection>,
    memo: Memo,
}

struct Desk {
    /// Where it is written while somebody studies on the main connection. On a server always, and it has a connection only
    /// while somebody is at the desk: others may need it.
    spare: Seat,
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
        let desk = Desk { spare: Seat::default(), groups: 0, looked_at: 0, day: None, unsealed: false };
        let connection = shared.files().is_some().then_some(connection);
        let main = Mutex::new(Seat { connection, memo: Memo::default() });
        let (waiting, sweeper) = Default::default();
        Self(Arc::new(Line { shared, waiting, desk: Mutex::new(desk), main, sweeper }))
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

    /// The same for short work that touches no message and no memory, such as taking a lease.
    pub(crate) async fn claim<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut work = move |connection: &mut Connection, shared: &Shared| {
            connection.claim(|connection| work(connection, shared))
        };
        if self.0.shared.files().is_none() {
            return self.at_desk(work).await;
        }
        let at_desk = move |line: &Line, desk: &mut Desk| {
            line.seated(&mut desk.spare, |seat| work(seat.connection(&line.shared)?, &line.shared))
        };
        self.briefly(at_desk).await
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
            let done = line.seated(&mut desk.spare, |seat| {
                seat.memo.forget();
                work(seat.connection(&line.shared)?, &line.shared)
            });
            desk.leave(&line.shared);
            done
        })
        .await
    }

    /// Reads, on this thread, what [`Self::write_studied`] will be decided on. `None` on a server, where any connection
    /// is as good.
    pub(crate) fn study<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Option<Result<T>> {
        let Line { shared, main, .. } = &*self.0;
        shared.files()?;
        Some(on_this_thread(|| view(lock(main).connection(shared)?, shared, work)))
    }

    /// The same as [`Self::run`] on the connection that [`Self::study`] reads on.
    pub(crate) async fn write_studied<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if self.0.shared.files().is_none() {
            return self.run(work).await;
        }
        self.briefly(move |line, _desk| line.write_studied(&mut work)).await
    }

    /// Does short work at the desk, in a folder: on this thread, since another would have to be woken, unless somebody is at
    /// the desk.
    async fn briefly<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&Line, &mut Desk) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let line = &self.0;
        let done = on_this_thread(|| line.desk().map(|mut desk| work(line, &mut desk)));
        if let Some(done) = done {
            if line.is_untidy() {
                let line = Arc::clone(line);
                spawn_blocking(move || line.serve_all());
            }
            return done;
        }
        self.answer(move |line| work(line, &mut lock(&line.desk))).await
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
                self.seated(&mut desk.spare, |seat| seat.append_group(&self.shared, group));
                desk.is_untidy(self, now)
            }
            None => false,
        };
        desk.leave(&self.shared);
        drop(desk);
        untidy || !lock(&self.waiting).is_empty()
    }

    /// Gives `work` the main connection, or the spare one if somebody studies: an acknowledgement does not wait for that.
    fn seated<T>(&self, spare: &mut Seat, work: impl FnOnce(&mut Seat) -> T) -> T {
        match self.shared.files().and_then(|_| try_lock(&self.main)) {
            Some(mut main) => work(&mut main),
            None => work(spare),
        }
    }

    /// Writes on the connection that is studied on, what no memo knows anything about. Whoever calls this is at the desk.
    fn write_studied<T>(&self, mut work: impl FnMut(&mut Connection, &Shared) -> Result<T>) -> Result<T> {
        lock(&self.main).connection(&self.shared)?.write(|connection| work(connection, &self.shared))
    }

    /// Whether somebody came to the desk while it was taken, or the write-ahead log wants sweeping.
    fn is_untidy(&self) -> bool {
        !lock(&self.waiting).is_empty() || self.wants_sweeping()
    }

    /// Whether the write-ahead log has grown long and nobody is at it. Whoever is may wait for a calm moment while much is
    /// written, and another thread for that would only be in the way.
    fn wants_sweeping(&self) -> bool {
        log_bytes(&self.shared) > LONG_LOG && try_lock(&self.sweeper).is_some()
    }

    /// Writes for everybody in line until nobody waits, tidies the desk in between and sweeps at the end.
    fn serve_all(&self) {
        loop {
            if let Some(mut desk) = self.desk() {
                desk.tidy(self);
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
        let Some(mut sweeper) = try_lock(&self.sweeper) else { return };
        while bytes <= LONGEST_LOG {
            thread::sleep(CALM);
            let before = std::mem::replace(&mut bytes, log_bytes(&self.shared));
            if bytes <= before {
                break;
            }
        }
        if let Ok(connection) = opened(&mut sweeper, &self.shared) {
            let _ = connection.checkpoint();
        }
    }

    /// The desk, if nobody is at it.
    fn desk(&self) -> Option<MutexGuard<'_, Desk>> {
        try_lock(&self.desk)
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

impl Seat {
    fn connection(&mut self, shared: &Shared) -> Result<&mut Connection> {
        opened(&mut self.connection, shared)
    }

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
        append(opened(&mut self.connection, shared)?, shared, &mut self.memo, messages, now)
    }
}

impl Desk {
    /// Whether a new day has begun, the write-ahead log of a folder wants sweeping, or the tables on a server have grown.
    fn is_untidy(&mut self, line: &Line, now: Time) -> bool {
        self.groups += 1;
        let new_day = self.day.is_none_or(|(_, day)| day != now.day());
        if new_day {
            self.day = Some((now, now.day()));
        }
        self.unsealed |= new_day;
        self.unsealed
            || (self.groups.is_multiple_of(LOOK_EVERY)
                && (line.wants_sweeping() || self.has_grown(&line.shared)))
    }

    /// Seals finished days once the first message of a new day is in; asks a server whose tables have grown to look at them
    /// again. A failure here costs nobody a word; the next process to write tries again.
    fn tidy(&mut self, line: &Line) {
        let shared = &line.shared;
        let has_grown = self.has_grown(shared);
        let new_day = self.day.filter(|_| std::mem::take(&mut self.unsealed));
        if let Some((now, _)) = new_day {
            line.seated(&mut self.spare, |seat| {
                if let Ok(connection) = seat.connection(shared) {
                    seal_or_say(connection, shared, now);
                }
            });
        }
        if has_grown {
            self.looked_at = self.spare.memo.messages();
            if let Some(postgres) = self.spare.connection(shared).ok().and_then(Connection::postgres) {
                // A server that was not asked looks by itself, only later.
                let _ = postgres.look_again(self.looked_at);
            }
        }
        self.leave(shared);
    }

    /// Whether a server should look at its tables again.
    fn has_grown(&self, shared: &Shared) -> bool {
        let messages = self.spare.memo.messages();
        shared.files().is_none() && messages > (self.looked_at + GROWN).max(self.looked_at * 3 / 2)
    }

    /// Gives a connection to a server back to whoever needs it next.
    fn leave(&mut self, shared: &Shared) {
        if shared.files().is_none() {
            self.spare.connection = None;
        }
    }
}

/// A connection, opened when it is first needed.
fn opened<'a>(connection: &'a mut Option<Connection>, shared: &Shared) -> Result<&'a mut Connection> {
    match connection {
        Some(connection) => Ok(connection),
        none => Ok(none.insert(shared.connect()?)),
    }
}

/// How long the write-ahead log is; there is none on a server.
fn log_bytes(shared: &Shared) -> u64 {
    let log = shared.files().map(|files| files.folder.join("memory.db-wal"));
    log.and_then(|log| log.metadata().ok()).map_or(0, |metadata| metadata.len())
}

/// Runs `work` on one unchanging view.
pub(crate) fn view<T>(
    connection: &mut Connection,
    shared: &Shared,
    mut work: impl FnMut(&mut View<'_>) -> Result<T>,
) -> Result<T> {
    connection.read(|connection| work(&mut View { connection, agent_id: shared.agent_id, shared }))
}

/// Runs short blocking work here. On a runtime with several threads the others take over what else this one had.
pub(crate) fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
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

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
