//! Who may do what: two tables, walked. An operation or a command that is missing from its table fails here, and so does a
//! row that nothing stands behind any more.

use crate::{
    serve::world::Server,
    support::{
        Cairn, commands,
        erasing::{answered, signed_in},
    },
};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const REST: &str = include_str!("authority_rest.tsv");
const CLI: &str = include_str!("authority_cli.tsv");
const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";
/// The message of a command that has to be signed in for.
const SIGN_IN: &str = "an operator must sign in";

/// The rows of a table by their first column, and the names of the others.
fn table(text: &str) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header = lines.next().expect("a header").split('\t').skip(1).collect();
    let mut rows = BTreeMap::new();
    for line in lines {
        let mut fields = line.split('\t');
        let name = fields.next().expect("a name");
        assert!(rows.insert(name, fields.collect()).is_none(), "{name} stands there twice");
    }
    (header, rows)
}

/// Every operation of the document: its id, its method and its path.
fn operations(document: &Value) -> Vec<(String, Method, String)> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            found.push((id, method, path.clone()));
        }
    }
    found
}

/// How a server meets a request, in the words of the table.
async fn met(server: &Server, method: &Method, path: &str) -> String {
    let path = path.replace("{agent}", "main").replace("{key}", "spare").replace("{receipt}", "99999");
    let path = path.replace("{ref}", "mem_00000000000000000000000000").replace("{name}", "Lisbon");
    let request = server.request(method.clone(), &path).json(&json!({"name": "x"}));
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    match status {
        401 | 403 => status.to_string(),
        404 => {
            // A record that is not there is an answer; an agent or a key that is not there is none.
            let told = answer.text().await.expect("words");
            let hidden = told.contains("there is no agent") || told.contains("key spare");
            if hidden { status.to_string() } else { "yes".to_owned() }
        }
        _ => "yes".to_owned(),
    }
}

/// covers: I3, I10, W-155, W-179, C-253
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_admits_whom_the_table_says() {
    let (callers, rows) = table(REST);
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.done("remember 'I moved to Lisbon.'");
    cairn.done("--agent other remember 'I moved to Porto.'");
    let keyless = Cairn::new();
    keyless.write("home/config.toml", CONFIG);
    keyless.done("remember 'I moved to Lisbon.'");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let key = |line: &str| answered(&cairn, &format!("key add {line}"))["secret"].as_str().map(str::to_owned);
    let keys: BTreeMap<&str, Option<String>> = BTreeMap::from([
        ("local", None),
        ("nobody", None),
        ("agent", key("agent --for main")),
        ("capture", key("capture --capture --for main")),
        ("elsewhere", key("elsewhere --for other")),
        ("limited", key("limited --operator --for other")),
        ("operator", key("operator --operator")),
    ]);
    key("spare");
    let (mut server, local) = (Server::start(&cairn), Server::start(&keyless));
    let document = server.get("/openapi.json").await.ok();
    let mut seen = BTreeSet::new();
    for (id, method, path) in operations(&document) {
        let row = rows.get(id.as_str()).unwrap_or_else(|| panic!("{id} is missing from the table"));
        for (caller, expected) in callers.iter().zip(row) {
            let found = if *caller == "local" {
                met(&local, &method, &path).await
            } else {
                server.key.clone_from(&keys[caller]);
                met(&server, &method, &path).await
            };
            assert_eq!(found, *expected, "{caller} asks for {id}: {method} {path}");
        }
        seen.insert(id);
    }
    let stale: Vec<&&str> = rows.keys().filter(|id| !seen.contains(**id)).collect();
    assert!(stale.is_empty(), "no operation is called {stale:?}");
}

/// Everything that only an operator changes, in one text.
fn protected_state(cairn: &Cairn) -> String {
    let beliefs = cairn.json("beliefs --all");
    let verified = beliefs["beliefs"].as_array().expect("beliefs").iter();
    let verified = verified.filter(|belief| belief["lane"] == "verified").count();
    let keys = cairn.json("key list");
    let operators = keys["keys"].as_array().expect("keys").iter().filter(|key| key["scope"] == "operator");
    let operators: Vec<String> =
        operators.map(|key| format!("{} {}", key["name"], key["revoked_at"])).collect();
    let log = cairn.json("operator log --limit 1000");
    let decided = log["receipts"]
        .as_array()
        .expect("receipts")
        .iter()
        .filter(|receipt| receipt["actor"].as_str().is_some_and(|actor| actor.starts_with("operator:")));
    let (decided, mode) = (decided.count(), cairn.json("operator status")["mode"].to_string());
    let files = [cairn.read("home/config.toml"), cairn.read("home/agents/main/identity/SOUL.md")];
    format!("{verified} {operators:?} {decided} {mode} {files:?}")
}

/// covers: I3, W-155, W-168
#[test]
fn every_command_that_writes_protected_state_asks_for_the_passphrase() {
    let (_, rows) = table(CLI);
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.write("said.jsonl", r#"{"id":"1","role":"user","text":"I live in Oslo."}"#);
    cairn.done("init --no-model");
    cairn.done("remember 'I prefer tea over coffee.' --id tea");
    let kept = cairn.json("remember 'I live in Oslo.' --id oslo");
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    cairn.done("rhythms run beliefs");
    let held = cairn.json("beliefs list");
    let belief = held["beliefs"][0]["ref"].as_str().expect("a belief").to_owned();
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, "key add first --operator");
    let applied = answered(&cairn, "operator apply --mode diagnostic --reason so --yes");
    let receipt = applied["receipt"].as_u64().expect("a number").to_string();
    cairn.done("export out.cairn");
    let listed: BTreeSet<String> = commands(&cairn, "").into_iter().collect();
    assert!(listed.len() > 60, "a walk that sees nothing proves nothing: {listed:?}");
    for name in &listed {
        assert!(rows.contains_key(name.as_str()), "`cairn {name}` is missing from the table");
    }
    let before = protected_state(&cairn);
    for (name, row) in &rows {
        let command = name.split(" --").next().unwrap_or_default();
        assert!(listed.contains(command), "there is no command `{command}`");
        let [needs, line] = row.as_slice() else { panic!("{name}: {row:?}") };
        let line = line.replace("{memory}", &memory).replace("{belief}", &belief);
        let line = line.replace("{receipt}", &receipt).replace("{operators_key}", "first");
        match *needs {
            "apart" => continue,
            "open" => assert!(!cairn.run(&line).stderr.contains(SIGN_IN), "{line}"),
            "passphrase" => {
                let refused = cairn.run(&line);
                let told = refused.code != 0 && refused.stderr.contains(SIGN_IN);
                assert!(told, "{line}: {} {}", refused.code, refused.stderr);
            }
            other => panic!("{name}: {other}"),
        }
        assert_eq!(protected_state(&cairn), before, "`cairn {line}` changed what is protected");
    }
    // Signed in, they do what they say.
    let done = signed_in(&cairn, "key add me --operator");
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_ne!(protected_state(&cairn), before, "a state that never changes proves nothing");
}
