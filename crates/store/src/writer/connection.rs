//! A connection that writes, with what is still known from its last transaction.

use crate::{
    append::{Appended, Memo, append},
    context::StoreContext,
    database::Connection,
    error::Result,
};
use cairn_domain::{Message, Time};
use tokio::sync::oneshot;

/// An append that waits for its turn: its messages, its moment and where to send the result.
pub(super) struct PendingAppend {
    pub(super) messages: Vec<Message>,
    pub(super) now: Time,
    pub(super) reply: oneshot::Sender<Result<Vec<Appended>>>,
}

/// A connection to write on, opened when it is first needed.
#[derive(Default)]
pub(super) struct WriterConnection {
    pub(super) connection: Option<Connection>,
    pub(super) memo: Memo,
}

impl WriterConnection {
    pub(super) fn get(&mut self, context: &StoreContext) -> Result<&mut Connection> {
        open_if_needed(&mut self.connection, context)
    }

    /// Appends a group in one transaction. If that fails, each append gets a transaction of its own, so that one caller's
    /// failure is not everybody's.
    pub(super) fn append_group(&mut self, context: &StoreContext, group: Vec<PendingAppend>) {
        if let [_, _, ..] = &group[..] {
            let together: Vec<Message> =
                group.iter().flat_map(|pending| pending.messages.iter().cloned()).collect();
            let now = group.iter().map(|pending| pending.now).max().unwrap_or(group[0].now);
            if let Ok(appended) = self.append(context, &together, now) {
                let mut rest = appended.into_iter();
                for PendingAppend { messages, reply, .. } in group {
                    let _ = reply.send(Ok(rest.by_ref().take(messages.len()).collect()));
                }
                return;
            }
        }
        for PendingAppend { messages, now, reply } in group {
            let _ = reply.send(self.append(context, &messages, now));
        }
    }

    fn append(&mut self, context: &StoreContext, messages: &[Message], now: Time) -> Result<Vec<Appended>> {
        append(open_if_needed(&mut self.connection, context)?, context, &mut self.memo, messages, now)
    }
}

/// The connection, opened if it is not open yet.
pub(super) fn open_if_needed<'a>(
    connection: &'a mut Option<Connection>,
    context: &StoreContext,
) -> Result<&'a mut Connection> {
    match connection {
        Some(connection) => Ok(connection),
        none => Ok(none.insert(context.connect()?)),
    }
}
