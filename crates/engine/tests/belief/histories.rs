//! The labeled suite: what is held at the end of a history, and whether two things were taken for one.

use crate::belief::world::World;
use cairn_domain::{MessageId, Ref, Role, Stance};
use cairn_engine::Home;
use cairn_testkit::SimulatedClock;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

const HISTORIES: &str = include_str!("histories.txt");
/// The share of histories that must end with the right belief.
const RIGHT: f64 = 0.90;
const MERGED: f64 = 0.02;

struct History<'a> {
    half: &'a str,
    class: &'a str,
    language: &'a str,
    key: &'a str,
    expected: BTreeMap<&'a str, String>,
    steps: Vec<Step<'a>>,
}

struct Step<'a> {
    day: i64,
    who: &'a str,
    label: &'a str,
    words: &'a str,
}

fn histories() -> Vec<History<'static>> {
    let blocks = HISTORIES.split("\nhistory ").skip(1);
    blocks
        .map(|block| {
            let mut lines = block.lines();
            let head: Vec<&str> = lines.next().expect("a head").split(" | ").collect();
            let [what, key, expected] = head[..] else { panic!("{head:?}") };
            let [half, class, language] = what.split(' ').collect::<Vec<_>>()[..] else { panic!("{what}") };
            History {
                half,
                class,
                language,
                key,
                expected: expectations(expected),
                steps: lines.filter_map(step).collect(),
            }
        })
        .collect()
}

/// `value not jazz status stale`: what is said of each.
fn expectations(text: &str) -> BTreeMap<&str, String> {
    let mut all: BTreeMap<&str, String> = BTreeMap::new();
    let mut name = "";
    for word in text.split(' ') {
        if ["value", "sources", "status", "none"].contains(&word) {
            name = word;
            all.entry(name).or_default();
        } else {
            let known = all.entry(name).or_default();
            known.push_str(if known.is_empty() { "" } else { " " });
            known.push_str(word);
        }
    }
    all
}

fn step(line: &'static str) -> Option<Step<'static>> {
    let (what, words) = line.trim().split_once(" | ")?;
    let mut what = what.splitn(3, ' ');
    let (day, who, label) = (what.next()?.parse().ok()?, what.next()?, what.next()?);
    Some(Step { day, who, label, words })
}

/// Lives a history; whether the right thing is held, and how many beliefs take two things for one.
async fn live(history: &History<'_>, world: &World) -> (bool, Vec<String>) {
    let mut today = 0;
    let mut first: Option<MessageId> = None;
    for (at, step) in history.steps.iter().enumerate() {
        world.pass(step.day - today);
        today = step.day;
        match step.who {
            "correct" => {
                world.run("beliefs").await;
                let standing = world.standing(history.key).await;
                let reference =
                    standing.map(|record| Ref::Belief(record.belief.id)).or(first.map(Ref::Message));
                world.correct(reference.expect("something to correct"), Role::User, step.words).await;
            }
            who => {
                let role = if who == "user" { Role::User } else { Role::Assistant };
                let message = world.say(role, step.words).await;
                first = first.or(Some(message));
            }
        }
        // A rhythm in between makes no difference.
        if at == 1 && history.steps.len().is_multiple_of(2) && history.class != "corrected" {
            world.run("beliefs").await;
        }
    }
    if history.class == "stale" {
        world.pass(200);
    }
    if history.class != "corrected" {
        world.run("revalidation").await;
    }
    (is_right(history, world).await, merged(history, world).await)
}

async fn is_right(history: &History<'_>, world: &World) -> bool {
    let standing = world.standing(history.key).await;
    let Some(record) = standing else { return history.expected.contains_key("none") };
    let belief = &record.belief;
    let says = history.expected.get("value").is_some_and(|value| {
        let negated = value.starts_with("not ") == belief.value.starts_with("not ");
        negated && value.split(' ').all(|word| belief.value.split(' ').any(|said| said.starts_with(word)))
    });
    let sources = history.expected.get("sources").is_none_or(|n| belief.parts.source_count.to_string() == *n);
    let status = history.expected.get("status").is_none_or(|status| belief.status.as_str() == status);
    says && sources && status
}

/// The beliefs that words of different labels speak for.
async fn merged(history: &History<'_>, world: &World) -> Vec<String> {
    let mut merged = Vec::new();
    for record in world.all().await {
        let why = world.agent.why_belief(record.belief.id).await.expect("explained");
        let supports = why.evidence.iter().filter(|one| one.link.evidence.stance == Stance::Support);
        let labels: BTreeSet<&str> = supports
            .filter_map(|one| {
                let said = one.link.evidence.excerpt.trim();
                history.steps.iter().find(|step| step.words.contains(said)).map(|step| step.label)
            })
            .collect();
        if labels.len() > 1 {
            merged.push(format!("{} rests on {labels:?}", record.belief.key));
        }
    }
    merged
}

fn a_half_ends_right(half: &str) {
    let all = histories();
    assert!(all.len() >= 300, "{} histories", all.len());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("config.toml"), crate::belief::world::CONFIG).expect("written");
    let mut by: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let (mut wrong, mut merges, mut beliefs) = (Vec::new(), Vec::new(), 0);
    cairn_testkit::run(async {
        for (at, history) in all.iter().enumerate().filter(|(_, history)| history.half == half) {
            let clock = SimulatedClock::at("2026-03-01T09:00:00Z");
            let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<_>).expect("a home");
            let world = World::of(home, clock, &format!("h{at}")).await;
            let (right, taken) = live(history, &world).await;
            beliefs += world.all().await.len();
            merges.extend(taken.into_iter().map(|merge| format!("history {at}: {merge}")));
            for group in [history.class, history.language, "all"] {
                let count = by.entry(group).or_default();
                *count = (count.0 + u32::from(right), count.1 + 1);
            }
            if !right {
                let held = world.standing(history.key).await.map(|record| record.belief.value);
                let said: Vec<&str> = history.steps.iter().map(|step| step.words).collect();
                wrong.push(format!("{} {at}: {held:?}, not {:?} {said:?}", history.class, history.expected));
            }
        }
    });
    for (group, (right, of)) in &by {
        println!(
            "{half} {group:<14}{right:>4} of {of:<4} {:>6.1} %",
            100.0 * f64::from(*right) / f64::from(*of)
        );
    }
    println!("{half} false merges  {:>4} of {beliefs} beliefs", merges.len());
    for line in wrong.iter().chain(&merges) {
        println!("  {line}");
    }
    let (right, of) = by["all"];
    assert!(f64::from(right) / f64::from(of) >= RIGHT, "{right} of {of}");
    assert!(merges.len() as f64 / f64::from(beliefs as u32) <= MERGED, "{merges:?}");
}

/// covers: K-01, K-06, K-07, K-09, K-11, K-86, K-87, X-K3, X-K4, X-K5
#[test]
fn the_held_out_histories_end_with_the_right_value() {
    a_half_ends_right("held");
}

/// covers: K-01, K-06, K-07, K-09, K-11, K-86, K-87, X-K3, X-K4, X-K5
#[test]
fn the_histories_for_development_end_with_the_right_value() {
    a_half_ends_right("dev");
}
