//! A test's own PostgreSQL server: it answers, crashes, comes back at its place, and is gone in the end.

use cairn_testkit::postgres::TestPostgresServer;
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

/// Whether a server at the URL lets the role `cairn` into the database `cairn`: PostgreSQL's first message, with
/// protocol 3.0, and whether the answer is "R", authentication, with the number 0, success.
fn lets_in(url: &str) -> bool {
    let address = url.strip_prefix("postgres://cairn@").and_then(|rest| rest.strip_suffix("/cairn"));
    let Ok(mut server) = TcpStream::connect(address.expect("the URL of the database")) else { return false };
    let body = b"\0\x03\0\0user\0cairn\0database\0cairn\0\0";
    let length = (body.len() as u32 + 4).to_be_bytes();
    let mut answer = [0; 9];
    server.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    server.write_all(&[&length[..], body].concat()).expect("sent");
    server.read_exact(&mut answer).expect("an answer");
    answer == *b"R\0\0\0\x08\0\0\0\0"
}

#[test]
fn a_server_comes_back_after_a_crash_and_is_gone_in_the_end() {
    let Some(server) = TestPostgresServer::start() else { return };
    let url = server.url().to_owned();
    assert!(lets_in(&url), "started");
    for _ in 0..2 {
        server.kill();
        assert!(!lets_in(&url), "crashed");
        server.start_again();
        assert!(lets_in(&url), "started again");
    }
    drop(server);
    assert!(!lets_in(&url), "stopped");
}

#[test]
fn a_crash_of_one_server_leaves_others_alone() {
    let (Some(one), Some(other)) = (TestPostgresServer::start(), TestPostgresServer::start()) else { return };
    one.kill();
    assert!(!lets_in(one.url()));
    assert!(lets_in(other.url()));
}
