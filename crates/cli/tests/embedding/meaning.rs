//! Messages are found by their meaning, whatever the words: with the real model.

use crate::embedding::world::{World, float, hits, ids};
use serde_json::{Value, json};

/// A few things that were said, in sessions of their own unless they belong together.
pub(crate) fn life() -> Vec<Value> {
    let said = |id: &str, session: &str, thread: Option<&str>, day: u32, who: &str, text: &str| {
        let role = if who == "agent" { "assistant" } else { "user" };
        let speaker = (!["agent", "me"].contains(&who)).then_some(who);
        json!({"id": id, "session": session, "thread": thread, "at": format!("2026-10-{day:02}T09:00:00Z"),
               "role": role, "speaker": speaker, "text": text})
    };
    vec![
        said("tabby", "home", None, 1, "me", "I finally adopted a tabby from the shelter."),
        said("boiler", "house", None, 2, "me", "The boiler man comes on Thursday to look at the radiators."),
        said(
            "flight",
            "porto",
            Some("trips"),
            3,
            "me",
            "My flight to Porto got cancelled because of the storm.",
        ),
        said("train", "porto", Some("trips"), 3, "agent", "Take the night train through Salamanca instead."),
        said("dinner", "food", None, 4, "me", "We roasted aubergines and baked flatbread for twelve people."),
        said(
            "stars",
            "calls",
            None,
            5,
            "Nadia",
            "I start at the observatory in March as a junior astronomer.",
        ),
        said("knee", "calls2", None, 6, "Tomas", "The operation on my knee went well, no more crutches."),
        said("landlord", "flat", None, 7, "me", "The landlord wants ten percent more every month."),
        said("bicycle", "work", None, 8, "me", "I sold the old car and cycle to the office now."),
        said("advice", "run", None, 9, "agent", "Stretch your calves before every run, and rest on Sundays."),
        said("running", "run", None, 9, "me", "I ran nine kilometres along the canal this morning."),
    ]
}

/// A home in which all of it is embedded by the real model.
pub(crate) fn lived() -> Option<World> {
    let world = World::with_model()?;
    world.ingest("--wait", &life());
    Some(world)
}

/// No question shares a word with its answer that tells anything.
///
/// covers: W-45, W-46
#[test]
fn questions_are_answered_by_meaning_where_no_word_is_shared() {
    let Some(world) = lived() else { return };
    let asked = [
        ("which pet lives with me?", "tabby"),
        ("did any air travel plans fall through?", "flight"),
        ("what was cooked for the guests?", "dinner"),
        ("who was hired for a science job?", "stars"),
        ("has the rent become more expensive?", "landlord"),
        ("what is the commute like?", "bicycle"),
        ("is the heating going to be repaired?", "boiler"),
        ("which patient is recovering from surgery?", "knee"),
    ];
    let answers = world.ask_all(&asked.map(|(question, _)| question), "");
    for ((question, expected), answer) in asked.into_iter().zip(answers) {
        assert_eq!(ids(&answer)[0], expected, "{question}: {answer}");
        assert_eq!(answer["lexical_only"], false);
        assert_eq!(answer["pending_embeddings"], 0);
        let (first, second) = (&hits(&answer)[0], hits(&answer).get(1));
        assert_eq!(first["why"]["lanes"]["lexical"], Value::Null, "{question} shares a word");
        assert_eq!(first["why"]["lanes"]["dense"]["rank"], 1, "{question}");
        let margin = float(&first["score"]) - second.map_or(0.0, |second| float(&second["score"]));
        assert!(margin > 0.0, "{question}: {margin}");
    }
}

/// covers: W-45, C-35
#[test]
fn what_explain_says_of_meaning_adds_up_to_the_score() {
    let Some(world) = lived() else { return };
    for flags in ["", "--thread trips", "--profile seed", "--profile seed --thread trips", "--sender user"] {
        let questions =
            ["which pet lives with me?", "night train to Porto", "What did Nadia say about work?"];
        let answers = world.ask_all(&questions, &format!("--explain {flags}"));
        assert!(answers.iter().map(|answer| hits(answer).len()).sum::<usize>() >= 6, "{answers:?}");
        for (question, answer) in questions.into_iter().zip(&answers) {
            let mut before = f64::INFINITY;
            for hit in hits(answer) {
                let (why, score) = (&hit["why"], float(&hit["score"]));
                let boosts = &why["boosts"];
                let parts = boosts.as_object().expect("parts");
                let sum: f64 = parts.values().map(float).sum();
                let dense = boosts["meaning"].as_f64().unwrap_or_default();
                assert!((sum - score).abs() < 1e-9, "{question} {flags}: {sum} is not {score}");
                // The seeds' answers differ from each other rather than fall.
                let falls = score <= before || flags.contains("seed");
                assert!(falls, "{question} {flags}: {score} after {before}");
                let found = ["dense", "lexical"].map(|lane| !why["lanes"][lane].is_null());
                assert!(found[0] || found[1], "found by nobody: {hit}");
                assert!(found[0] || dense.abs() < 1e-12, "a share without a lane: {hit}");
                before = score;
            }
        }
    }
}

/// "My" asks for the words of the one who asks, "you" for the agent's, and a name for those of whoever has it.
#[test]
fn the_words_of_the_one_who_is_asked_about_come_first() {
    let Some(world) = World::with_model() else { return };
    let said = |id: &str, role: &str, speaker: Option<&str>, text: &str| json!({"id": id, "session": id, "role": role, "speaker": speaker, "text": text});
    world.ingest(
        "--wait",
        &[
            said("mine", "user", None, "Mushroom risotto beats everything."),
            said("agents", "assistant", None, "Mushroom risotto is worth a try."),
            said("noras", "user", Some("Nora"), "Mushroom risotto is too heavy."),
            said("other", "user", Some("Otto"), "Mushroom risotto is too heavy!"),
        ],
    );
    for (question, preferred) in [
        ("What is my favourite dish?", &["mine", "noras", "other"][..]),
        ("Which dish did you recommend?", &["agents"]),
        ("Which dish did Nora complain about?", &["noras"]),
        ("Which dish is heavy?", &[]),
    ] {
        let answer = world.ask(question, "");
        assert_eq!(hits(&answer).len(), 4, "{answer}");
        for hit in hits(&answer) {
            let id = hit["source_ids"][0].as_str().expect("an id");
            let subject = hit["why"]["boosts"]["subject"].as_f64().unwrap_or_default();
            assert_eq!(subject > 0.0, preferred.contains(&id), "{question}: {id} gains {subject}");
        }
        if !preferred.is_empty() {
            assert!(preferred.contains(&ids(&answer)[0]), "{question}: {answer}");
        }
    }
}

/// Whether a hit, asked for its fields, may be shown.
type Admits = fn(&dyn Fn(&str) -> String) -> bool;

/// Whatever is near in meaning, nothing is shown that the asker left out.
///
/// covers: W-45
#[test]
fn a_filter_holds_for_what_is_found_by_meaning() {
    let Some(world) = lived() else { return };
    let text = |hit: &Value, key: &str| hit[key].as_str().unwrap_or_default().to_owned();
    let filters: [(&str, Admits); 7] = [
        ("--session porto", |hit| hit("session") == "porto"),
        ("--sender assistant", |hit| hit("role") == "assistant"),
        ("--sender user", |hit| hit("role") == "user"),
        ("--as-of 2026-10-05T12:00:00Z", |hit| hit("at").as_str() < "2026-10-05T12"),
        ("--thread trips --within-thread", |hit| hit("thread") == "trips"),
        ("--sender user --as-of 2026-10-03T12:00:00Z", |hit| {
            hit("role") == "user" && hit("at").as_str() < "2026-10-03T12"
        }),
        ("--session run --sender assistant", |hit| hit("session") == "run" && hit("role") == "assistant"),
    ];
    for (filter, admits) in filters {
        for flags in ["", "--profile seed"] {
            let questions =
                ["travelling by rail or by air", "which animal lives here?", "exercise and health"];
            let answers = world.ask_all(&questions, &format!("-k 100 {filter} {flags}"));
            for answer in &answers {
                assert_eq!(answer["lexical_only"], false);
                for hit in hits(answer) {
                    assert!(admits(&|key| text(hit, key)), "{filter} {flags}: {hit}");
                }
            }
            let by_meaning = answers.iter().flat_map(hits).any(|hit| !hit["why"]["lanes"]["dense"].is_null());
            assert!(by_meaning, "{filter} {flags} leaves everything out");
        }
    }
    for nobody in
        ["--session nowhere", "--thread nothing --within-thread", "--sender tool", "--as-of 2020-01-01"]
    {
        let answer = world.ask("which pet lives with me?", nobody);
        assert_eq!(hits(&answer).len(), 0, "{nobody}");
        assert_eq!(answer["empty"]["reason"], "filtered_out", "{nobody}");
    }
}

/// Things told to be remembered stand in one session, and each has nothing to do with the one before it.
///
/// covers: W-45
#[test]
fn what_is_remembered_one_after_another_is_told_apart() {
    let Some(world) = World::with_model() else { return };
    let told = [
        ("brother", "I'm Petra, I run a small bakery in Leeds with my brother Tom."),
        ("hours", "We open at 7, closed on Mondays."),
        ("nuts", "I'm allergic to hazelnuts, so nothing with hazelnut in recipes for me."),
        ("mill", "Our flour supplier is Dobson Mills, they deliver on Thursdays."),
        ("wedding", "Tom's wedding is on June 12 next year."),
        (
            "flour",
            "Dobson went under, we're with Calder Valley Flour from next week, deliveries move to Tuesdays.",
        ),
        ("oven", "Decided against the second oven, too expensive; we'll look again in spring."),
    ];
    let said = told.map(|(id, text)| {
        json!({"id": id, "session": "told", "at": "2026-10-01T09:00:00Z", "role": "user", "text": text})
    });
    world.ingest("--wait", &said);
    for (question, expected) in [
        ("When is Tom's wedding?", "wedding"),
        ("What did we decide about the oven?", "oven"),
        ("Where is the bakery?", "brother"),
        ("When do deliveries come?", "flour"),
    ] {
        let found = world.ask(question, "--read-only");
        assert_eq!(hits(&found)[0]["source_ids"][0], expected, "{question}: {found}");
    }
}
