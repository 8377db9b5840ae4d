//! Bodies that are copied while they stream. The copy never holds the stream up: beyond its bounds it ends, the stream does not.

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

/// Bytes that may still be held, by all exchanges together.
#[derive(Debug, Clone)]
pub(crate) struct HeldBudget(Arc<AtomicUsize>);

impl HeldBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Holds `bytes` until the result is dropped; `None` if there are not that many left.
    pub(crate) fn hold(&self, bytes: usize) -> Option<HeldShare> {
        let mut share = HeldShare { budget: self.clone(), bytes: 0 };
        share.grow(bytes).then_some(share)
    }
}

/// A share of the budget; returned when it is dropped.
#[derive(Debug)]
pub(crate) struct HeldShare {
    budget: HeldBudget,
    bytes: usize,
}

impl HeldShare {
    fn grow(&mut self, bytes: usize) -> bool {
        let taken =
            self.budget.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        if taken.is_ok() {
            self.bytes += bytes;
        }
        taken.is_ok()
    }
}

impl Drop for HeldShare {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// The copy of a body, as far as there is room for it.
#[derive(Debug)]
pub(crate) struct CopiedBytes {
    bytes: Vec<u8>,
    limit: usize,
    share: HeldShare,
    /// Whether there was no room for everything.
    cut: bool,
}

impl CopiedBytes {
    pub(crate) fn new(limit: usize, budget: &HeldBudget) -> Self {
        Self { bytes: Vec::new(), limit, share: HeldShare { budget: budget.clone(), bytes: 0 }, cut: false }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.cut |= self.bytes.len() + bytes.len() > self.limit || !self.share.grow(bytes.len());
        if !self.cut {
            self.bytes.extend_from_slice(bytes);
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }
}

/// The copy of a request, which its stream and the recorder of its answer share.
pub(crate) type SharedCopy = Arc<Mutex<CopiedBytes>>;

/// Adds bytes to a copy that is shared.
pub(crate) fn push_shared(copy: &SharedCopy, bytes: &[u8]) {
    copy.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
}

/// The body of a request on its way, copied if it is to be recorded.
pub(crate) struct RequestBody {
    inner: Incoming,
    copy: Option<SharedCopy>,
}

impl RequestBody {
    pub(crate) fn new(inner: Incoming, copy: Option<SharedCopy>) -> Self {
        Self { inner, copy }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        if let (Poll::Ready(Some(Ok(frame))), Some(copy)) = (&frame, &self.copy)
            && let Some(data) = frame.data_ref()
        {
            push_shared(copy, data);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_ends_at_its_limit_or_where_all_copies_together_have_theirs() {
        let budget = HeldBudget::new(10);
        let mut first = CopiedBytes::new(6, &budget);
        first.push(b"abcd");
        first.push(b"efg");
        first.push(b"h");
        assert_eq!((first.as_slice(), first.is_cut()), (b"abcd".as_slice(), true));
        let mut second = CopiedBytes::new(100, &budget);
        second.push(b"1234567");
        assert!(second.is_cut(), "only six are left");
        drop(first);
        assert!(budget.hold(10).is_some(), "everything was given back");
        drop(second);
        assert!(budget.hold(11).is_none());
    }
}
