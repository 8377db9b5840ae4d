//! Looking at memories and after them: `memories`, `why` and `open`.

use crate::{
    memories::guards::lift_guards,
    memories::verdicts::reference,
    support::{Cairn, refs},
};

/// A home that knows where somebody lives, and where they lived before.
fn moved() -> (Cairn, String, String) {
    let cairn = Cairn::new();
    let kept = |line: &str| {
        let kept = cairn.json(&format!("remember {line}"));
        kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned()
    };
    let old = kept("'I live in Lisbon.' --session a --id m1");
    cairn.at("2026-11-16T10:00:00Z");
    kept("'I live in Lisbon.' --session b --id m2");
    cairn.at("2026-11-17T10:00:00Z");
    let new = kept("'I live in Porto now.' --session c --id m3");
    (cairn, old, new)
}

/// covers: C-117, C-120, C-122, C-145
#[test]
fn why_leads_from_a_memory_to_the_words_and_the_archive_and_back() {
    let (cairn, old, new) = moved();
    cairn.tell(&format!("why {old}"));
    cairn.tell(&format!("memories show {new}"));
    cairn.tell(&format!("open {new}"));
    cairn.tell(&format!("why {}", reference(&cairn, "m3")));
    insta::assert_snapshot!(cairn.story());
    let why = cairn.json(&format!("why {old} --verify"));
    let evidence = why["evidence"].as_array().expect("evidence");
    assert_eq!(evidence.len(), 2, "both times it was said");
    for (source, id) in evidence.iter().zip(["m1", "m2"]) {
        assert_eq!(source["source"].as_str(), Some(reference(&cairn, id).as_str()), "{source}");
        assert_eq!(
            (&source["holds"], &source["archive"]["agrees"]),
            (&true.into(), &true.into()),
            "{source}"
        );
    }
    assert_eq!(cairn.json(&format!("open {new}"))["records"][0]["ref"], new.as_str());
}

/// Words that an archive line no longer says are no evidence.
///
/// covers: C-145
#[test]
fn why_of_a_memory_says_so_when_its_words_were_changed() {
    let (cairn, old, _) = moved();
    let database = rusqlite::Connection::open(cairn.path("home/agents/main/memory.db")).expect("it opens");
    lift_guards(&database, "message");
    database.execute("UPDATE message SET text = 'I live in Madrid.' WHERE seq = 0", []).expect("changed");
    drop(database);
    let ran = cairn.run(&format!("why {old} --verify"));
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("says something else now"), "{}", ran.stdout);
    assert!(ran.stderr.contains("\nhint: `cairn verify`"), "{}", ran.stderr);
}

/// covers: C-159, C-160
#[test]
fn memories_are_pinned_put_to_rest_and_woken() {
    let (cairn, old, new) = moved();
    cairn.tell(&format!("memories pin {new}"));
    cairn.tell(&format!("memories forget {new}"));
    cairn.tell(&format!("memories unpin {new}"));
    cairn.tell(&format!("memories forget {new}"));
    cairn.tell("memories list");
    cairn.tell("memories list --all");
    cairn.tell(&format!("memories wake {new}"));
    cairn.tell("memories list --limit 1 --session c");
    insta::assert_snapshot!(cairn.story());
    assert_eq!(refs(&cairn.json("memories list")["memories"]), std::slice::from_ref(&new));
    assert_eq!(refs(&cairn.json("memories list --all --session a")["memories"]), [old]);
    for word in ["pin", "unpin", "forget", "wake"] {
        assert_eq!(cairn.json(&format!("memories {word} {new}"))["ref"], new.as_str());
        if word == "pin" {
            cairn.done(&format!("memories unpin {new}"));
        }
    }
}

/// covers: C-23, C-122
#[test]
fn a_decision_is_undone_from_either_side_and_both_memories_hold() {
    for undo_by_old in [true, false] {
        let (cairn, old, new) = moved();
        let named = if undo_by_old { &old } else { &new };
        let undone = cairn.json(&format!("memories undo {named}"));
        assert_eq!(refs(&undone["memories"]), std::slice::from_ref(&old));
        let mut listed = refs(&cairn.json("memories list")["memories"]);
        listed.sort();
        let mut both = vec![old.clone(), new.clone()];
        both.sort();
        assert_eq!(listed, both);
        let why = cairn.tell(&format!("why {old}"));
        assert!(why.stdout.contains("undone: a person says that it still holds"), "{}", why.stdout);
        let nothing = cairn.tell(&format!("memories undo {new}"));
        assert_eq!(nothing.code, 2);
        assert!(nothing.stderr.contains("hint: "), "{}", nothing.stderr);
    }
}

/// covers: C-246
#[test]
fn what_is_no_memory_is_refused_with_a_hint() {
    let (cairn, ..) = moved();
    let message = reference(&cairn, "m1");
    for line in [
        "memories show mem_00000000000000000000000000".to_owned(),
        "memories pin wax".to_owned(),
        format!("memories forget {message}"),
        "memories wake".to_owned(),
        "memories".to_owned(),
        "memories list --limit many".to_owned(),
        "--agent nobody memories list".to_owned(),
        "--agent nobody form".to_owned(),
        "ingest --knowledge nowhere".to_owned(),
    ] {
        let ran = cairn.tell(&line);
        assert!(ran.code == 1 || ran.code == 2, "{line}");
        assert!(ran.stderr.contains("hint: "), "{line}: {}", ran.stderr);
    }
    insta::assert_snapshot!(cairn.story());
}
