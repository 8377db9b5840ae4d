//! How many of the names of a labeled set are found, how many of those found are names, and how many are of the right
//! kind.

use cairn_cognition::entity::{entities, slug};

#[derive(Default)]
struct Rates {
    expected: usize,
    found: usize,
    right: usize,
    kinds: usize,
    missed: Vec<String>,
}

fn measure(split: &str) -> Rates {
    let mut rates = Rates::default();
    for line in include_str!("data/entities.tsv").lines().filter(|line| line.starts_with(split)) {
        let cells: Vec<&str> = line.split('\t').collect();
        let expected: Vec<(String, &str)> = cells[3]
            .split("; ")
            .filter_map(|cell| cell.rsplit_once('/'))
            .map(|(name, kind)| (slug(name), kind))
            .collect();
        let found = entities(cells[2]);
        rates.expected += expected.len();
        rates.found += found.len();
        for mention in &found {
            match expected.iter().find(|(slug, _)| *slug == mention.slug) {
                Some((_, kind)) if *kind == mention.kind.as_str() => {
                    (rates.right, rates.kinds) = (rates.right + 1, rates.kinds + 1);
                }
                Some((_, kind)) => {
                    rates.right += 1;
                    rates
                        .missed
                        .push(format!("{} is {} not {kind}: {}", mention.name, mention.kind, cells[2]));
                }
                None => rates.missed.push(format!("+{} ({}): {}", mention.name, mention.kind, cells[2])),
            }
        }
        for (slug, _) in expected {
            if found.iter().all(|mention| mention.slug != slug) {
                rates.missed.push(format!("-{slug}: {}", cells[2]));
            }
        }
    }
    rates
}

/// covers: C-72, W-23
#[test]
fn names_are_found_and_are_of_the_right_kind() {
    for split in ["dev", "held"] {
        let rates = measure(split);
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let (precision, recall, kinds) = (
            share(rates.right, rates.found),
            share(rates.right, rates.expected),
            share(rates.kinds, rates.right),
        );
        println!(
            "{split}: precision {precision:.3} recall {recall:.3} kinds {kinds:.3} of {}",
            rates.expected
        );
        // What is missed in the held half is counted, not looked at.
        for missed in rates.missed.iter().filter(|_| split == "dev") {
            println!("  {missed}");
        }
        assert!(precision >= 0.9 && recall >= 0.85 && kinds >= 0.85, "{split}");
    }
}
