//! `cairn remember`.

use crate::support::Cairn;

/// covers: W-02
#[test]
fn a_message_is_kept_and_answered_with_its_refs() {
    let cairn = Cairn::new();
    cairn.tell("remember 'I moved to Lisbon.' --session s1");
    cairn.tell("remember --json 'Shall I note the new address?' --role assistant --session s1");
    cairn.tell("remember --json 'Rua das Gaivotas 12.' --session s1");
    cairn.tell("remember --json --no-wait 'The landlord is called Teodor.' --session s1");
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-02, W-65, W-66
#[test]
fn everything_that_was_said_about_a_message_is_kept_with_it() {
    let cairn = Cairn::new();
    let kept = cairn.json(
        "remember 'The kiln fires at noon.' --role assistant --speaker Orla --session call-7 --thread pottery \
         --mode booth --at 2026-03-01T12:00:00+02:00 --id note-1",
    );
    cairn.tell(&format!("open {}", kept["message"].as_str().expect("a ref")));
    cairn.tell(&format!("open --json {}", kept["exchange"].as_str().expect("a ref")));
    insta::assert_snapshot!(cairn.story());
    let archived = cairn.read("home/agents/main/archive/2026-11-15.jsonl");
    assert!(archived.contains(r#""thread":"pottery","mode":"booth""#), "{}", archived.trim_end());
}

/// covers: W-97, X-W22
#[test]
fn a_retry_is_kept_once_and_a_genuine_repeat_twice() {
    let cairn = Cairn::new();
    // The moment, what is said, whether it was there already.
    for (now, line, duplicate) in [
        ("2026-11-15T10:00:00Z", "yes --session s1 --id a", false),
        ("2026-11-15T10:00:00Z", "yes --session s1 --id a", true),
        ("2026-11-15T18:00:00Z", "yes --session s1 --id a", true),
        ("2026-11-15T10:00:00Z", "yes --session s1 --id b", false),
        ("2026-11-15T10:00:00Z", "no --session s1 --id a", false),
        ("2026-11-15T11:00:00Z", "maybe --session s1", false),
        ("2026-11-15T11:00:00Z", "maybe --session s1", true),
        ("2026-11-15T11:01:00Z", "maybe --session s1", true),
        ("2026-11-15T11:01:00Z", "maybe --session s1 --role assistant", false),
        ("2026-11-15T11:01:00Z", "maybe --session s1 --speaker Nils", false),
        ("2026-11-15T11:01:00Z", "maybe --session s2", false),
        ("2026-11-15T11:01:01Z", "maybe --session s1", false),
        ("2026-11-15T11:01:30Z", "maybe --session s1 --id c", false),
    ] {
        let kept = cairn.at(now).json(&format!("remember {line}"));
        assert_eq!(kept["duplicate"], duplicate, "{now} {line}");
    }
    assert_eq!(cairn.json("stats")["messages"], 9);
    cairn.tell("remember yes --session s1 --id a");
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-24
#[test]
fn words_come_from_standard_input_as_they_are() {
    let cairn = Cairn::new();
    let poem = "  Two herons,\n\tone weir —\n\n  no hurry.\n";
    let line = "remember - --session poems";
    cairn.told(line, cairn.feed(line, poem));
    assert_eq!(cairn.hits("herons"), [poem]);
    cairn.told(line, cairn.feed(line, " \n\t\n"));
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-116
#[test]
fn a_leading_marker_names_the_mode_and_is_taken_off() {
    let cairn = Cairn::new();
    for (text, mode, words) in [
        ("[mode:code] The parser eats tabs.", "code", "The parser eats tabs."),
        ("[mode:garden] The parser eats slugs.", "chat", "[mode:garden] The parser eats slugs."),
    ] {
        let kept = cairn.json(&format!("remember '{text}'"));
        let opened = cairn.json(&format!("open {}", kept["message"].as_str().expect("a ref")));
        let message = &opened["records"][0]["messages"][0];
        assert_eq!((&message["mode"], &message["text"]), (&mode.into(), &words.into()));
    }
}
