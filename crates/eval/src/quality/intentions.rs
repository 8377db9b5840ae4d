//! How many intentions told in talk are found, how many are invented, and how many are for another day than was meant.

use crate::{corpus::labeled::IntentionLine, harness::share::Share};
use cairn_cognition::intention::told_intentions;
use serde_json::{Map, Value, json};

/// Counts over the messages of a set.
#[derive(Debug, Default)]
pub struct IntentionReport {
    /// Of the messages that tell an intention, those in which one was found.
    pub found: Share,
    /// Of those that tell none, those in which one was found.
    pub invented: Share,
    /// Of those for a day that were found for one, those for another day.
    pub wrong_day: Share,
    /// Of those found, those with the trigger that was meant.
    pub trigger: Share,
    /// Each failure: the case, and what was found.
    pub wrong: Vec<(String, String)>,
}

/// Reads every message.
pub fn run(cases: &[IntentionLine]) -> IntentionReport {
    let mut report = IntentionReport::default();
    for case in cases {
        report.count(case);
    }
    report
}

impl IntentionReport {
    fn count(&mut self, case: &IntentionLine) {
        let told = told_intentions(&case.text, case.role, case.at).into_iter().next();
        let Some(meant) = case.trigger else {
            self.invented.count(told.is_some());
            self.wrong
                .extend(told.map(|told| (case.id.clone(), format!("{}: {:?}", case.text, told.trigger))));
            return;
        };
        self.found.count(told.is_some());
        let Some(told) = told else {
            self.wrong.push((case.id.clone(), format!("{}: not found", case.text)));
            return;
        };
        let right = told.trigger.kind == meant;
        self.trigger.count(right);
        let day = told.trigger.day.map(|day| day.to_string());
        if day.is_some() {
            self.wrong_day.count(case.due != day);
        }
        if !right || day != case.due {
            self.wrong.push((case.id.clone(), format!("{}: {:?}", case.text, told.trigger)));
        }
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        self.named().map(|(name, share)| (name.to_owned(), share.show())).to_vec()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let named = self.named().map(|(name, share)| (name.to_owned(), share.to_json()));
        let mut told: Map<String, Value> = named.into_iter().collect();
        told.insert("wrong".into(), json!(self.wrong));
        told.into()
    }

    fn named(&self) -> [(&'static str, Share); 4] {
        [
            ("found", self.found),
            ("invented", self.invented),
            ("on a wrong day", self.wrong_day),
            ("with the right trigger", self.trigger),
        ]
    }
}
