//! `cairn recall`: the order of hits, the arithmetic behind it, many questions at once, and questions in any script.

use crate::support::Cairn;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A session with neighbors that lend, in a thread.
fn harbour() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", crate::support::WEIGHTS);
    for (i, text) in [
        "When does the harbour ferry sail?",
        "The ferry sails at nine.",
        "And back from the harbour?",
        "At six, from the old pier.",
        "Thanks.",
    ]
    .iter()
    .enumerate()
    {
        let role = if i % 2 == 0 { "user" } else { "assistant" };
        cairn.done(&format!("remember '{text}' --session s1 --thread trips --role {role} --id h{i}"));
    }
    cairn.done("remember 'The ferry wallpaper is peeling.' --session s2 --id h9");
    cairn
}

/// covers: C-35
#[test]
fn what_explain_says_adds_up_to_the_score() {
    let cairn = harbour();
    for line in [
        "'harbour ferry'",
        "'harbour ferry' --thread trips",
        "'harbour ferry' --profile seed",
        "ferry --mode chat",
    ] {
        let answer = cairn.json(&format!("recall {line} --explain"));
        let hits = answer["hits"].as_array().expect("hits");
        assert!(hits.len() >= 3, "{answer}");
        let mut before = f64::INFINITY;
        for hit in hits {
            let (why, score) = (&hit["why"], number(&hit["score"]));
            let parts = why["boosts"].as_object().expect("parts");
            let own = parts.get("words").map_or(0.0, number);
            let terms: f64 =
                why["terms"].as_array().expect("terms").iter().map(|term| number(&term["share"])).sum();
            let sum: f64 = parts.values().map(number).sum();
            assert!((terms - own).abs() < 1e-6, "{line}: the terms make {terms}, not {own}");
            assert!((sum - score).abs() < 1e-9, "{line}: the parts make {sum}, not {score}");
            // The seeds' answers differ from each other rather than fall.
            assert!(score <= before || line.contains("seed"), "{line}: {score} after {before}");
            let rank = why["lanes"]["lexical"]["rank"].as_u64().expect("a rank");
            assert!(rank >= 1 && rank <= hits.len() as u64, "{line}: {rank}");
            before = score;
        }
        let holds = |part: &str| hits.iter().any(|hit| hit["why"]["boosts"][part].as_f64() > Some(0.0));
        let lent = holds("neighbours");
        assert_eq!(lent, !line.contains("seed"), "{line}");
        let boosted = holds("thread");
        assert_eq!(boosted, line.contains("--thread"), "{line}");
    }
}

#[test]
fn equal_scores_put_what_was_said_later_first() {
    let cairn = Cairn::new();
    for (session, month) in [("s1", "05"), ("s2", "09"), ("s3", "01")] {
        cairn.done(&format!("remember 'Water the fern.' --session {session} --at 2026-{month}-01T08:00:00Z"));
    }
    let answer = cairn.json("recall fern");
    let sessions: Vec<&str> =
        answer["hits"].as_array().expect("hits").iter().filter_map(|hit| hit["session"].as_str()).collect();
    assert_eq!(sessions, ["s2", "s1", "s3"]);
    let scores: Vec<f64> =
        answer["hits"].as_array().expect("hits").iter().map(|hit| number(&hit["score"])).collect();
    assert!(scores.iter().all(|score| score.to_bits() == scores[0].to_bits()), "{scores:?}");
}

#[test]
fn the_rarer_word_and_the_shorter_message_come_first() {
    let cairn = Cairn::new();
    for (i, text) in [
        "The blue kettle.",
        "The blue kettle that came with the flat, the stove, the chairs and a very long lease.",
        "Blue curtains.",
        "Blue paint.",
        "A quince.",
    ]
    .iter()
    .enumerate()
    {
        cairn.done(&format!("remember '{text}' --session s{i} --id r{i}"));
    }
    let kettles = cairn.hits("kettle");
    assert_eq!(kettles[0], "The blue kettle.");
    assert_eq!(kettles.len(), 2);
    assert_eq!(cairn.hits("'blue quince'")[0], "A quince.");
}

/// covers: W-04
#[test]
fn every_script_and_every_form_of_a_word_is_found() {
    let cairn = Cairn::new();
    let said = [
        "We keep moving the piano between rooms.",
        "Kedimi veterinere götürmem gerekiyor.",
        "Işıklar İstanbul'da erken söndü.",
        "東京で会議があります。",
        "오늘 서울에서 만나요",
        "แมวชอบปลา",
        "The soup was great 🍲",
        "Der Zug nach Köln fährt um acht.",
        "Naïve café owners",
    ];
    for (i, text) in said.iter().enumerate() {
        let id = format!("script-{i}");
        let kept = cairn.run_args(&["remember", text, "--session", &id, "--id", &id]);
        assert_eq!(kept.code, 0, "{}", kept.stderr);
    }
    for (query, expected) in [
        ("moved a room", 0),
        ("veteriner kedimi", 1),
        ("KEDİMİ", 1),
        ("istanbul ışık", 2),
        ("会議", 3),
        ("東京", 3),
        ("서울", 4),
        ("ปลา", 5),
        ("🍲", 6),
        ("koln", 7),
        ("NAIVE CAFÉ", 8),
    ] {
        let hits = cairn.hits(&format!("'{query}' -k 1"));
        assert_eq!(hits, [said[expected]], "{query}");
    }
}

/// covers: W-46
#[test]
fn no_character_of_a_question_is_an_operator() {
    let cairn = Cairn::new();
    cairn.done("remember 'Bring salt AND pepper, NOT sugar.' --session s1");
    cairn.done("remember 'The far side of the column.' --session s2");
    for query in [
        r#""AND" OR (NOT*) ^~ :{} pepper"#,
        "pepper\"",
        "pepper*)",
        "text:pepper",
        "pepper NEAR/2 zeppelin",
        "-pepper",
        "--pepper;DROP TABLE message",
        "{pepper}^2",
        "%pepper_\\",
        "pepper zeppelin quagmire",
        "\u{202e}pepper\u{7}",
    ] {
        let ran = cairn.run_args(&["recall", "--json", "-k", "1", "--", query]);
        assert_eq!(ran.code, 0, "{query}: {}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
        assert_eq!(crate::support::texts(&answer["hits"]), ["Bring salt AND pepper, NOT sugar."], "{query}");
        assert_eq!(answer["query"], query);
    }
    assert_eq!(cairn.json("stats")["messages"], 2);
}

#[test]
fn a_batch_answers_a_line_each_and_keeps_the_ids() {
    let cairn = harbour();
    let questions = concat!(
        r#"{"id":"q1","query":"wallpaper"}"#,
        "\n\n",
        "nonsense\n",
        r#"{"query":"ferry"}"#,
        "\n",
        r#"{"id":2,"query":"zeppelin"}"#,
        "\n",
        r#"{"id":{"page":3},"query":"pier","expects":["h3"]}"#,
        "\n",
    );
    cairn.write("questions.jsonl", questions);
    cairn.tell("recall --batch questions.jsonl -k 1 --thread trips");
    cairn.tell("recall --batch nowhere.jsonl");
    insta::assert_snapshot!(cairn.story());
    let piped = cairn.feed("recall --batch - -k 1 --thread trips", questions);
    let shape = |text: &str| {
        let line = |line: &str| {
            serde_json::from_str::<Value>(line).map(|answer| (answer["id"].clone(), answer["hits"].clone()))
        };
        text.lines().map(line).collect::<Result<Vec<_>, _>>().expect("lines of JSON")
    };
    assert_eq!(
        shape(&piped.stdout),
        shape(&cairn.run("recall --batch questions.jsonl -k 1 --thread trips").stdout)
    );
    let single = cairn.json("recall wallpaper -k 1 --thread trips");
    assert_eq!(shape(&piped.stdout)[0].1, single["hits"], "a batch answers as one question would");
}
