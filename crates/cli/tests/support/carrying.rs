//! An operator's decisions on their way to another home: one story, told of folders and of a server.

use super::{
    Cairn,
    erasing::{answered, furnished, signed_in},
};
use serde_json::Value;

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

/// The ref of the belief that says this.
fn held(cairn: &Cairn, agent: &str, value: &str) -> Value {
    let beliefs = cairn.json(&format!("--agent {agent} beliefs"));
    let found = beliefs["beliefs"].as_array().expect("beliefs").iter().find(|it| it["value"] == value);
    found.unwrap_or_else(|| panic!("{value}: {beliefs}")).clone()
}

/// A bundle brings no decision with it, unless an operator signs in and answers for it.
pub(crate) fn decisions_come_with_an_operator_alone(there: &Cairn, here: &Cairn) {
    furnished(there);
    let tea = held(there, "main", "tea")["ref"].as_str().expect("a ref").to_owned();
    let bosch = held(there, "main", "bosch")["ref"].as_str().expect("a ref").to_owned();
    answered(there, &format!("review decide {tea} accept_verified --reason seen"));
    answered(there, &format!("review decide {bosch} defer --reason 'ask first' --until 2027-01-01"));
    answered(there, "operator apply --mode enforce --reason reviewed --yes");
    here.write("home/config.toml", CONFIG);
    here.write("main.cairn", there.done("export").stdout);
    here.at("2026-11-05T10:00:00Z");

    let plain = here.json("--agent plain import main.cairn");
    let decided = &plain["decided"];
    assert_eq!((&plain["memories"], &decided["taken_over"]), (&true.into(), &false.into()), "{plain}");
    for (what, count) in [("verified", 1), ("settings", 1), ("put_off", 1)] {
        assert_eq!(decided[what], count, "{what}: {plain}");
    }
    let candidate = held(here, "plain", "tea");
    assert_eq!((&candidate["ref"], &candidate["lane"]), (&tea.as_str().into(), &"candidate".into()));
    assert_eq!(candidate["confidence_parts"]["operator_confirmed"], false, "{candidate}");
    let of = |belief: &Value| belief["confidence"].as_f64().expect("a number");
    assert!(of(&candidate) < of(&held(there, "main", "tea")), "nobody's word is left: {candidate}");
    assert_eq!(here.json("--agent plain operator status")["mode"], "observe");
    let recalled = here.json("--agent plain recall 'tea or coffee?' --kind belief");
    assert_eq!(recalled["hits"].as_array().map(Vec::len), Some(0), "{recalled}");
    let waiting = here.json("--agent plain review list").to_string();
    assert!(waiting.contains(&tea) && waiting.contains(&bosch), "{waiting}");
    let log = here.json("--agent plain operator log --limit 1");
    let receipt = &log["receipts"][0];
    assert_eq!((&receipt["action"], &receipt["actor"]), (&"import".into(), &"import".into()), "{log}");
    assert_eq!(receipt["number"], decided["receipt"], "{log}");
    here.done("--agent plain rhythms run beliefs");
    assert_eq!(held(here, "plain", "tea")["lane"], "candidate");
    let verified = here.json("--agent plain verify");
    assert_eq!(verified["ok"], true, "{verified}");

    let line = "--agent moved import main.cairn --as-operator --reason 'moved here'";
    assert_eq!(here.run(line).code, 1, "nobody is an operator here yet");
    assert_eq!(signed_in(here, "operator init").code, 0);
    assert_eq!(here.run(line).code, 1, "and nobody has signed in");
    assert_eq!(here.run("--agent moved stats").code, 1, "nothing was taken in");
    for wrong in ["import main.cairn --as-operator", "import main.cairn --reason x"] {
        assert_eq!(here.run(wrong).code, 2, "{wrong}");
    }
    let moved = answered(here, line);
    assert_eq!((&moved["decided"]["taken_over"], &moved["decided"]["verified"]), (&true.into(), &1.into()));
    assert_eq!(here.json("--agent moved beliefs --all"), there.json("beliefs --all"));
    assert_eq!(here.json("--agent moved operator status")["mode"], "enforce");
    let log = here.json("--agent moved operator log --limit 1");
    let receipt = &log["receipts"][0];
    assert_eq!((&receipt["action"], &receipt["reason"]), (&"import".into(), &"moved here".into()), "{log}");
    assert!(receipt["actor"].as_str().is_some_and(|actor| actor.starts_with("operator:")), "{log}");
    let recalled = here.json("--agent moved recall 'tea or coffee?' --kind belief");
    assert_eq!(recalled["hits"][0]["ref"], tea, "{recalled}");
    let verified = here.json("--agent moved verify");
    assert_eq!(verified["ok"], true, "{verified}");
    // A candidate here is decided about as any other.
    answered(here, &format!("--agent plain review decide {tea} accept_verified --reason 'seen here'"));
    assert_eq!(here.json("--agent plain verify")["ok"], true);
    // What has a ledger of its own keeps it, and its mode.
    here.done("--agent own init --no-model");
    answered(here, "--agent own operator apply --mode diagnostic --reason careful --yes");
    let own = answered(here, "--agent own import main.cairn --as-operator --reason 'moved here'");
    assert_eq!((&own["memories"], &own["decided"]), (&false.into(), &Value::Null), "{own}");
    assert_eq!(here.json("--agent own operator status")["mode"], "diagnostic");
    assert_eq!(here.json("--agent own verify")["ok"], true);
}
