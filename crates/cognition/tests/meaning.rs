//! Which statement replaces another, joins it or leaves it alone, measured on labeled pairs. `cargo nextest run
//! --no-capture meaning` prints the rates and the pairs of the dev half that are misread.

use cairn_cognition::{
    contradiction::{Saying, contradiction, same_matter},
    statement::statements,
};

const CONTRADICTIONS: &str = include_str!("data/contradictions.tsv");
const MERGES: &str = include_str!("data/merges.tsv");

/// Pairs found and not found, rightly and wrongly.
#[derive(Debug, Default)]
struct Counts {
    found: u32,
    missed: u32,
    wrong: u32,
    left: u32,
    turkish: u32,
    /// The pairs that are read wrongly.
    told: Vec<String>,
}

impl Counts {
    fn all(&self) -> u32 {
        self.found + self.missed + self.wrong + self.left
    }

    fn recall(&self) -> f64 {
        f64::from(self.found) / f64::from(self.found + self.missed)
    }

    fn precision(&self) -> f64 {
        f64::from(self.found) / f64::from(self.found + self.wrong)
    }

    fn wrong_share(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.wrong + self.left)
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} pairs, precision {:.3}, recall {:.3}, {} wrong of {}, {} missed",
            self.all(),
            self.precision(),
            self.recall(),
            self.wrong,
            self.wrong + self.left,
            self.missed
        );
    }
}

fn count(table: &str, half: &str, wanted: &str, found: impl Fn(&Saying<'_>, &Saying<'_>) -> bool) -> Counts {
    let mut counts = Counts::default();
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let [of, label, language, known, new] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {row}")
        };
        if of != half {
            continue;
        }
        let (before, after) = (statements(known, "user"), statements(new, "user"));
        let is_found =
            found(&Saying { text: known, statements: &before }, &Saying { text: new, statements: &after });
        let place = match (is_found, label == wanted) {
            (true, true) => &mut counts.found,
            (false, true) => &mut counts.missed,
            (true, false) => &mut counts.wrong,
            (false, false) => &mut counts.left,
        };
        *place += 1;
        counts.turkish += u32::from(language == "tr");
        if is_found != (label == wanted) {
            counts.told.push(format!("{label}: {known} / {new}"));
        }
    }
    counts
}

/// Both halves; the wrong ones of the dev half are printed.
fn halves(name: &str, table: &str, wanted: &str, found: fn(&Saying<'_>, &Saying<'_>) -> bool) -> [Counts; 2] {
    ["dev", "held"].map(|half| {
        let counts = count(table, half, wanted, found);
        counts.print(&format!("{name} {half}"));
        if half == "dev" {
            counts.told.iter().for_each(|told| println!("  {told}"));
        }
        counts
    })
}

/// covers: C-23
#[test]
fn what_replaces_a_known_sentence_is_told_from_what_only_resembles_it() {
    let [dev, held] =
        halves("contradictions", CONTRADICTIONS, "supersede", |old, new| contradiction(old, new).is_some());
    let all = dev.all() + held.all();
    assert!(all >= 240 && f64::from(dev.turkish + held.turkish) >= 0.35 * f64::from(all));
    for counts in [dev, held] {
        assert!(counts.precision() >= 0.95 && counts.recall() >= 0.85, "{counts:?}");
    }
}

/// covers: C-21, C-183
#[test]
fn only_what_adds_to_a_known_sentence_is_joined_with_it() {
    let [dev, held] = halves("merges", MERGES, "merge", |old, new| same_matter(old, new).is_some());
    assert!(dev.all() + held.all() >= 240);
    for counts in [dev, held] {
        assert!(counts.wrong_share() <= 0.01 && counts.recall() >= 0.8, "{counts:?}");
    }
}

/// Joining and replacing exclude each other.
#[test]
fn nothing_is_joined_with_what_it_contradicts() {
    for table in [CONTRADICTIONS, MERGES] {
        for half in ["dev", "held"] {
            let both = count(table, half, "", |old, new| {
                same_matter(old, new).is_some() && contradiction(old, new).is_some()
            });
            assert_eq!(both.wrong, 0);
            let joined = count(table, half, "merge", |old, new| contradiction(old, new).is_some());
            assert_eq!(joined.found, 0, "{half}");
        }
    }
}
