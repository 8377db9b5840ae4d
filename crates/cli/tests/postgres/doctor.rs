//! `cairn doctor`, `init` and `config show` on a server: in order, empty, and with everything wrong that an address can
//! have.

use crate::{
    postgres::database::{Database, Session, address, administered},
    support::{Cairn, Ran},
};
use serde_json::Value;
use std::{net::TcpListener, process::Stdio, thread, time::Duration};

/// The password of every address here. None of the words below has it in it.
const PASSWORD: &str = "hush-hush";

fn cairn(url: &str) -> Cairn {
    let cairn = Cairn::new().with_database(url);
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn
}

/// Everything it said, which must hold no password.
fn discreet(ran: &Ran) -> String {
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!said.contains("hush"), "{said}");
    said
}

/// The doctor's exit code and the health of each check, in order.
fn healths(cairn: &Cairn) -> (i32, Vec<String>) {
    let ran = cairn.run("--json doctor");
    let answer: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    assert_eq!(answer["ok"], ran.code == 0, "{answer}");
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let health = |check: &Value| format!("{} {}", text(check, "check"), text(check, "health"));
    (ran.code, answer["checks"].as_array().expect("checks").iter().map(health).collect())
}

const IN_ORDER: [&str; 12] = [
    "home good",
    "server good",
    "extension good",
    "schema good",
    "indexes good",
    "settings good",
    "pool good",
    "walls good",
    "language model good",
    "agent good",
    "archive good",
    "vectors good",
];

/// covers: C-157, X-P3
#[test]
fn a_database_in_order_is_found_in_order() {
    let Some(database) = Database::new() else { return };
    let cairn = cairn(&database.url_for(&format!("cairn:{PASSWORD}")));
    cairn.done("init --no-model");
    cairn.done("remember 'The atlas is overdue.'");
    let (code, checks) = healths(&cairn);
    assert_eq!((code, checks), (0, IN_ORDER.map(str::to_owned).to_vec()));
    for line in ["doctor", "doctor --fix", "config show", "--json config show", "init", "agents"] {
        let ran = cairn.run(line);
        discreet(&ran);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
}

/// The doctor of an empty database says what to do, and makes nothing.
///
/// covers: C-157, X-P3
#[test]
fn an_empty_database_is_looked_at_and_left_as_it_is() {
    let Some(database) = Database::new() else { return };
    let cairn = cairn(database.url());
    for line in ["doctor", "doctor --fix"] {
        let ran = cairn.run(line);
        assert_eq!((ran.code, ran.stdout.contains("run `cairn init`")), (1, true), "{}", ran.stdout);
    }
    for line in ["recall atlas", "stats", "timeline", "export", "verify"] {
        let ran = cairn.run(line);
        assert_eq!(
            (ran.code, ran.stderr.contains("\nhint: there is no agent here yet")),
            (1, true),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(cairn.json("agents")["agents"].as_array().map(Vec::len), Some(0));
    let made =
        "SELECT COUNT(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')";
    assert_eq!(Session::open(database.url()).value(made), "0");
    cairn.done("init --no-model");
    assert_eq!(healths(&cairn), (0, IN_ORDER.map(str::to_owned).to_vec()));
}

/// Whoever is above the walls is told so.
///
/// covers: C-157, I10
#[test]
fn an_administrator_is_told_that_no_wall_holds_them() {
    let Some(server) = administered() else { return };
    let database = Database::beside(server.url());
    let cairn = cairn(&database.url_for("postgres"));
    cairn.done("init --no-model");
    let (code, checks) = healths(&cairn);
    assert_eq!((code, checks.contains(&"walls warning".to_owned())), (0, true), "{checks:?}");
    Session::open(&database.url_for("postgres")).done("ALTER TABLE message DISABLE ROW LEVEL SECURITY");
    let (code, checks) = healths(&cairn);
    assert_eq!((code, checks.contains(&"walls bad".to_owned())), (1, true), "{checks:?}");
}

/// A port at which nobody answers.
fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Every command says what is wrong with an address, and what to do about it.
fn refused(url: &str, problem: &str, hint: &str) {
    let cairn = cairn(url);
    let said = discreet(&cairn.run("doctor"));
    assert!(said.contains(problem), "{problem} is not in {said}");
    assert_eq!(cairn.run("doctor").code, 1);
    for line in ["remember 'The atlas is overdue.'", "init --no-model", "ingest -"] {
        let ran = cairn.run(line);
        let said = discreet(&ran);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{line}: {said}");
        assert!(said.starts_with("error: ") && said.contains(problem), "{line}: {problem} is not in {said}");
        assert!(said.contains(&format!("\nhint: {hint}")), "{line}: {hint} is not in {said}");
    }
    for line in ["config show", "--json config show"] {
        let ran = cairn.run(line);
        discreet(&ran);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

/// covers: C-157, X-P3
#[test]
fn whatever_is_wrong_with_an_address_is_said_with_a_hint() {
    let Some(server) = administered() else { return };
    let url = server.url();
    let with_password =
        |user: &str, database: &str| address(url, Some(&format!("{user}:{PASSWORD}")), database);
    let nobody = format!("postgres://cairn:{PASSWORD}@127.0.0.1:{}/cairn", closed_port());
    refused(&nobody, "Connection refused", "check that the database server is running");
    refused(
        &with_password("nobody", "cairn"),
        "role \"nobody\" does not exist",
        "check the user and password",
    );
    refused(
        &with_password("cairn", "nowhere"),
        "database \"nowhere\" does not exist",
        "create the database first",
    );

    let administrator = Session::open(&address(url, Some("postgres"), "postgres"));
    administrator.done("CREATE ROLE careful LOGIN PASSWORD 'another'");
    let rules = administrator.value("SHOW hba_file");
    administrator.done(&format!(
        "COPY (SELECT unnest(ARRAY['host all careful 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 trust']))
         TO '{rules}'"
    ));
    administrator.done("SELECT pg_reload_conf()");
    // The server reads its rules in its own time.
    let wrong = with_password("careful", "cairn");
    let is_refused = |_: i32| {
        thread::sleep(Duration::from_millis(20));
        cairn(&wrong).run("agents").code != 0
    };
    assert!((0..200).any(is_refused), "the server does not read its rules");
    refused(&wrong, "password authentication failed for user \"careful\"", "check the user and password");
    let ran = cairn(&address(url, Some("careful:another"), "cairn")).run("agents");
    assert_eq!(ran.code, 0, "the right password is taken: {}", ran.stderr);
}

/// covers: C-157, X-P3
#[test]
fn a_database_without_the_extension_says_who_can_add_it() {
    let Some(server) = administered() else { return };
    let database = Database::bare(&server);
    let url = database.url_for(&format!("cairn:{PASSWORD}"));
    refused_without_extension(&url);
    Session::open(&database.url_for("postgres")).done("CREATE EXTENSION vector");
    let cairn = cairn(&url);
    cairn.done("init --no-model");
    assert_eq!(healths(&cairn), (0, IN_ORDER.map(str::to_owned).to_vec()));
}

fn refused_without_extension(url: &str) {
    let cairn = cairn(url);
    let said = discreet(&cairn.run("doctor"));
    assert!(said.contains("run `CREATE EXTENSION vector` as an administrator"), "{said}");
    let (code, checks) = healths(&cairn);
    assert_eq!((code, checks.contains(&"extension bad".to_owned())), (1, true), "{checks:?}");
    for line in ["remember 'The atlas is overdue.'", "init --no-model"] {
        let ran = cairn.run(line);
        let said = discreet(&ran);
        assert_eq!(ran.code, 1, "{said}");
        assert!(said.contains("the extension `vector` is not in this database"), "{said}");
        assert!(said.contains("\nhint: ask an administrator"), "{said}");
    }
}

/// covers: C-157
#[test]
fn no_form_of_an_address_shows_its_password() {
    let Some(database) = Database::new() else { return };
    let url = database.url();
    let and = if url.contains('?') { '&' } else { '?' };
    for url in [
        database.url_for(&format!("cairn:{PASSWORD}")),
        database.url_for(&format!("cairn:%20{PASSWORD}%40")),
        format!("{url}{and}password={PASSWORD}"),
        format!("{url}{and}application_name=x&password={PASSWORD}&connect_timeout=5"),
    ] {
        let cairn = Cairn::new();
        cairn.write("home/config.toml", format!("[embedder]\nkind = \"none\"\n\n[store]\nurl = {url:?}\n"));
        for line in [
            "config show",
            "--json config show",
            "init --no-model",
            "doctor",
            "agents",
            "--json init --no-model",
        ] {
            let ran = cairn.run(line);
            let said = discreet(&ran);
            assert_eq!(ran.code, 0, "{line}: {said}");
        }
    }
}

/// covers: C-157
#[test]
fn no_odd_form_of_an_address_shows_its_password() {
    let Some(database) = Database::new() else { return };
    let url = database.url();
    let and = if url.contains('?') { '&' } else { '?' };
    for url in [
        format!("{}{and}password={PASSWORD}", database.url_for("cairn:short")),
        format!("{url}{and}password=at@{PASSWORD}"),
        format!("{url}{and}passw%6Frd={PASSWORD}"),
    ] {
        discreet(&cairn(&url).run("config show"));
    }
}

/// covers: C-157, X-P3
#[test]
fn many_may_be_the_first_on_an_empty_database() {
    for _ in 0..3 {
        let Some(database) = Database::new() else { return };
        let cairn = cairn(database.url());
        let start = |agent: usize| {
            // Two of each, so that they also make the same agent at once.
            let mut command = cairn.command(&format!("--agent a{} init --no-model", agent % 4));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cairn starts")
        };
        let running: Vec<_> = (0..8).map(start).collect();
        for child in running {
            let output = child.wait_with_output().expect("cairn ends");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(cairn.json("agents")["agents"].as_array().map(Vec::len), Some(4));
        cairn.done("--agent a0 init --no-model");
        for agent in ["a0", "a3"] {
            assert_eq!(cairn.json(&format!("--agent {agent} doctor"))["ok"], true);
        }
    }
}
