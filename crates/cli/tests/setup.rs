//! `cairn setup`: what it writes, what it leaves alone, and that it can be undone.

use crate::support::Cairn;
use serde_json::{Value, json};
use std::fs;

/// Where each host keeps its files, below the home folder.
const FILES: [(&str, &[&str]); 6] = [
    ("claude-code", &[".claude.json", ".claude/settings.json"]),
    ("claude-desktop", &[".config/Claude/claude_desktop_config.json"]),
    ("cursor", &[".cursor/mcp.json", ".cursor/hooks.json"]),
    ("codex", &[".codex/config.toml", ".codex/hooks.json"]),
    ("gemini", &[".gemini/settings.json"]),
    ("opencode", &[".config/opencode/opencode.json", ".config/opencode/plugins/cairn.js"]),
];

const FOREIGN_JSON: &str = "{\n    // mine\n    \"theme\": \"dark\",\n    \"mcpServers\": { \"other\": {\"command\": \"x\"} },\n    \"hooks\": {\n        \"Stop\": [ { \"hooks\": [ {\"type\": \"command\", \"command\": \"say done\"} ] } ]\n    },\n    \"last\": [1,   2]\n}\n";
const FOREIGN_TOML: &str =
    "# mine\nmodel = \"gpt\"   # good\n\n[mcp_servers.other]\ncommand = 'x'\n\n[profiles.a]\nb = 1\n";

fn foreign(file: &str) -> &'static str {
    if file.ends_with("toml") { FOREIGN_TOML } else { FOREIGN_JSON }
}

#[test]
fn every_host_is_set_up_and_the_setup_undone_to_the_byte() {
    for (host, files) in FILES {
        for before in [false, true] {
            let cairn = Cairn::new();
            if before {
                for file in files {
                    cairn.write(file, foreign(file));
                }
            }
            let done = cairn.json(&format!("setup {host} --yes"));
            assert_eq!(done["changed"].as_array().expect("files").len(), files.len(), "{host}: {done}");
            for file in files {
                assert!(cairn.read(file).contains("cairn"), "{host} {file}");
            }
            assert_eq!(
                cairn.json(&format!("setup {host} --yes"))["changed"],
                json!([]),
                "{host}: once is enough"
            );
            cairn.done(&format!("setup {host} --remove --yes"));
            for file in files {
                if before {
                    assert_eq!(cairn.read(file), foreign(file), "{host} {file}");
                } else {
                    assert!(!cairn.path(file).exists(), "{host} {file}: {}", cairn.read(file));
                }
                assert!(!cairn.path(&format!("{file}.before-cairn")).exists());
            }
            assert_eq!(cairn.json(&format!("setup {host} --remove --yes"))["changed"], json!([]), "{host}");
        }
    }
}

#[test]
fn what_belongs_to_others_stays_and_what_they_change_afterwards_too() {
    let cairn = Cairn::new();
    cairn.write(".claude/settings.json", FOREIGN_JSON);
    cairn.write(".codex/config.toml", FOREIGN_TOML);
    cairn.done("setup claude-code --yes");
    cairn.done("setup codex --yes");
    let settings = cairn.read(".claude/settings.json");
    for line in ["// mine", "\"last\": [1,   2]", "say done", "\"theme\": \"dark\""] {
        assert!(settings.contains(line), "{line} is gone: {settings}");
    }
    let toml = cairn.read(".codex/config.toml");
    for line in ["# mine", "model = \"gpt\"   # good", "command = 'x'", "[profiles.a]"] {
        assert!(toml.contains(line), "{line} is gone: {toml}");
    }
    cairn.write(".claude/settings.json", settings.replace("dark", "light"));
    cairn.write(".codex/config.toml", toml.replace("b = 1", "b = 2"));
    cairn.done("setup claude-code --remove --yes");
    cairn.done("setup codex --remove --yes");
    let settings = cairn.read(".claude/settings.json");
    assert!(
        settings.contains("light") && settings.contains("say done") && !settings.contains("cairn"),
        "{settings}"
    );
    let toml = cairn.read(".codex/config.toml");
    assert!(toml.contains("b = 2") && toml.contains("# mine") && !toml.contains("cairn"), "{toml}");
}

/// The written entries start the very program that wrote them, and every event has its hook.
#[test]
fn what_is_written_works() {
    let cairn = Cairn::new();
    cairn.done("--agent muse setup claude-code --yes");
    let servers: Value = serde_json::from_str(&cairn.read(".claude.json")).expect("JSON");
    let server = &servers["mcpServers"]["cairn"];
    assert_eq!(server["command"].as_str(), Some(env!("CARGO_BIN_EXE_cairn")), "{server}");
    let args: Vec<&str> =
        server["args"].as_array().expect("args").iter().map(|arg| arg.as_str().expect("text")).collect();
    assert_eq!((args[0], &args[2..]), ("--home", &["--agent", "muse", "mcp"][..]), "{args:?}");
    let settings: Value = serde_json::from_str(&cairn.read(".claude/settings.json")).expect("JSON");
    let hooks = settings["hooks"].as_object().expect("hooks");
    assert_eq!(hooks.len(), 9, "{hooks:?}");
    for (event, entries) in hooks {
        let command = entries[0]["hooks"][0]["command"].as_str().expect("a command");
        let input = json!({"session_id": "s", "hook_event_name": event}).to_string();
        let ran = std::process::Command::new("sh")
            .args(["-c", &format!("echo '{input}' | {command} --within-ms 30000")])
            .env_clear()
            .output();
        let ran = ran.expect("sh runs");
        assert!(
            ran.status.success() && ran.stderr.is_empty(),
            "{command}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    assert!(cairn.path("home/agents/muse").exists(), "the hooks know whose memory it is");
}

#[test]
fn a_project_has_its_own_settings_and_what_cannot_be_read_is_not_touched() {
    let cairn = Cairn::new();
    fs::create_dir_all(cairn.path("tides")).expect("a folder");
    cairn.done("setup claude-code --project tides --yes");
    cairn.done("setup cursor --project tides --yes");
    for file in ["tides/.mcp.json", "tides/.claude/settings.json", "tides/.cursor/mcp.json"] {
        assert!(cairn.read(file).contains("cairn"), "{file}");
    }
    cairn.write(".cursor/mcp.json", "{ \"mcpServers\": ");
    cairn.write(".codex/config.toml", "= nonsense");
    cairn.write(".claude.json", "{\"mcpServers\": []}");
    cairn.tell("setup cursor --yes");
    cairn.tell("setup claude-code --yes");
    cairn.tell("setup codex");
    cairn.tell("setup codex --project tides --yes");
    assert_eq!(cairn.read(".cursor/mcp.json"), "{ \"mcpServers\": ");
    assert_eq!(cairn.read(".claude.json"), "{\"mcpServers\": []}");
    fs::remove_file(cairn.path(".codex/config.toml")).expect("removed");
    let ran = cairn.run("setup codex");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("+[mcp_servers.cairn]") && ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert!(!cairn.path(".codex/config.toml").exists(), "nobody said yes");
    insta::assert_snapshot!(cairn.story());
}

#[cfg(unix)]
#[test]
fn a_program_that_is_installed_words_memories_if_the_person_agrees() {
    use std::os::unix::fs::PermissionsExt;
    let cairn = Cairn::new();
    let config = "# mine\n[embedder]\nkind = \"none\"   # for now\n";
    cairn.write("home/config.toml", config);
    let with_path = |line: &str| {
        let mut command = cairn.command(line);
        command.env("PATH", cairn.path("bin"));
        cairn.finish(command, b"")
    };
    let refused = with_path("setup language --yes");
    assert_eq!((refused.code, refused.stderr.contains("install one")), (1, true), "{}", refused.stderr);
    let installed = |name: &str, script: &str| {
        let path = format!("bin/{name}");
        cairn.write(&path, script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(cairn.path(&path), mode).expect("it can be run");
    };
    installed("ollama", "#!/bin/sh\nprintf 'NAME ID SIZE\\nqwen3:4b abc 2.6GB\\n'\n");
    let unasked = with_path("setup language");
    assert_ne!(unasked.code, 0, "nobody agreed");
    assert_eq!(cairn.read("home/config.toml"), config);
    assert_eq!(with_path("setup language --yes").code, 0);
    let written = cairn.read("home/config.toml");
    assert!(written.starts_with(config), "{written}");
    assert!(written.contains("command = [\"ollama\", \"run\", \"qwen3:4b\"]"), "{written}");
    assert!(written.contains("local = true"), "{written}");
    assert!(with_path("config show").stdout.contains("qwen3:4b"), "it is in force");
    // A coding agent comes first, and what was there is replaced.
    installed("claude", "#!/bin/sh\ncat\n");
    assert_eq!(with_path("setup language --yes").code, 0);
    assert!(cairn.read("home/config.toml").contains("command = [\"claude\", \"-p\"]"));
    assert_eq!(with_path("setup language --remove --yes").code, 0);
    assert_eq!(cairn.read("home/config.toml"), config);
}
