//! The body of an answer on its way back: passed on as it comes, copied if it is to be recorded, and given up if its upstream
//! sends nothing for too long. When it ends, however it ends, its exchange is handed over.

use crate::{
    capture::{CopiedBytes, SharedCopy},
    exchange::{ExchangeHead, PassedExchange},
    recorder::ExchangeRecorder,
};
use cairn_engine::Home;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::{
    error::Error,
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};

/// How long what has come is given to reach its client before an answer is broken off.
const BREAK_OFF_AFTER: Duration = Duration::from_millis(20);

/// An exchange whose answer is on its way.
pub(crate) struct PendingExchange {
    pub(crate) head: ExchangeHead,
    pub(crate) request: SharedCopy,
    pub(crate) answer: CopiedBytes,
    pub(crate) answer_encoding: Option<String>,
    pub(crate) recorder: ExchangeRecorder,
    /// Tells when it ends.
    pub(crate) home: Home,
}

/// The body of an answer on its way back.
pub(crate) struct AnswerBody {
    inner: Incoming,
    idle_timeout: Duration,
    idle: Pin<Box<Sleep>>,
    pending: Option<PendingExchange>,
    ended: bool,
    /// Why its upstream broke off.
    broken: Option<hyper::Error>,
}

impl AnswerBody {
    pub(crate) fn new(inner: Incoming, idle_timeout: Duration, pending: Option<PendingExchange>) -> Self {
        Self { inner, idle_timeout, idle: Box::pin(sleep(idle_timeout)), pending, ended: false, broken: None }
    }

    fn hand_over(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        let PendingExchange { head, request, answer, answer_encoding, recorder, home } = pending;
        let (ended, answered_at) = (self.ended || self.inner.is_end_stream(), home.now());
        recorder.submit(PassedExchange { head, request, answer, answer_encoding, ended, answered_at });
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.broken.is_some() {
            ready!(self.idle.as_mut().poll(context));
            return Poll::Ready(self.broken.take().map(|error| Err(error.into())));
        }
        match Pin::new(&mut self.inner).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                if let (Some(pending), Some(data)) = (&mut self.pending, frame.data_ref()) {
                    pending.answer.push(data);
                }
                let until = Instant::now() + self.idle_timeout;
                self.idle.as_mut().reset(until);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(None) => {
                self.ended = true;
                self.hand_over();
                Poll::Ready(None)
            }
            Poll::Ready(Some(Err(error))) => {
                self.hand_over();
                self.broken = Some(error);
                self.idle.as_mut().reset(Instant::now() + BREAK_OFF_AFTER);
                self.poll_frame(context)
            }
            Poll::Pending => match self.idle.as_mut().poll(context) {
                Poll::Ready(()) => {
                    tracing::warn!("an upstream stalled; its answer is broken off");
                    self.hand_over();
                    Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
                }
                Poll::Pending => Poll::Pending,
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Also where its client went away.
impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.hand_over();
    }
}
