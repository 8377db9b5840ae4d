//! Peers: another home is asked over HTTP, in its time, and left out where it is away.

use crate::{
    serve::world::Server,
    support::{
        Cairn,
        erasing::{answered, signed_in},
    },
};
use serde_json::Value;
use std::{net::TcpListener, time::Instant};

/// A home whose server knows about a kiln, and the key of its agent.
fn studio() -> (Cairn, Server, String) {
    let studio = Cairn::new();
    studio.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    studio.done("remember 'The kiln at the studio fires at 1240 degrees.' --thread kiln");
    assert_eq!(signed_in(&studio, "operator init").code, 0);
    let key = answered(&studio, "key add reader --for main")["secret"].as_str().expect("a key").to_owned();
    let server = Server::start(&studio);
    (studio, server, key)
}

/// A home that asks the studio.
fn reader(url: &str) -> Cairn {
    let reader = Cairn::new();
    let peer = format!(
        "[embedder]\nkind = \"none\"\n[[peer]]\nname = \"studio\"\nurl = \"{url}\"\nkey_env = \"STUDIO_KEY\"\nwithin_ms = 2000\n"
    );
    reader.write("home/config.toml", peer);
    reader.done("remember 'The kiln at home is cold.' --thread kiln");
    reader
}

fn recall(reader: &Cairn, key: &str) -> Value {
    let mut command = reader.command("--json recall 'how hot does the kiln fire?'");
    command.env("STUDIO_KEY", key);
    let ran = reader.finish(command, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// The hits that are the studio's.
fn of_studio(answer: &Value) -> Vec<&Value> {
    answer["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .filter(|hit| hit["vicarious"]["owner"] == "studio")
        .collect()
}

/// covers: C-241, C-248
#[test]
fn a_peer_is_asked_and_what_it_gives_stays_its_own() {
    let (studio, mut server, key) = studio();
    let reader = reader(&server.url);
    let answer = recall(&reader, &key);
    let found = of_studio(&answer);
    assert_eq!(found.len(), 1, "{answer}");
    let reference = found[0]["ref"].as_str().expect("a ref").to_owned();
    assert!(
        reference.starts_with("studio/mem_") && found[0]["text"].to_string().contains("1240"),
        "{answer}"
    );
    assert_eq!(found[0]["vicarious"]["trust"], 0.5);
    assert!(answer["hits"].to_string().contains("is cold"), "one's own is there too: {answer}");
    let kept = studio.json("memories list")["memories"].clone();
    assert!(kept.as_array().expect("memories").iter().all(|it| it["accesses"] == 0), "{kept}");
    assert_eq!(reader.json("stats")["memories"], 1, "nothing is copied");
    assert_eq!(reader.run(&format!("open {}", reference.trim_start_matches("studio/"))).code, 1);

    let trust = reader.json(&format!("govern trust {reference} contradicted"))["trust"].clone();
    assert_eq!(trust, 0.4);
    assert_eq!(of_studio(&recall(&reader, &key))[0]["vicarious"]["trust"], 0.4);
    let listed = reader.json("govern sharing")["peers"][0].clone();
    assert_eq!((&listed["name"], &listed["trust"]), (&"studio".into(), &trust), "{listed}");

    let refused = recall(&reader, "another key");
    assert_eq!((of_studio(&refused).len(), &refused["away"][0]), (0, &"studio".into()), "{refused}");
    server.kill();
    let away = recall(&reader, &key);
    assert_eq!(away["away"][0], "studio", "{away}");
    assert!(away["hits"].to_string().contains("is cold"), "it is answered without: {away}");
}

/// covers: C-248
#[test]
fn a_peer_that_hangs_costs_its_time_and_no_more() {
    let hanging = TcpListener::bind("127.0.0.1:0").expect("bound");
    let reader = reader(&format!("http://{}", hanging.local_addr().expect("an address")));
    let begun = Instant::now();
    let answer = recall(&reader, "key");
    assert_eq!(answer["away"][0], "studio", "{answer}");
    assert!(answer["hits"].to_string().contains("is cold") && begun.elapsed().as_secs() < 20, "{answer}");
    for (wrong, problem) in [
        ("name = \"a\"\nurl = \"here\"", "url"),
        ("name = \"a\"\nurl = \"http://key@host\"", "key_env"),
        ("name = \"a\"\nurl = \"http://host\"\ntrust_at_most = 2.0", "trust_at_most"),
        ("name = \"a\"\nurl = \"http://host\"\nwithin_ms = 0", "within_ms"),
    ] {
        reader.write("home/config.toml", format!("[[peer]]\n{wrong}\n"));
        let ran = reader.run("recall kiln");
        assert!(ran.code == 1 && ran.stderr.contains(problem), "{wrong}: {}", ran.stderr);
    }
}

/// Two homes that ask each other, here one that asks itself.
///
/// covers: C-248
#[tokio::test(flavor = "multi_thread")]
async fn homes_that_ask_each_other_do_not_go_round() {
    let free = TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("an address").port();
    let home = reader(&format!("http://127.0.0.1:{free}"));
    let server = Server::start_with(home.command(&format!("--json serve --port {free}")));
    let question = serde_json::json!({"query": "is the kiln cold?"});
    let answer = server.post("/v1/agents/main/recall", &question).await.ok();
    assert_eq!(answer["away"].as_array().map_or(0, Vec::len), 0, "{answer}");
    assert_eq!(of_studio(&answer).len(), 1, "asked once: {answer}");
}
