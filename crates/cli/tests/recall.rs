//! `cairn recall`: what is found, what is left out, and why an answer is empty.

use crate::support::{Cairn, texts};

/// A home with a conversation about a garden, in two threads and four modes.
fn garden() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", crate::support::WEIGHTS);
    for (i, line) in [
        "'The greenhouse thermometer is broken.' --session s1 --thread greenhouse",
        "'I ordered a new thermometer.' --session s2 --thread greenhouse --role assistant",
        "'The oven thermometer reads high.' --session s3 --thread kitchen",
        "'thermometer driver: retry on checksum' --session s4 --mode code",
        "'Say thermometer slowly, twice.' --session s5 --mode booth",
        "'Arm moved away from the thermometer.' --session s6 --mode robot",
    ]
    .iter()
    .enumerate()
    {
        cairn.done(&format!("remember {line} --at 2026-1{}-01T08:00:00Z --id g{i}", i % 2));
    }
    cairn
}

/// covers: C-35
#[test]
fn hits_are_shown_to_people_and_to_programs() {
    let cairn = garden();
    cairn.tell("recall 'broken greenhouse' -k 2");
    cairn.tell("recall 'broken greenhouse' -k 2 --explain");
    cairn.tell("recall --json 'broken greenhouse' -k 1");
    cairn.tell("recall --json 'broken greenhouse' -k 1 --explain --profile seed --read-only --no-wait");
    insta::assert_snapshot!(cairn.story());
}

/// covers: C-35
#[test]
fn an_empty_answer_says_why_and_what_to_do() {
    let cairn = garden();
    cairn.done("--agent newborn init --no-model");
    for line in [
        "recall thermometer --agent newborn",
        "recall ' ?! '",
        "recall thermometer --session s9",
        "recall zeppelin",
        "recall thermometer --agent nobody",
    ] {
        cairn.tell(line);
    }
    for (line, reason) in [
        ("thermometer --agent newborn", "nothing_stored"),
        ("' ?! '", "no_words"),
        ("thermometer --session s9", "filtered_out"),
        ("zeppelin", "no_match"),
        ("zeppelin --session s1", "no_match"),
    ] {
        let answer = cairn.json(&format!("recall {line}"));
        assert_eq!((&answer["empty"]["reason"], texts(&answer["hits"]).len()), (&reason.into(), 0), "{line}");
    }
    assert!(cairn.json("recall thermometer").get("empty").is_none());
    insta::assert_snapshot!(cairn.story());
}

#[test]
fn a_home_without_agents_says_how_to_make_one() {
    let cairn = Cairn::new();
    cairn.tell("recall anything");
    cairn.tell("agents");
    cairn.tell("agents --json");
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-64, W-66
#[test]
fn filters_leave_out_and_a_thread_only_leans() {
    let cairn = garden();
    let (broken, ordered, oven) = (
        "The greenhouse thermometer is broken.",
        "I ordered a new thermometer.",
        "The oven thermometer reads high.",
    );
    for (line, expected) in [
        ("--session s2", &[ordered] as &[&str]),
        ("--sender assistant", &[ordered]),
        ("--sender assistant --session s1", &[]),
        ("--thread kitchen --within-thread", &[oven]),
        ("--thread greenhouse --within-thread --sender user", &[broken]),
        ("--thread attic --within-thread", &[]),
    ] {
        assert_eq!(cairn.hits(&format!("thermometer {line}")), expected, "{line}");
    }
    assert_eq!(cairn.hits("thermometer").len(), 6);
    assert_eq!(cairn.hits("thermometer --kind memory,exchange"), cairn.hits("thermometer"));
    for (thread, first) in [("kitchen", &[oven] as &[&str]), ("greenhouse", &[broken, ordered])] {
        let leaning = cairn.hits(&format!("thermometer --thread {thread}"));
        assert_eq!(leaning.len(), 6);
        assert!(leaning[..first.len()].iter().all(|hit| first.contains(&hit.as_str())), "{leaning:?}");
    }
}

/// covers: W-116, W-118, W-119
#[test]
fn chat_and_booth_share_and_code_and_robot_keep_to_themselves() {
    let cairn = garden();
    for (mode, expected) in [("chat", 4), ("booth", 4), ("code", 1), ("robot", 1)] {
        let heard = cairn.hits(&format!("thermometer --mode {mode}"));
        assert_eq!(heard.len(), expected, "{mode}: {heard:?}");
        let has = |word: &str| heard.iter().any(|text| text.contains(word));
        let (shared, own) = (mode == "chat" || mode == "booth", mode);
        assert_eq!((has("oven"), has("slowly")), (shared, shared), "{mode}: {heard:?}");
        assert_eq!((has("driver"), has("Arm")), (own == "code", own == "robot"), "{mode}: {heard:?}");
    }
}

/// covers: W-118
#[test]
fn what_a_mode_hides_lends_nothing_to_its_neighbours() {
    let cairn = Cairn::new();
    cairn.done("remember 'The password is marigold.' --session s1 --mode code");
    cairn.done("remember 'Good morning to you.' --session s1 --role assistant");
    assert_eq!(cairn.hits("marigold --mode chat"), [] as [String; 0]);
    assert_eq!(cairn.hits("marigold").len(), 2);
}

#[test]
fn as_of_never_shows_the_future() {
    let cairn = Cairn::new();
    for (day, text) in
        [("03-01", "The rent is 700."), ("06-01", "The rent is 750."), ("09-01", "The rent is 800.")]
    {
        cairn.done(&format!("remember '{text}' --session s1 --at 2026-{day}T12:00:00Z"));
    }
    for (as_of, said) in [
        ("2026-02-28", 0),
        ("2026-03-01", 0),
        ("2026-03-01T12:00:00Z", 1),
        ("2026-08-31T23:59:59Z", 2),
        ("2026-09-01T14:00:00+02:00", 3),
    ] {
        let expected = ["The rent is 700.", "The rent is 750.", "The rent is 800."][..said].to_vec();
        let mut heard = cairn.hits(&format!("rent --as-of {as_of}"));
        heard.sort();
        assert_eq!(heard, expected, "{as_of}");
        let timeline = cairn.json(&format!("timeline --as-of {as_of}"));
        assert_eq!(texts(&timeline["entries"]), expected, "{as_of}");
        let about = cairn.json(&format!("timeline rent --as-of {as_of}"));
        assert_eq!(texts(&about["entries"]), expected, "{as_of}");
    }
}
