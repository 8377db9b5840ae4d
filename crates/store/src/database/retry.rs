//! Proof that a transaction on a server is run again when that may help, and only then.

use super::{Connection, WhenUnreachable, routing::server, values};
use crate::Result;
use std::sync::{Arc, Barrier};

fn connect() -> Option<Connection> {
    let server = server()?;
    let mut connection = Connection::connect(&server, "one", WhenUnreachable::Fail).expect("connected");
    let slots = "CREATE TABLE slot (agent_id BIGINT, number BIGINT); INSERT INTO slot VALUES (1, 0), (2, 0)";
    connection.script(slots).expect("a table for the test");
    Some(connection)
}

/// covers: X-P3
#[test]
fn what_could_not_be_let_through_is_run_again_and_not_forever() {
    let Some(mut connection) = connect() else { return };
    let refuse = "DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END $$";
    let mut attempts = 0;
    let done = connection.write(|connection| {
        attempts += 1;
        connection.execute("UPDATE slot SET number = number + 1 WHERE agent_id = 1", &[])?;
        if attempts < 4 { connection.script(refuse) } else { Ok(()) }
    });
    assert!(done.is_ok() && attempts == 4);
    let number = connection.first("SELECT number FROM slot WHERE agent_id = 1", &[], |row| row.int(0));
    assert_eq!(number.expect("asked"), Some(1), "what was undone counts nothing");
    let mut attempts = 0;
    let refused = connection.write(|connection| {
        attempts += 1;
        connection.script(refuse)
    });
    assert!(refused.is_err() && attempts == 6, "{attempts}");
    let mut attempts = 0;
    let wrong: Result<()> = connection.write(|connection| {
        attempts += 1;
        connection.script("SELECT nothing FROM nowhere")
    });
    assert!(wrong.is_err() && attempts == 1, "a fault stays a fault");
}

/// covers: I4
#[test]
fn what_was_undone_is_never_said_to_be_done() {
    let Some(mut connection) = connect() else { return };
    let done = connection.write(|connection| {
        connection.execute("UPDATE slot SET number = 7 WHERE agent_id = 1", &[])?;
        // Somebody who does not look at what came of a statement.
        let _ = connection.script("SELECT nothing FROM nowhere");
        Ok(())
    });
    assert!(done.is_err());
    let number = connection.first("SELECT number FROM slot WHERE agent_id = 1", &[], |row| row.int(0));
    assert_eq!(number.expect("asked"), Some(0));
}

/// covers: X-P3
#[test]
fn a_connection_that_is_cut_comes_back_and_knows_its_agent() {
    let Some(mut connection) = connect() else { return };
    let mut attempts = 0;
    let agent = connection.write(|connection| {
        attempts += 1;
        if attempts == 1 {
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())", &[])?;
        }
        connection.first("SELECT current_setting('cairn.agent')", &[], |row| row.text(0))
    });
    assert_eq!((agent.expect("answered").as_deref(), attempts), (Some("one"), 2));
}

/// covers: X-P3
#[test]
fn a_deadlock_reaches_nobody() {
    let Some(mut one) = connect() else { return };
    let server = Arc::clone(one.postgres().expect("a server").shared_server());
    let meet = Arc::new(Barrier::new(2));
    let update = |connection: &mut Connection, rows: [i64; 2], meet: &Barrier| {
        let mut first = true;
        connection.claim(|connection| {
            let sql = "UPDATE slot SET number = number + 1 WHERE agent_id = ?1";
            connection.execute(sql, values![rows[0]])?;
            if std::mem::take(&mut first) {
                meet.wait();
            }
            connection.execute(sql, values![rows[1]])
        })
    };
    let other = {
        let meet = Arc::clone(&meet);
        std::thread::spawn(move || {
            let mut other = Connection::connect(&server, "one", WhenUnreachable::Fail).expect("connected");
            update(&mut other, [2, 1], &meet)
        })
    };
    assert!(update(&mut one, [1, 2], &meet).is_ok());
    assert!(other.join().expect("joined").is_ok());
    let sum = one.first("SELECT CAST(SUM(number) AS BIGINT) FROM slot", &[], |row| row.int(0));
    assert_eq!(sum.expect("asked"), Some(4), "each was done once");
}
