//! Consumers: the product gives each what the table says.

use super::{PASSPHRASE, as_operator, decide};
use crate::support::Cairn;
use serde_json::{Value, json};

/// A life with a belief in each state that consumers know: their refs, and when to look at them.
fn every_state() -> (Cairn, Vec<(&'static str, &'static str, String)>) {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    for (at, text) in [
        ("2026-11-01T10:00:00Z", "I live in Oslo."),
        ("2026-11-02T10:00:00Z", "I prefer tea over coffee."),
        ("2026-11-03T10:00:00Z", "I prefer tea over coffee."),
        ("2026-11-04T10:00:00Z", "I prefer tea over coffee."),
        ("2026-11-05T10:00:00Z", "I prefer tea over coffee."),
        ("2026-11-06T10:00:00Z", "I work at Bosch."),
    ] {
        cairn.at(at);
        cairn.done(&format!("remember '{text}' --id {} --session s{}", &at[..10], &at[8..10]));
    }
    cairn.done("rhythms run beliefs");
    cairn.at("2026-11-07T10:00:00Z");
    as_operator(&cairn, "operator init");
    let beliefs = cairn.json("beliefs --all")["beliefs"].clone();
    let id = |value: &str| {
        let found = beliefs
            .as_array()
            .expect("beliefs")
            .iter()
            .find(|it| it["value"].as_str().is_some_and(|it| it.contains(value)));
        found.unwrap_or_else(|| panic!("{value}: {beliefs}"))["ref"].as_str().expect("a ref").to_owned()
    };
    let (oslo, tea, bosch) = (id("oslo"), id("tea"), id("bosch"));
    as_operator(&cairn, &format!("review decide {oslo} accept_verified --reason seen"));
    as_operator(&cairn, &format!("review decide {bosch} accept_verified --reason seen"));
    as_operator(&cairn, &format!("review decide {bosch} retract --reason left"));
    as_operator(&cairn, "operator apply --mode enforce --reason seen --yes");
    let (now, later) = ("2026-11-07T10:00:00Z", "2029-11-07T10:00:00Z");
    // The candidate first: promoting and accepting are tried in this order.
    let states = vec![
        ("candidate", now, tea),
        ("verified", now, oslo.clone()),
        ("not_active", now, bosch),
        ("not_fresh", later, oslo),
    ];
    (cairn, states)
}

/// The lane that a belief is in.
fn lane_of(cairn: &Cairn, belief: &str) -> String {
    let all = cairn.json("beliefs --all --limit 100")["beliefs"].clone();
    let found = all.as_array().expect("beliefs").iter().find(|it| it["ref"] == belief);
    found.unwrap_or_else(|| panic!("{belief}: {all}"))["lane"].as_str().expect("a lane").to_owned()
}

/// Whether the product gives a belief to a consumer.
fn product_gives(cairn: &Cairn, consumer: &str, belief: &str) -> bool {
    let question = "where do I live, what do I work and do I prefer tea or coffee";
    let in_recall = || {
        let hits = cairn.json(&format!("recall '{question}' --kind belief --read-only"))["hits"].clone();
        hits.as_array().expect("hits").iter().any(|hit| hit["ref"] == belief)
    };
    let in_context = || {
        let shown = cairn.json(&format!("context --query '{question}' --budget 4000")).to_string();
        shown.contains(&belief[..12])
    };
    match consumer {
        "context_injection" => in_context(),
        "recall" => in_recall(),
        "planning" => in_recall() && in_context(),
        "tool_execution" => {
            decide(cairn, &["--command", "ls", "--authority", belief]).1["decision"]["authority"][0]["authorizes"]
                == true
        }
        "ui_review" => cairn.run(&format!("review show {belief}")).code == 0,
        "approval_gates" => {
            let mut command =
                cairn.command(&format!("--json review decide {belief} accept_verified --reason walk"));
            command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
            let ran = cairn.finish(command, b"");
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
            if ran.code == 0 {
                as_operator(
                    cairn,
                    &format!("review rollback {} --reason walk --yes", answer["receipt"]["number"]),
                );
            }
            ran.code == 0
        }
        "memory_promotion" => {
            let before = lane_of(cairn, belief);
            // Declared once, it stays so.
            let mut declare =
                cairn.command("operator apply --low-risk operator_preference --reason walk --yes");
            declare.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
            cairn.finish(declare, b"");
            cairn.done("rhythms run beliefs");
            before != lane_of(cairn, belief)
        }
        other => panic!("nothing is known about {other}"),
    }
}

/// covers: W-180, W-195, W-196, W-208
#[test]
fn the_product_gives_each_consumer_what_the_table_says() {
    let table = Cairn::new().json("govern consumers")["consumers"].clone();
    let contracts = table.as_array().expect("consumers");
    let names: Vec<&str> = contracts.iter().map(|it| it["consumer"].as_str().expect("a name")).collect();
    assert_eq!(
        names.join(" "),
        "context_injection recall planning tool_execution memory_promotion ui_review approval_gates"
    );
    let (cairn, states) = every_state();
    // Accepting and promoting change what is looked at: last.
    let changing = ["memory_promotion", "approval_gates"];
    let looking =
        contracts.iter().filter(|it| !changing.contains(&it["consumer"].as_str().unwrap_or_default()));
    let deciding = contracts.iter().filter(|it| it["consumer"] == "memory_promotion");
    for contract in looking.chain(deciding) {
        let consumer = contract["consumer"].as_str().expect("a name");
        for (state, at, belief) in &states {
            cairn.at(at);
            let may = contract["may_consume"].as_array().expect("states").contains(&json!(state));
            assert_eq!(product_gives(&cairn, consumer, belief), may, "{consumer} and {state}");
        }
    }
    let (cairn, states) = every_state();
    let gates = contracts.iter().find(|it| it["consumer"] == "approval_gates").expect("a row");
    for (state, at, belief) in &states {
        cairn.at(at);
        let may = gates["may_consume"].as_array().expect("states").contains(&json!(state));
        assert_eq!(product_gives(&cairn, "approval_gates", belief), may, "approval_gates and {state}");
    }
    let (cairn, _) = every_state();
    let gate = cairn.json("context --query tea")["gate"].clone();
    assert!(gate["left_out"]["candidate"].as_u64() >= Some(1), "candidates are counted: {gate}");
    let page = include_str!("../../../../docs/govern.md");
    for contract in contracts {
        let words = |name: &str| {
            let all: Vec<&str> =
                contract[name].as_array().expect("words").iter().filter_map(Value::as_str).collect();
            if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
        };
        let row = format!(
            "| {} | {} | {} | {} |",
            contract["consumer"].as_str().expect("a name"),
            words("may_consume"),
            words("must_check"),
            words("never_accepts")
        );
        assert!(page.contains(&row), "docs/govern.md lacks\n{row}");
    }
}

/// covers: W-197
#[test]
fn candidates_and_claims_to_verify_again_are_seen_in_recall_and_review_and_stay_out_of_prompts() {
    let (cairn, states) = every_state();
    for (state, words) in [("candidate", "tea over coffee"), ("not_fresh", "live in Oslo")] {
        let (_, at, belief) = states.iter().find(|(name, ..)| *name == state).expect("a state");
        cairn.at(at);
        let found = cairn.json(&format!("recall '{words}' --read-only"))["hits"].to_string();
        assert!(found.contains(words), "{state}: what it rests on is found: {found}");
        let waiting = cairn.json("review list --all").to_string();
        assert!(waiting.contains(belief), "{state}: {waiting}");
        assert_eq!(cairn.run(&format!("review show {belief}")).code, 0);
        let context = cairn.json(&format!("context --query '{words}' --budget 4000"));
        assert!(!context.to_string().contains(&belief[..12]), "{state}: {context}");
        assert!(context["gate"]["left_out"][state].as_u64() >= Some(1), "{state}: {context}");
        assert!(
            !context["text"].as_str().expect("a block").contains("left_out"),
            "it is left out in silence"
        );
    }
}

/// Whether the product gives a consumer what was said, what a session left or what was permitted; each known by words of its own.
fn product_gives_words(cairn: &Cairn, consumer: &str, state: &str, record: &str, words: &str) -> bool {
    let question = format!("context --thread home --session later --budget 4000 --query 'what of {words}?'");
    let in_recall =
        || cairn.json(&format!("recall 'what of {words}?' --read-only"))["hits"].to_string().contains(words);
    let in_context = || cairn.json(&question)["text"].as_str().expect("a text").contains(words);
    match consumer {
        "context_injection" => in_context(),
        "recall" => in_recall(),
        "planning" => in_recall() && in_context(),
        "tool_execution" => {
            let standing = decide(cairn, &["--command", "make deploy", "--authority", record]).1;
            let all = standing["decision"]["authority"].as_array().cloned().unwrap_or_default();
            all.iter().any(|it| it["ref"] == record && it["authorizes"] == true)
        }
        "memory_promotion" => {
            cairn.done("rhythms run beliefs");
            let beliefs = cairn.json("beliefs --all --limit 100")["beliefs"].clone();
            let verified = |it: &Value| it["lane"] == "verified" && it["summary"].to_string().contains(words);
            beliefs.as_array().expect("beliefs").iter().any(verified)
        }
        "ui_review" => match state {
            "memory" => cairn.json(&format!("memories show {record}")).to_string().contains(words),
            "handoff" => cairn.json("handoff show --thread home").to_string().contains(words),
            _ => cairn.json("govern leases").to_string().contains(words),
        },
        "approval_gates" => {
            let mut review =
                cairn.command_of(&["review", "decide", record, "accept_verified", "--reason", "walk"]);
            review.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
            cairn.finish(review, b"").code == 0
        }
        other => panic!("nothing is known about {other}"),
    }
}

/// A memory, a handoff and a lease are no beliefs, and each goes where the table says.
///
/// covers: W-195, W-198, W-200, W-201
#[test]
fn what_is_no_belief_goes_where_the_table_says_too() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    cairn.write(
        "home/govern.toml",
        "[[rule]]\ncommand = \"make deploy\"\nmode = \"approve\"\nreason = \"so\"\n",
    );
    cairn.at("2026-11-06T10:00:00Z");
    cairn.done("init --no-model");
    cairn.done("remember 'The gauge at Skagen drifts by two centimetres.' --session s1 --thread home");
    cairn.done("remember 'We decided to repaint the lighthouse in ochre.' --session s1 --thread home");
    cairn.done("handoff write");
    cairn.at("2026-11-07T10:00:00Z");
    as_operator(&cairn, "operator init");
    as_operator(&cairn, "operator apply --mode enforce --reason seen --yes");
    as_operator(&cairn, "operator apply --low-risk operator_preference --reason seen --yes");
    as_operator(
        &cairn,
        "operator lease release --objective 'publish quinoa' --command 'make deploy' --until 2026-12-01 --actions 9 --reason so --yes",
    );
    let memories = cairn.json("memories list")["memories"].clone();
    let gauge =
        memories.as_array().expect("memories").iter().find(|it| it["text"].to_string().contains("Skagen"));
    let memory = gauge.expect("it is remembered")["ref"].as_str().expect("a ref").to_owned();
    let table = cairn.json("govern consumers")["consumers"].clone();
    for contract in table.as_array().expect("consumers") {
        let consumer = contract["consumer"].as_str().expect("a name");
        for (state, record, words) in [
            ("memory", memory.as_str(), "Skagen"),
            ("handoff", "handoff/home", "ochre"),
            ("lease", "lease/release", "quinoa"),
        ] {
            let may = contract["may_consume"].as_array().expect("states").contains(&json!(state));
            let given = product_gives_words(&cairn, consumer, state, record, words);
            assert_eq!(given, may, "{consumer} and {state}");
        }
    }
}
