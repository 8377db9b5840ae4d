//! The arithmetic of the seeds' ranking and of the boosts, with both lanes.

use crate::{
    embedding::meaning::lived,
    embedding::world::{World, float, hits},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The hits of an answer by the caller's id.
fn by_id(answer: &Value) -> BTreeMap<&str, &Value> {
    hits(answer).iter().map(|hit| (hit["source_ids"][0].as_str().expect("an id"), hit)).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The worth of a rank in a lane: weight / (60 + rank), and nothing where the lane did not find the message.
fn worth(hit: &Value, lane: &str, weight: f64) -> f64 {
    hit["why"]["lanes"][lane]["rank"].as_u64().map_or(0.0, |rank| weight / (60.0 + rank as f64))
}

/// score = (0.8/(60 + dense rank) + 0.15/(60 + keyword rank)) · thread · (1 + 0.15·e^(−days/14))
///
/// covers: W-45, W-46, W-50, C-33, C-36, C-37
#[test]
fn the_seed_profile_fuses_reciprocal_ranks_of_both_lanes() {
    let Some(world) = lived() else { return };
    let mut by_both = 0;
    let questions = ["is my knee still hurting?", "night train to Porto", "rest on Sundays", "an animal"];
    let answers = world.ask_all(&questions, "--profile seed --explain");
    for (question, answer) in questions.into_iter().zip(answers) {
        let mut ranks = [Vec::new(), Vec::new()];
        for hit in hits(&answer) {
            let (dense, lexical) = (worth(hit, "dense", 0.8), worth(hit, "lexical", 0.15));
            let why = &hit["why"];
            let boosts = &why["boosts"];
            let part = |name: &str| boosts[name].as_f64().unwrap_or_default();
            assert!(near(part("meaning"), dense) && near(part("words"), lexical), "{hit}");
            for nothing in ["neighbours", "subject", "session", "kept"] {
                assert!(boosts[nothing].is_null(), "{nothing}: {hit}");
            }
            // All was said in the first days of October; it is the middle of November.
            let recency = 1.0 + float(&boosts["recency"]) / (dense + lexical);
            let day: f64 = hit["at"].as_str().and_then(|at| at[8..10].parse().ok()).expect("a day");
            let age = 45.0 - day - 9.0 / 24.0 + 1.0;
            assert!(
                (recency - (1.0 + 0.15 * (-age / 14.0).exp())).abs() < 1e-3,
                "{recency} after {age} days"
            );
            assert!(near(float(&hit["score"]), (dense + lexical) * recency), "{hit}");
            by_both += u32::from(dense > 0.0 && lexical > 0.0);
            for (lane, ranks) in ["dense", "lexical"].into_iter().zip(&mut ranks) {
                ranks.extend(why["lanes"][lane]["rank"].as_u64());
            }
        }
        for mut ranks in ranks {
            ranks.sort_unstable();
            assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{question}: a rank twice: {ranks:?}");
        }
    }
    assert!(by_both >= 3, "only {by_both} hits were found by both lanes");
}

/// The dense lane's ranks are the order of its cosines.
///
/// covers: W-46
#[test]
fn ranks_follow_the_scores_of_their_lane() {
    let Some(world) = lived() else { return };
    for flags in ["--profile seed", ""] {
        let answer = world.ask("night train to Porto", flags);
        for lane in ["dense", "lexical"] {
            let lanes = hits(&answer).iter().map(|hit| &hit["why"]["lanes"][lane]).filter(|it| !it.is_null());
            let mut lanes: Vec<(u64, f64)> =
                lanes.map(|it| (it["rank"].as_u64().expect("a rank"), float(&it["score"]))).collect();
            lanes.sort_by_key(|(rank, _)| *rank);
            assert!(!lanes.is_empty() && lanes[0].0 == 1, "{flags} {lane}: {lanes:?}");
            assert!(lanes.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{flags} {lane}: {lanes:?}");
        }
    }
}

/// covers: W-49, W-67
#[test]
fn the_thread_that_is_asked_in_counts_1_8_times() {
    let Some(world) = lived() else { return };
    // Otherwise an answer that is read with its rival may change places.
    world.configure("[recall]\nrivals = 0\n");
    for profile in ["", "--profile seed"] {
        // The same moment, so that nothing but the thread differs.
        let ask = |flags: &str| {
            let mut command =
                world.command(&format!("recall --json --read-only -k 100 'how do I get home?' {flags}"));
            command.env("CAIRN_NOW", "2026-11-15T10:00:00Z");
            crate::embedding::world::parsed(&world.finish(command, ""))
        };
        let (plain, inside) = (ask(profile), ask(&format!("--thread trips {profile}")));
        let (plain, inside) = (by_id(&plain), by_id(&inside));
        assert_eq!(plain.len(), inside.len());
        for (id, hit) in &inside {
            let times = if hit["thread"] == "trips" { 1.8 } else { 1.0 };
            let added = (times - 1.0) * float(&plain[id]["score"]);
            let thread = hit["why"]["boosts"]["thread"].as_f64().unwrap_or_default();
            assert!((thread - added).abs() < 1e-2, "{id}");
            assert!(near(float(&hit["score"]), times * float(&plain[id]["score"])), "{profile} {id}");
        }
        // The seeds search for answers they imagine, which lie further from the flight.
        let found = if profile.is_empty() { &["flight", "train"][..] } else { &["train"] };
        assert!(found.iter().all(|id| inside.contains_key(*id)), "{inside:?}");
    }
}

/// covers: W-49
#[test]
fn of_two_that_mean_the_same_the_thread_that_is_asked_in_comes_first() {
    let Some(world) = World::with_model() else { return };
    for (session, thread) in [("s1", "garden"), ("s2", "kitchen")] {
        world.done(&format!(
            "remember 'The new tap drips.' --session {session} --thread {thread} --id {thread}"
        ));
    }
    for thread in ["garden", "kitchen"] {
        let answer = world.ask("is there a leak?", &format!("--thread {thread}"));
        assert_eq!(crate::embedding::world::ids(&answer)[0], thread);
    }
}
