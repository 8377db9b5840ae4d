//! Erasing where the message table is the archive.

use crate::{
    postgres::database::{Database, Session},
    support::{
        Cairn,
        erasing::{answered, furnished, gone, what_is_erased_stays_erased},
    },
};

/// covers: X-P5, I4, I7, X-B4
#[test]
fn what_is_erased_stays_erased_on_a_server() {
    let Some(database) = Database::new() else { return };
    what_is_erased_stays_erased(&Cairn::new().with_database(database.url()));
}

/// The remaining messages move up, as if the rest had never been said; the guards hold again as soon as it is done.
///
/// covers: X-P5, X-P3, I10
#[test]
fn what_stays_moves_up_and_is_guarded_again() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    furnished(&cairn);
    answered(&cairn, "erase --before 2026-11-03T10:00:10Z --yes --reason 'kept long enough'");
    gone(&cairn);
    let session = Session::open(database.url());
    session.done("SET cairn.agent = 'main'");
    let seqs = session.done("SELECT seq, previous_seq, exchange_seq FROM message ORDER BY seq").rows;
    assert_eq!(seqs.len(), 3, "{seqs:?}");
    assert_eq!(session.value("SELECT STRING_AGG(seq::text, ' ' ORDER BY seq) FROM message"), "0 1 2");
    assert_eq!(session.value("SELECT COUNT(*) FROM erasing"), "0");
    for sql in [
        "UPDATE message SET seq = seq + 100",
        "DELETE FROM message",
        "DELETE FROM memory",
        "DELETE FROM evidence",
        "DELETE FROM receipt_detail",
        "DELETE FROM tombstone",
        "UPDATE tombstone SET reason = ''",
    ] {
        session.ask(sql).expect_err(sql);
    }
    // A table that the asker calls `erasing` is not the one that the guards look at.
    session.done("CREATE TEMP TABLE erasing AS SELECT agent_id, 'message' AS kind, '*' AS item FROM message");
    session.done("INSERT INTO pg_temp.erasing SELECT agent_id, 'memory', number::text FROM memory");
    session.ask("UPDATE message SET seq = seq + 100").expect_err("guarded");
    session.ask("DELETE FROM memory_revision").expect_err("guarded");
}
