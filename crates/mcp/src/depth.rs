//! Requests that are nested too deeply to be read. The reader below would pass over them in silence, and whoever sent one
//! would wait for ever: they are cut off here, and their ids handed on, so that each can be refused.

use rmcp::model::RequestId;
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::mpsc::Sender,
};

/// Maximum depth of lists and objects in a request.
pub(crate) const MAX_REQUEST_DEPTH: usize = 100;
/// Longer ids are none.
const MAX_ID_BYTES: usize = 256;

/// Passes on what a client writes, line by line, without the rest of lines that are nested too deeply.
pub(crate) struct DepthGuard<R> {
    inner: R,
    line: LineScan,
    /// Ids of the requests that were cut off; what does not fit is not answered.
    refused: Sender<Option<RequestId>>,
}

impl<R> DepthGuard<R> {
    pub(crate) fn new(inner: R, refused: Sender<Option<RequestId>>) -> Self {
        Self { inner, line: LineScan::default(), refused }
    }

    /// Keeps of the bytes at the beginning of `bytes` what is passed on; returns how many those are.
    fn keep(&mut self, bytes: &mut [u8]) -> usize {
        let mut kept = 0;
        for at in 0..bytes.len() {
            let byte = bytes[at];
            let was_too_deep = self.line.is_too_deep;
            self.line.read(byte);
            if byte == b'\n' {
                if was_too_deep {
                    let _ = self.refused.try_send(self.line.request_id());
                }
                self.line = LineScan::default();
            }
            // Where it gets too deep the line ends.
            if !was_too_deep {
                bytes[kept] = if self.line.is_too_deep { b'\n' } else { byte };
                kept += 1;
            }
        }
        kept
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for DepthGuard<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let guard = self.get_mut();
        loop {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut guard.inner).poll_read(context, buffer))?;
            let arrived = buffer.filled().len() - before;
            let kept = guard.keep(&mut buffer.filled_mut()[before..]);
            buffer.set_filled(before + kept);
            // Nothing means the end; if only nothing of it was kept, there may be more.
            if kept > 0 || arrived == 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// How deep a line is nested so far, and the id of the request that it holds.
#[derive(Default)]
struct LineScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    is_too_deep: bool,
    /// The key or value that is being read in the outermost object.
    word: Vec<u8>,
    is_id: bool,
    id: Vec<u8>,
}

impl LineScan {
    fn read(&mut self, byte: u8) {
        if self.in_string {
            self.add(byte);
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.add(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.is_too_deep |= self.depth > MAX_REQUEST_DEPTH;
                self.word.clear();
            }
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.word == b"\"id\"";
                self.word.clear();
            }
            b',' => self.end_value(),
            byte if !byte.is_ascii_whitespace() => self.add(byte),
            _ => {}
        }
    }

    fn add(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < MAX_ID_BYTES {
            self.word.push(byte);
        }
    }

    /// A value of the outermost object ends.
    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if std::mem::take(&mut self.is_id) {
            self.id = std::mem::take(&mut self.word);
        }
        self.word.clear();
    }

    fn request_id(&self) -> Option<RequestId> {
        serde_json::from_slice(&self.id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn passed(lines: &str) -> (String, Vec<Option<RequestId>>) {
        let (send, mut refused) = tokio::sync::mpsc::channel(8);
        let mut text = String::new();
        DepthGuard::new(lines.as_bytes(), send).read_to_string(&mut text).await.expect("read");
        let mut ids = Vec::new();
        while let Some(id) = refused.recv().await {
            ids.push(id);
        }
        (text, ids)
    }

    #[tokio::test]
    async fn a_line_that_is_too_deep_is_cut_off_and_its_id_told() {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        let plain = "{\"id\":1,\"text\":\"[[[ \\\" ]\"}\n";
        assert_eq!(passed(plain).await, (plain.to_owned(), vec![]));
        for (line, id) in [
            (format!("{{\"id\":7,\"params\":{open}{close}}}\n"), Some(RequestId::Number(7))),
            (
                format!("{{\"params\":{{\"id\":8,\"a\":{open}{close}}},\"id\": \"x\"}}\n"),
                Some(RequestId::String("x".into())),
            ),
            (format!("{open}{close}\n"), None),
        ] {
            let (text, ids) = passed(&format!("{line}{plain}")).await;
            assert!(text.ends_with(&format!("\n{plain}")) && text.len() < 300, "{id:?}");
            assert_eq!(ids, [id]);
        }
    }
}
