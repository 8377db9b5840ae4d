//! Quotations of a brief that contradict each other are marked on each side with the other side's ref.

use crate::read::question::Recall;
use cairn_cognition::dispute::{Dispute, DisputedQuestion, DisputedQuote, Wants, disputes};
use cairn_domain::{MessageId, Ref, Role, Time};
use cairn_store::MessageRecord;
use std::collections::HashMap;

/// Hits that are looked at, the best first.
const MAX_HITS_COMPARED: usize = 24;
/// The other sides that are named at most.
const MAX_SIDES_NAMED: usize = 2;

/// The marks of messages that others contradict.
#[derive(Default)]
pub(crate) struct DisputedMessages(HashMap<MessageId, DisputeMark>);

/// The mark behind a message, and the place of the message that contradicts it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DisputeMark {
    /// That a later message says something else.
    pub(crate) changed: String,
    /// That others say the opposite.
    pub(crate) conflicts: String,
    pub(crate) beside: Option<(Time, u32)>,
    named: usize,
}

impl DisputedMessages {
    /// Looks at what was found for a question; `worth` says what each of its words is worth.
    pub(crate) fn among(recall: &Recall, worth: &HashMap<&str, f64>) -> Self {
        let Some(wants) = Wants::of(&recall.query, recall.intent.shape) else { return Self::default() };
        let messages = recall.hits.iter().take(MAX_HITS_COMPARED).filter_map(|hit| hit.found.message());
        // What people said; an agent explains more than it says of itself.
        let records: Vec<&MessageRecord> =
            messages.filter(|record| record.message.role == Role::User).collect();
        let said: Vec<DisputedQuote> = records
            .iter()
            .map(|record| DisputedQuote {
                text: &record.message.text,
                speaker: &record.message.speaker,
                at: (record.message.at, record.seq),
            })
            .collect();
        let asked = DisputedQuestion {
            worth: &|word| worth.get(word).copied().unwrap_or(0.0),
            all: worth.values().sum(),
            wants,
        };
        let mut marks: HashMap<MessageId, DisputeMark> = HashMap::new();
        for (place, dispute) in disputes(&asked, &said) {
            let mark = marks.entry(records[place].message.id).or_default();
            mark.add(place, &dispute, &records);
        }
        Self(marks)
    }

    /// The mark of a message.
    pub(crate) fn mark(&self, message: MessageId) -> Option<&DisputeMark> {
        self.0.get(&message)
    }
}

impl DisputeMark {
    fn add(&mut self, place: usize, dispute: &Dispute, records: &[&MessageRecord]) {
        let name = |by: usize| Ref::Message(records[by].message.id).short();
        let (marks, text) = match dispute {
            Dispute::Changed { by } => {
                let record = records[*by];
                self.beside = Some((record.message.at, record.seq));
                let text = format!(" [superseded? {} by {}]", record.message.at.day(), name(*by));
                (&mut self.changed, text)
            }
            Dispute::Denied { by } if *by == place => {
                (&mut self.conflicts, " [conflicts with itself]".to_owned())
            }
            Dispute::Denied { by } => (&mut self.conflicts, format!(" [conflicts with {}]", name(*by))),
        };
        if self.named < MAX_SIDES_NAMED && !marks.contains(&text) {
            marks.push_str(&text);
            self.named += 1;
        }
    }
}
