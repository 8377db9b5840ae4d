//! What replaces, joins or leaves alone what, measured on labelled pairs.

use cairn_cognition::{
    contradiction::{Saying, contradiction, same_matter},
    statement::statements,
};
use std::fmt::Write;

struct Pair<'a> {
    half: &'a str,
    label: &'a str,
    known: &'a str,
    new: &'a str,
}

fn pairs(table: &str) -> Vec<Pair<'_>> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| {
        let [half, label, _, known, new] = row[..] else { panic!("five columns: {row:?}") };
        Pair { half, label, known, new }
    })
    .collect()
}

/// Pairs found and not found, rightly and wrongly.
#[derive(Debug, Default)]
struct Counts {
    hits: u32,
    misses: u32,
    wrong: u32,
    right: u32,
    told: String,
}

impl Counts {
    fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.hits + self.misses)
    }

    fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.hits + self.wrong)
    }
}

fn count(table: &str, half: &str, wanted: &str, found: impl Fn(&Saying<'_>, &Saying<'_>) -> bool) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs(table).iter().filter(|pair| pair.half == half) {
        let (known, new) = (statements(pair.known, "user"), statements(pair.new, "user"));
        let old = Saying { text: pair.known, statements: &known };
        let said = Saying { text: pair.new, statements: &new };
        let slot = match (found(&old, &said), pair.label == wanted) {
            (true, true) => &mut counts.hits,
            (false, true) => &mut counts.misses,
            (true, false) => &mut counts.wrong,
            (false, false) => &mut counts.right,
        };
        *slot += 1;
        if found(&old, &said) != (pair.label == wanted) && half == "dev" {
            let short = |all: &[cairn_cognition::statement::Statement]| {
                all.iter().map(|s| format!("[{}|{}|{}{}{}]", s.subject, s.attribute, if s.negated { "NOT " } else { "" }, s.value, s.old.as_ref().map(|o| format!(" OLD {o}")).unwrap_or_default())).collect::<String>()
            };
            let _ = writeln!(counts.told, "{}: {} / {}\n      {} / {}", pair.label, pair.known, pair.new, short(&known), short(&new));
        }
    }
    counts
}

const CONTRADICTIONS: &str = include_str!("data/contradictions.tsv");
const MERGES: &str = include_str!("data/merges.tsv");

/// covers: C-23
#[test]
fn what_replaces_a_known_sentence_is_told_from_what_only_resembles_it() {
    for half in ["dev", "held"] {
        let counts = count(CONTRADICTIONS, half, "supersede", |old, new| contradiction(old, new).is_some());
        println!("contradictions {half}: precision {:.3}, recall {:.3}, {} wrong, {} missed\n{}", counts.precision(), counts.recall(), counts.wrong, counts.misses, counts.told);
        if half == "held" { assert!(counts.precision() >= 0.95 && counts.recall() >= 0.6, "{half}"); }
    }
}

/// covers: C-21, C-183
#[test]
fn only_what_adds_to_a_known_sentence_is_joined_with_it() {
    for half in ["dev", "held"] {
        let counts = count(MERGES, half, "merge", |old, new| same_matter(old, new).is_some());
        println!("merges {half}: {} wrong of {}, recall {:.3}\n{}", counts.wrong, counts.wrong + counts.right, counts.recall(), counts.told);
        if half == "held" { assert!(f64::from(counts.wrong) <= 0.01 * f64::from(counts.wrong + counts.right), "{half}"); }
    }
}
