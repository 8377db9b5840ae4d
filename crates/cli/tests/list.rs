//! `cairn agents`, `threads`, `sessions` and `stats`.

use crate::support::Cairn;

/// A home in which two threads go through three sessions.
fn workshop() -> Cairn {
    let cairn = Cairn::new();
    for (i, line) in [
        "'Hi! Are you there?' --session mon --thread loom",
        "'I am.' --session mon --role assistant --thread loom",
        "'Good. Let us plan the new loom for the workshop window. It is narrow.' --session mon --thread loom",
        "'The warp is too short by a whole metre again' --session tue --thread loom --mode code",
        "'# Dye garden\nWoad, weld and madder.' --session wed --thread dyes",
        "'ok' --session thu",
    ]
    .iter()
    .enumerate()
    {
        cairn.done(&format!("remember {line} --at 2026-11-0{}T09:00:00Z --id w{i}", i + 1));
    }
    cairn
}

/// covers: W-14, W-64, W-65, W-66
#[test]
fn threads_last_and_sessions_pass_and_are_titled_by_their_first_real_sentence() {
    let cairn = workshop();
    cairn.tell("threads");
    cairn.tell("threads --json --limit 1");
    cairn.tell("sessions");
    cairn.tell("sessions --json --limit 2");
    insta::assert_snapshot!(cairn.story());
    let threads = cairn.json("threads");
    assert_eq!(threads["threads"][1]["sessions"], 2, "one thread, two sessions, two modes: {threads}");
}

#[test]
fn agents_and_their_sizes_are_counted() {
    let cairn = workshop();
    cairn.done("--agent second remember 'Hello from the other side.'");
    cairn.tell("agents");
    cairn.tell("agents --json");
    cairn.tell("stats");
    cairn.tell("stats --json --agent second");
    insta::assert_snapshot!(cairn.story());
    let stats = cairn.json("stats");
    for field in [
        "agent",
        "messages",
        "exchanges",
        "memories",
        "beliefs",
        "digests",
        "entities",
        "embedded",
        "pending_embeddings",
        "disk_bytes",
    ] {
        assert!(!stats[field].is_null(), "stats lacks {field}");
    }
    let bytes = |field: &str| stats[field].as_u64().expect("a size");
    assert!(bytes("archive_bytes") > 0 && bytes("disk_bytes") > bytes("archive_bytes"), "{stats}");
}

#[test]
fn lists_of_an_agent_that_is_not_there_say_who_is() {
    let cairn = workshop();
    for command in [
        "threads",
        "sessions",
        "stats",
        "timeline",
        "verify",
        "rebuild",
        "export",
        "backup",
        "open msg_00000000000000000000000000",
        "why msg_00000000000000000000000000",
    ] {
        let ran = cairn.run(&format!("--agent nobody {command}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{command}");
        let expected = "error: there is no agent `nobody` in [HOME]/home\nhint: existing agents: main; choose one with --agent\n";
        assert_eq!(ran.stderr, expected, "{command}");
    }
    assert!(!cairn.path("home/agents/nobody").exists(), "asking makes nothing");
}
