//! Records that growth made of words that go. They quote, so that whatever shows the ref or the words of something that goes,
//! goes with it.

use super::{derived::Traces, reach::Reach};
use crate::{
    Result,
    record::{delete_inquiries, delete_proposals, message_at},
    transaction::Tx,
};

/// Deletes what growth made of words that go, while the words are still there.
pub(super) fn delete_grown(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let mut traces = Traces::default();
    for gone in &reach.messages {
        traces.add_ref(gone.id.to_string());
        if let Some(record) = message_at(tx, gone.seq)? {
            traces.add_words(&record.message.text);
        }
    }
    for number in reach.memories.keys() {
        traces.add_memory(tx, *number)?;
    }
    reach.beliefs.values().for_each(|id| traces.add_ref(id.to_string()));
    reach.digests.values().for_each(|id| traces.add_ref(id.to_string()));
    reach.attachments.iter().for_each(|id| traces.add_ref(id.to_string()));
    // An inquiry quotes the questions of those that it belongs to: they go until none quotes one that went.
    loop {
        let deleted = delete_inquiries(tx, &|text| traces.are_in(text))?;
        if deleted.is_empty() {
            break;
        }
        for id in &deleted {
            traces.add_ref(id.to_string());
        }
    }
    delete_proposals(tx, &|text| traces.are_in(text))
}
