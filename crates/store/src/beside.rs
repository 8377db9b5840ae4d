//! Work that waits, done beside whoever has something else to do meanwhile: the disk takes a line while its row is written.
//! A few threads of the process do it. If none of them is free, whoever asked does it when the outcome is needed, so that
//! nothing ever stands in a line.

use std::{
    sync::{
        LazyLock,
        mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel},
    },
    thread,
};

/// Threads of the process that wait for something.
const HELPERS: usize = 2;

type Work = Box<dyn FnOnce() + Send>;

static FREE: LazyLock<Vec<SyncSender<Work>>> = LazyLock::new(|| (0..HELPERS).filter_map(helper).collect());

/// A thread that takes work only while it has none.
fn helper(number: usize) -> Option<SyncSender<Work>> {
    let (give, take) = sync_channel::<Work>(0);
    let help = move || take.into_iter().for_each(|work| work());
    thread::Builder::new().name(format!("cairn-beside-{number}")).spawn(help).ok()?;
    Some(give)
}

/// Work that is under way, or that nobody was free for.
pub(crate) struct Beside<T> {
    to_do: Option<Work>,
    outcome: Receiver<T>,
}

/// Lets a thread that is free do work that waits.
pub(crate) fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Beside<T> {
    let (tell, outcome) = channel();
    let mut to_do: Work = Box::new(move || drop(tell.send(work())));
    for helper in FREE.iter() {
        match helper.try_send(to_do) {
            Ok(()) => return Beside { to_do: None, outcome },
            Err(TrySendError::Full(back) | TrySendError::Disconnected(back)) => to_do = back,
        }
    }
    Beside { to_do: Some(to_do), outcome }
}

impl<T> Beside<T> {
    /// What came of it, once it is done; `None` if whoever did it is gone.
    pub(crate) fn outcome(self) -> Option<T> {
        if let Some(to_do) = self.to_do {
            to_do();
        }
        self.outcome.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier};

    #[test]
    fn work_is_done_once_whoever_is_free() {
        for number in 0..200 {
            assert_eq!(beside(move || number).outcome(), Some(number));
        }
        // With every helper busy, whoever asks does it.
        let meet = Arc::new(Barrier::new(HELPERS + 1));
        let busy: Vec<Beside<()>> = (0..HELPERS)
            .map(|_| {
                loop {
                    let meet = Arc::clone(&meet);
                    let waits = beside(move || {
                        meet.wait();
                    });
                    if waits.to_do.is_none() {
                        break waits;
                    }
                }
            })
            .collect();
        let own = thread::current().id();
        assert_eq!(beside(|| thread::current().id()).outcome(), Some(own));
        meet.wait();
        assert!(busy.into_iter().all(|busy| busy.outcome().is_some()));
        assert_eq!(beside(|| assert_eq!(1, 2, "it breaks")).outcome(), None);
    }
}
