//! Keys: how long a check takes tells nothing about a key.

use cairn_domain::Time;
use cairn_engine::{Clock, Home};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

struct Still;

impl Clock for Still {
    fn now(&self) -> Time {
        Time::from_millis(1_794_700_800_000)
    }
}

/// Rounds, and calls of each kind in a round.
const ROUNDS: usize = 60;
const CALLS: usize = 40;
/// Kinds that differ by less than this part, in every try, cannot be told apart through a network.
const PART: f64 = 0.25;
/// On a machine with other work a difference may be chance: one that is real shows in every try.
const TRIES: usize = 8;

/// Whether it takes longer, or shorter, for one of two kinds of key than for the other. The two take turns, so that
/// whatever else the machine does meets both, and of each the quickest rounds count.
fn differs(mut check: impl FnMut(bool)) -> bool {
    (0..TRIES).all(|_| {
        let mut rounds = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS * 2 {
            let begun = Instant::now();
            for _ in 0..CALLS {
                check(round % 2 == 0);
            }
            rounds[round % 2].push(begun.elapsed());
        }
        let quick = |rounds: &mut Vec<Duration>| {
            rounds.sort_unstable();
            rounds[ROUNDS / 4].as_secs_f64()
        };
        let [a, b] = &mut rounds;
        let (a, b) = (quick(a), quick(b));
        (a - b).abs() > PART * a.min(b)
    })
}

/// Keys are compared as hashes under the home's own key, all of them and in constant time, so that a guess that is
/// nearly right has nothing in common with the right one. That the time does not vary is measured, with a control that
/// leaks.
///
/// covers: C-253
#[tokio::test]
async fn how_long_a_check_takes_does_not_depend_on_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = Home::new(folder.path(), Arc::new(Still)).expect("a home").keys();
    let mut secrets = Vec::new();
    for number in 0..50 {
        let (_, secret) = keys.add(&format!("key {number}"), None, "test").await.expect("made");
        secrets.push(secret);
    }
    let right = &secrets[0];
    let other = |digit: &str| if digit == "0" { "1" } else { "0" };
    let last_wrong = format!("{}{}", &right[..69], other(&right[69..]));
    let first_wrong = format!("cairn_{}{}", other(&right[6..7]), &right[7..]);
    assert!(keys.check(right).await.expect("checked").is_some());
    let check = |shown: &str| {
        let found = futures_executor::block_on(keys.check(shown)).expect("checked");
        std::hint::black_box(found);
    };
    for (what, a, b) in [
        ("a wrong last letter and a wrong first", &last_wrong, &first_wrong),
        ("the oldest key and the newest", right, &secrets[49]),
    ] {
        assert!(futures_executor::block_on(keys.check(a)).is_ok());
        assert!(!differs(|first| check(if first { a } else { b })), "{what} are told apart");
    }
    // A check that stops at the first letter that is wrong is found out.
    let leaky = |shown: &str| {
        let same = |(a, b): &(char, char)| blake3::hash(&[*a as u8]) == blake3::hash(&[*b as u8]);
        let alike = shown.chars().zip(right.chars()).take_while(same).count();
        std::hint::black_box(alike);
    };
    assert!(
        differs(|first| leaky(if first { &last_wrong } else { &first_wrong })),
        "the measure sees nothing"
    );
}
