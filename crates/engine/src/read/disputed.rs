//! What the quotations of a brief say against each other: marked on each side, with the other side's ref.

use super::Recall;
use cairn_cognition::dispute::{Asked, Dispute, Said, Wants, disputes};
use cairn_domain::{MessageId, Ref, Role, Time};
use cairn_store::MessageRecord;
use std::collections::HashMap;

/// Hits that are looked at, the best first.
const MOST: usize = 24;
/// The other sides that are named at most.
const MOST_NAMED: usize = 2;

/// What stands against messages, as it is marked behind them.
#[derive(Default)]
pub(super) struct Disputed(HashMap<MessageId, Mark>);

/// What is marked behind a message, and the place of what stands against it.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark {
    /// That a later message says something else.
    pub(super) changed: String,
    /// That others say the opposite.
    pub(super) conflicts: String,
    pub(super) beside: Option<(Time, u32)>,
    named: usize,
}

impl Disputed {
    /// Looks at what was found for a question; `worth` says what each of its words is worth.
    pub(super) fn among(recall: &Recall, worth: &HashMap<&str, f64>) -> Self {
        let Some(wants) = Wants::of(&recall.query, recall.intent.shape) else { return Self::default() };
        let messages = recall.hits.iter().take(MOST).filter_map(|hit| hit.found.message());
        // What people said; an agent explains more than it says of itself.
        let records: Vec<&MessageRecord> =
            messages.filter(|record| record.message.role == Role::User).collect();
        let said: Vec<Said> = records
            .iter()
            .map(|record| Said {
                text: &record.message.text,
                speaker: &record.message.speaker,
                at: (record.message.at, record.seq),
            })
            .collect();
        let asked = Asked {
            worth: &|word| worth.get(word).copied().unwrap_or(0.0),
            all: worth.values().sum(),
            wants,
        };
        let mut marks: HashMap<MessageId, Mark> = HashMap::new();
        for (place, dispute) in disputes(&asked, &said) {
            let mark = marks.entry(records[place].message.id).or_default();
            mark.add(place, &dispute, &records);
        }
        Self(marks)
    }

    /// What is marked behind a message.
    pub(super) fn mark(&self, message: MessageId) -> Option<&Mark> {
        self.0.get(&message)
    }
}

impl Mark {
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
        if self.named < MOST_NAMED && !marks.contains(&text) {
            marks.push_str(&text);
            self.named += 1;
        }
    }
}
