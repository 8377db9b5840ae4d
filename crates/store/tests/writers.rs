//! Two writers on one folder: what each remembers of its last write is worth nothing once the other has written.

use cairn_domain::{Draft, Limits, Message, Role};
use rusqlite::Connection;

mod common;
use common::{now, open, run};

fn message(id: usize, session: &str, role: Role) -> Message {
    let draft = Draft {
        source_id: Some(id.to_string()),
        session: Some(session.to_owned()),
        thread: Some(format!("thread of {session}")),
        ..Draft::new(role, format!("message {id}"))
    };
    draft.settle(now(), &Limits::default()).expect("a message")
}

/// covers: X-P3
#[test]
fn two_writers_by_turns_make_the_same_sessions_as_one() {
    let rows = |turns: &[usize]| {
        let folder = tempfile::tempdir().expect("a folder");
        run(async {
            let writers = [open(folder.path()).await, open(folder.path()).await];
            for (id, turn) in turns.iter().enumerate() {
                let session = ["a", "b", "c"][id % 3];
                let role = if id % 2 == 0 { Role::User } else { Role::Assistant };
                let kept =
                    writers[*turn].append(vec![message(id, session, role)], now()).await.expect("kept");
                assert!(!kept[0].duplicate);
                let again =
                    writers[*turn].append(vec![message(id, session, role)], now()).await.expect("kept");
                assert!(again[0].duplicate);
            }
        });
        let database = Connection::open(folder.path().join("memory.db")).expect("opened");
        let sql = "SELECT seq, source_id, session_id, thread_id, previous_seq, exchange_seq, exchange_index,
                          archive_offset, archive_line FROM message ORDER BY seq";
        let mut statement = database.prepare(sql).expect("sql");
        let column = |row: &rusqlite::Row<'_>, at: usize| format!("{:?}", row.get_ref(at).expect("a column"));
        let row = |row: &rusqlite::Row<'_>| Ok((0..9).map(|at| column(row, at)).collect::<Vec<_>>());
        let rows = statement.query_map([], row).expect("rows");
        rows.map(|row| row.expect("a row")).collect::<Vec<_>>()
    };
    let alone = rows(&[0; 24]);
    assert_eq!(alone.len(), 24);
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..5 {
        let turns: Vec<usize> = (0..24).map(|_| random.usize(..2)).collect();
        assert_eq!(rows(&turns), alone, "{turns:?}");
    }
}
