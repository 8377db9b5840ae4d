//! How many secrets are masked at the door, and how many texts that only look like one are left as they are.

use crate::{corpus::labeled::SecretLine, harness::share::Share};
use cairn_cognition::secret::mask;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Shorter words of a secret may stand in the rest of the text too.
const MIN_WORD_CHARS: usize = 4;

/// Counts over the texts of a set.
#[derive(Debug, Default)]
pub struct SecretReport {
    /// Of the texts with secrets, those in which no word of any is left.
    pub masked: Share,
    /// Of those, the ones in which nothing else is gone.
    pub exact: Share,
    /// Of the texts without, those in which something was masked.
    pub false_alarms: Share,
    /// The first of these, form by form.
    pub forms: BTreeMap<String, Share>,
    /// Each failure: the case, and how its text was left.
    pub wrong: Vec<(String, String)>,
}

/// Masks every text.
pub fn run(cases: &[SecretLine]) -> SecretReport {
    let mut report = SecretReport::default();
    for case in cases {
        report.count(case);
    }
    report
}

impl SecretReport {
    fn count(&mut self, case: &SecretLine) {
        let labeled = case.text.replace("⟨⟩", "");
        let text = labeled.replace(['⟦', '⟧'], "");
        let masked = mask(&text);
        let secrets: Vec<&str> =
            labeled.split('⟦').skip(1).filter_map(|after| Some(after.split_once('⟧')?.0)).collect();
        if secrets.is_empty() {
            let alarm = !masked.found.is_empty();
            self.false_alarms.count(alarm);
            if alarm {
                self.wrong.push((case.id.clone(), masked.text.into_owned()));
            }
            return;
        }
        let around = outside(&labeled, '⟦', '⟧');
        let is_left = |word: &&str| {
            word.chars().count() >= MIN_WORD_CHARS && masked.text.contains(*word) && !around.contains(*word)
        };
        let short_left =
            |secret: &&&str| secret.chars().count() < MIN_WORD_CHARS && masked.text.contains(**secret);
        let left = secrets.iter().flat_map(|secret| secret.split_whitespace()).any(|word| is_left(&word))
            || secrets.iter().any(|secret| short_left(&secret));
        self.masked.count(!left);
        self.forms.entry(case.form.clone()).or_default().count(!left);
        if left {
            self.wrong.push((case.id.clone(), masked.text.into_owned()));
        } else {
            self.exact.count(outside(&masked.text, '[', ']') == outside(&around, '[', ']'));
        }
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let named = self.named().map(|(name, share)| (name.to_owned(), share.show()));
        let forms = self.forms.iter().map(|(form, share)| (format!("masked: {form}"), share.show()));
        named.into_iter().chain(forms).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let named = self.named().map(|(name, share)| (name.to_owned(), share.to_json()));
        let forms: Map<String, Value> =
            self.forms.iter().map(|(form, share)| (form.clone(), share.to_json())).collect();
        let mut told: Map<String, Value> = named.into_iter().collect();
        told.insert("forms".into(), forms.into());
        told.insert("wrong".into(), json!(self.wrong));
        told.into()
    }

    fn named(&self) -> [(&'static str, Share); 3] {
        [("masked", self.masked), ("nothing else masked", self.exact), ("false alarms", self.false_alarms)]
    }
}

/// A text without what stands between two signs, and without them.
fn outside(text: &str, open: char, close: char) -> String {
    let mut rest = text;
    let mut outside = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        outside.push_str(before);
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    outside + rest
}
