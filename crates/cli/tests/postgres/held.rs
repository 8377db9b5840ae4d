//! Recall of beliefs and digests where agents live on a server.

use crate::{
    postgres::database::Database,
    support::{
        Cairn,
        erasing::{answered, furnished},
    },
};
use serde_json::Value;

/// The ref of a belief about tea, among others that are made here.
fn belief_in_tea(cairn: &Cairn) -> String {
    furnished(cairn);
    let beliefs = cairn.json("beliefs --all");
    let tea = beliefs["beliefs"].as_array().expect("beliefs").iter().find(|it| it["value"] == "tea");
    tea.unwrap_or_else(|| panic!("{beliefs}"))["ref"].as_str().expect("a ref").to_owned()
}

/// covers: W-195, W-196
#[test]
fn a_belief_on_a_server_is_given_to_whom_an_operator_named() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    let tea = &belief_in_tea(&cairn);
    answered(&cairn, &format!("review decide {tea} accept_verified --reason seen --for context_injection"));
    answered(&cairn, "operator apply --mode enforce --reason reviewed --yes");
    let found = cairn.json("recall 'tea over coffee?' --kind belief");
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(0), "{found}");
    let context = cairn.json("context --query 'tea or coffee?'");
    assert_eq!(context["gate"]["let_through"], 1, "{context}");
}

/// covers: K-78, W-162, X-B13, I2
#[test]
fn what_was_verified_or_condensed_is_recalled_on_a_server() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    let tea = &belief_in_tea(&cairn);
    answered(&cairn, &format!("review decide {tea} accept_verified --reason seen"));
    let held = || -> Vec<Value> {
        let found = cairn.json("recall 'tea over coffee, Ankara or Bosch?' --kind memory,belief");
        let hits = found["hits"].as_array().expect("hits").iter();
        hits.filter(|hit| hit["kind"] == "belief").map(|hit| hit["ref"].clone()).collect()
    };
    assert_eq!(held(), [] as [Value; 0], "nothing but in `enforce`");
    answered(&cairn, "operator apply --mode enforce --reason reviewed --yes");
    assert_eq!(held(), [tea.as_str()], "and nothing that nobody has verified");
    let found = cairn.json("recall 'Bosch in Berlin' --kind digest");
    let hit = &found["hits"][0];
    let sources = hit["source_ids"].as_array().expect("ids");
    assert!(hit["kind"] == "digest" && sources.contains(&"m5".into()), "{found}");
    let digest = hit["ref"].as_str().expect("a ref");
    assert!(cairn.json(&format!("open {}", &digest[..12]))["records"][0]["text"] == hit["text"]);
}
