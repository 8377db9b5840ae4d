//! Two writers on one folder: what each remembers of its last write is worth nothing once the other has written. One of them
//! also writes while it decides on something else.

use cairn_domain::{Draft, Message, MessageLimits, Role};
use cairn_store::{Appended, Store};
use rusqlite::Connection;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crate::common::{now, open, run};

fn message(id: usize, session: &str, role: Role) -> Message {
    let draft = Draft {
        source_id: Some(id.to_string()),
        session: Some(session.to_owned()),
        thread: Some(format!("thread of {session}")),
        ..Draft::new(role, format!("message {id}"))
    };
    draft.into_message(now(), &MessageLimits::default()).expect("a message")
}

/// The first writer, while it studies.
const STUDYING: usize = 2;

async fn append(writers: &[Store; 2], turn: usize, message: Message) -> Appended {
    let kept = match turn {
        // Nobody who writes waits for who studies: this would never end.
        STUDYING => {
            let write = || run(writers[0].append(vec![message.clone()], now()));
            let study = writers[0].read_on_writer(|view| {
                let before = view.next_seq()?;
                let kept = thread::scope(|scope| scope.spawn(write).join().expect("written"))?;
                assert_eq!(view.next_seq()?, before, "one unchanging view");
                Ok(kept)
            });
            study.await
        }
        writer => writers[writer].append(vec![message], now()).await,
    };
    kept.expect("kept").remove(0)
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
                assert!(!append(&writers, *turn, message(id, session, role)).await.duplicate);
                assert!(append(&writers, *turn, message(id, session, role)).await.duplicate);
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
        let turns: Vec<usize> = (0..24).map(|_| random.usize(..=STUDYING)).collect();
        assert_eq!(rows(&turns), alone, "{turns:?}");
    }
}

#[test]
fn what_breaks_off_in_the_middle_hinders_nobody_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = run(open(folder.path()));
    let broken = catch_unwind(AssertUnwindSafe(|| {
        run(store
            .read_on_writer(|view| -> cairn_store::Result<()> { panic!("at message {}", view.next_seq()?) }))
    }));
    assert!(broken.is_err());
    let kept = run(store.append(vec![message(1, "a", Role::User)], now())).expect("kept");
    assert!(!kept[0].duplicate);
    assert_eq!(run(store.read_on_writer(|view| view.next_seq())).expect("read"), 1);
}
