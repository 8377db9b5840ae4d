//! Wrong usage, help, completions and the configuration.

use crate::support::Cairn;

#[test]
fn wrong_usage_is_answered_with_a_hint_and_two() {
    let cairn = Cairn::new();
    for line in [
        "",
        "remembr",
        "remember",
        "recall",
        "recall x --batch y",
        "recall x --within-thread",
        "recall x -k 0",
        "recall x -k 1001",
        "recall x --sender king",
        "recall x --profile secret",
        "recall x --kind rumour",
        "recall x --colour",
        "open",
        "completions klingon",
        "config",
        "export a b",
    ] {
        let ran = cairn.tell(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line}");
    }
    insta::assert_snapshot!(cairn.story());
    assert!(!cairn.path("home").exists(), "wrong usage makes nothing");
}

/// covers: C-156
#[test]
fn the_configuration_is_shown_and_refused_before_anything_runs() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", crate::support::WEIGHTS);
    cairn.tell("config show");
    cairn.tell("config show --json");
    for text in [
        "[recal]\nk = 3\n",
        "[recall]\nspeed = 3\n",
        "[recall]\nthread_boost = 0.5\n",
        "[recall.bm25]\nb = 1.4\n",
        "[capture]\ntext_bytes = \"many\"\n",
        "[backup]\nkeep = 0\n",
        "keep",
    ] {
        cairn.write("home/config.toml", text);
        let ran = cairn.tell("remember hello");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{text}");
        assert!(!cairn.path("home/agents").exists(), "{text}");
    }
    insta::assert_snapshot!(cairn.story());
}

/// covers: C-156
#[test]
fn the_configuration_that_is_shown_can_be_used() {
    let cairn = Cairn::new();
    let shown = cairn.done("config show").stdout;
    cairn.write("home/config.toml", shown.replace("text_bytes = 16777216", "text_bytes = 20"));
    assert_eq!(cairn.json("config show")["capture"]["text_bytes"], 20);
    assert_eq!(cairn.run("remember 'Twenty-one characters'").code, 2);
    cairn.done("remember 'Twenty characters ok'");
}

#[test]
fn help_shows_every_command_and_an_example() {
    let cairn = Cairn::new();
    cairn.tell("--help");
    cairn.tell("--version");
    insta::assert_snapshot!(cairn.story());
    for command in [
        "remember",
        "ingest",
        "recall",
        "open",
        "why",
        "timeline",
        "doctor",
        "export",
        "import",
        "completions",
    ] {
        let help = cairn.done(&format!("{command} --help")).stdout;
        let examples = help.split("Example").nth(1).unwrap_or_default();
        assert!(examples.contains("  cairn ") && examples.contains(command), "{help}");
    }
}

#[test]
fn completions_are_made_for_every_shell() {
    let cairn = Cairn::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = cairn.done(&format!("completions {shell}")).stdout;
        assert!(script.contains("cairn") && script.contains("within-thread"), "{shell}");
    }
    assert!(!cairn.path("home").exists());
}

#[test]
fn home_and_agent_come_from_the_command_line_before_the_environment() {
    let cairn = Cairn::new();
    let with = |name: &str, value: &str, line: &str| {
        let mut command = cairn.command(line);
        command.env(name, value);
        cairn.finish(command, b"")
    };
    assert_eq!(with("CAIRN_AGENT", "ada", "remember 'The kite is red.'").code, 0);
    assert_eq!(cairn.hits("kite --agent ada"), ["The kite is red."]);
    assert_eq!(with("CAIRN_AGENT", "ada", "--agent bob recall kite").code, 1);
    let mut homeless = cairn.command("remember 'The kite is blue.'");
    homeless.env_remove("CAIRN_HOME");
    assert_eq!(cairn.finish(homeless, b"").code, 0);
    assert_eq!(cairn.hits("kite --home .cairn"), ["The kite is blue."]);
}

/// The names below `Commands:` in a help.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let name = |line: &str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    let names = listed.take_while(|line| !line.is_empty()).filter_map(name);
    names
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|it| it != "help")
        .collect()
}

#[test]
fn every_command_says_what_it_does_with_an_example() {
    let cairn = Cairn::new();
    let (mut open, mut seen) = (vec![String::new()], 0);
    while let Some(path) = open.pop() {
        let help = cairn.done(&format!("{path} --help")).stdout;
        assert!(help.contains("\nExample"), "cairn{path}: {help}");
        open.extend(commands(&help).into_iter().map(|name| format!("{path} {name}")));
        seen += 1;
    }
    assert!(seen > 60, "only {seen} were found");
}
