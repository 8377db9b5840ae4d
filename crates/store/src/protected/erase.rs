//! Erasing: words and everything that was made of them, in one transaction with the tombstones and the receipt. `finish` does
//! the rest right after it.

use super::{
    copies::copies,
    finish::THE_REST,
    grown::delete_grown,
    lines,
    mark::{Mark, Marks},
    reach::{Erasure, Reach, Words},
    relocate,
};
use crate::{
    Result, Store,
    context::StoreContext,
    database::values,
    maintenance::rebuild,
    record::{
        ErasedTurns, MEMORY, STANDING, bump_epoch, bump_memory_version, clear_handoffs, delete_all_standing,
        delete_attachment, delete_dynamics, delete_entropy, delete_intentions, delete_standing_of,
        delete_turns, insert_receipt, ledger_end, memory_state, message_at, reconsider,
    },
    transaction::Tx,
};
use cairn_domain::{MessageId, Receipt, ReceiptAction, ReceiptDetail, Time, WriteSource, to_hex};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Who does something that is protected, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// Who, as receipts name them.
    pub actor: String,
    /// Why.
    pub reason: String,
}

/// Everything that erasing some words would delete, and the copies in the home of the agent whose folder this is. Changes
/// nothing.
pub async fn plan_erasure(store: &Store, folder: &Path, words: Words) -> Result<(Erasure, Vec<PathBuf>)> {
    let plan = store.read(move |view| Ok(Reach::of(view, &words)?.told())).await?;
    if plan.is_nothing() {
        return Ok((plan, Vec::new()));
    }
    let gone: BTreeSet<MessageId> = plan.messages.iter().copied().collect();
    let copies = copies(folder, &|id| gone.contains(&id))?;
    Ok((plan, copies))
}

/// Takes words away for good, and everything that was made of them, with the copies in the home.
pub async fn erase(
    store: &Store,
    folder: &Path,
    words: Words,
    by: Authority,
    now: Time,
) -> Result<(Erasure, Vec<PathBuf>)> {
    let shared = Arc::clone(&store.context);
    let work = move |tx: &mut Tx<'_>| take(tx, &shared, &words, &by, now);
    let erased = store.writer.run_durably(work).await?;
    let copies = if erased.receipt.is_some() { store.finish_erasure(folder, now).await? } else { Vec::new() };
    Ok((erased, copies))
}

/// Deletes everything that was noted of where the user stands, with a receipt; how many rows. The receipt also keeps it from
/// being noted again when those words are formed anew.
pub async fn erase_standing(store: &Store, by: Authority, now: Time) -> Result<usize> {
    let work = move |tx: &mut Tx<'_>| {
        let rows = delete_all_standing(tx)?;
        let told = ReceiptDetail {
            was: format!("{rows} rows"),
            becomes: "erased".to_owned(),
            reason: by.reason.clone(),
            undo: String::new(),
        };
        let (action, actor) = (ReceiptAction::Erase, by.actor.clone());
        let receipt = Receipt { number: 0, at: now, actor, action, subject: STANDING.to_owned(), told };
        let mut end = ledger_end(tx)?;
        insert_receipt(tx, &mut end, receipt)?;
        Ok(rows)
    };
    let rows = store.writer.run_durably(work).await?;
    store.keep_beside().await;
    // What was given up is still somewhere in the file until it is written anew.
    store.reclaim_space().await?;
    Ok(rows)
}

fn take(tx: &mut Tx<'_>, shared: &StoreContext, words: &Words, by: &Authority, now: Time) -> Result<Erasure> {
    let reach = Reach::of(tx, words)?;
    let mut erased = reach.told();
    if erased.is_nothing() {
        return Ok(erased);
    }
    let state = memory_state(tx)?;
    bury(tx, &reach, by, now)?;
    list(tx, &reach)?;
    delete_grown(tx, &reach)?;
    take_derived(tx, &reach)?;
    take_beliefs(tx, &reach, now)?;
    take_memories(tx, &reach)?;
    take_names(tx, &reach)?;
    let gone: Vec<MessageId> = reach.messages.iter().map(|gone| gone.id).collect();
    delete_entropy(tx, &gone)?;
    delete_dynamics(tx, &gone)?;
    delete_standing_of(tx, &gone)?;
    delete_intentions(tx, &gone)?;
    take_messages(tx, shared, &reach)?;
    delete_turns(
        tx,
        &ErasedTurns {
            session: words.session.as_deref(),
            thread: words.thread.as_deref(),
            messages: &gone,
            before: None,
        },
    )?;
    reach.attachments.iter().try_for_each(|id| delete_attachment(tx, *id))?;
    clear_handoffs(tx)?;
    for number in &reach.to_reconsider {
        reconsider(tx, *number as u32)?;
    }
    let told = ReceiptDetail {
        was: in_words(&erased),
        becomes: "erased".to_owned(),
        reason: by.reason.clone(),
        undo: String::new(),
    };
    let (action, actor) = (ReceiptAction::Erase, by.actor.clone());
    let receipt = Receipt { number: 0, at: now, actor, action, subject: "words".to_owned(), told };
    let mut end = ledger_end(tx)?;
    insert_receipt(tx, &mut end, receipt)?;
    erased.receipt = Some(end.number);
    let done = "DELETE FROM erasing WHERE agent_id = ?1 AND kind <> 'line'";
    tx.execute(done, values![tx.agent_id])?;
    bump_memory_version(tx, &state)?;
    Ok(erased)
}

/// "3 messages, 2 memories, 1 belief": numbers and nothing else.
fn in_words(erased: &Erasure) -> String {
    let parts = [
        (erased.messages.len() as u64, "messages"),
        (erased.memories.len() as u64, "memories"),
        (erased.beliefs.len() as u64, "beliefs"),
        (erased.attachments.len() as u64, "attachments"),
        (erased.digests, "digests"),
        (erased.entities, "entities"),
        (erased.vectors, "vectors"),
        (erased.receipts, "receipts' words"),
    ];
    let parts: Vec<String> = parts.iter().map(|(count, name)| format!("{count} {name}")).collect();
    parts.join(", ")
}

/// Sets a tombstone for everything that must not come back, and for every receipt whose words go.
fn bury(tx: &mut Tx<'_>, reach: &Reach, by: &Authority, now: Time) -> Result<()> {
    let marks = Marks::read_or_make(tx)?;
    let mut stones: Vec<Mark> = Vec::new();
    for gone in &reach.messages {
        stones.push(marks.of_id(gone.id));
        if let Some(record) = message_at(tx, gone.seq)? {
            stones.push(marks.of_words(&record.message));
        }
    }
    let sql =
        "SELECT source_hash FROM memory WHERE agent_id = ?1 AND number = ?2 AND source_hash IS NOT NULL";
    for number in reach.memories.keys() {
        let hash = tx.first(sql, values![tx.agent_id, *number], |row| row.text(0))?;
        stones.extend(hash.map(|hash| marks.of_source(&hash)));
    }
    stones.extend(reach.attachments.iter().map(|id| marks.of_source(&id.to_string())));
    stones.extend(reach.receipts.iter().map(|number| marks.of_receipt(*number as u64)));
    let sql = "INSERT INTO tombstone (agent_id, mark, erased_at, actor, reason) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (agent_id, mark) DO NOTHING";
    for mark in &stones {
        let values =
            values![tx.agent_id, mark.as_slice(), now.millis(), by.actor.as_str(), by.reason.as_str()];
        tx.execute(sql, values)?;
    }
    Ok(())
}

/// Lists what the guards let go.
fn list(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let mut items: Vec<(&str, String)> = Vec::new();
    if !reach.messages.is_empty() {
        items.push(("message", "*".to_owned()));
    }
    items.extend(reach.messages.iter().map(|gone| ("message", to_hex(gone.id.bytes()))));
    items.push(("line", THE_REST.to_owned()));
    if tx.connection.postgres().is_none() {
        let line = |gone: &super::reach::Gone| ("line", lines::name(&gone.place));
        items.extend(reach.messages.iter().map(line));
    }
    items.extend(reach.memories.keys().map(|number| ("memory", number.to_string())));
    items.extend(reach.related.iter().map(|number| ("related", number.to_string())));
    items.extend(reach.beliefs.keys().map(|number| ("belief", number.to_string())));
    items.extend(reach.orphans.iter().map(|number| ("orphan", number.to_string())));
    items.extend(reach.receipts.iter().map(|number| ("receipt", number.to_string())));
    let sql = "INSERT INTO erasing (agent_id, kind, item) VALUES (?1, ?2, ?3) ON CONFLICT (agent_id, kind, item) DO NOTHING";
    let rows: Vec<Vec<_>> =
        items.iter().map(|(kind, item)| values![tx.agent_id, *kind, item.as_str()].to_vec()).collect();
    tx.execute_each(sql, &rows)
}

/// Runs each statement for each number; `?2` is the number.
fn each(tx: &mut Tx<'_>, numbers: impl IntoIterator<Item = i64>, statements: &[&str]) -> Result<()> {
    for number in numbers {
        for sql in statements {
            tx.execute(sql, values![tx.agent_id, number])?;
        }
    }
    Ok(())
}

/// Digests, vectors, and replies that were kept for whoever asks again.
fn take_derived(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let digests = [
        "DELETE FROM digest_source WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM digest WHERE agent_id = ?1 AND number = ?2",
    ];
    each(tx, reach.digests.keys().copied(), &digests)?;
    let newest = "UPDATE digest SET newest = 1 WHERE agent_id = ?1 AND digest_id = ?2 AND version =
                  (SELECT MAX(d.version) FROM digest AS d WHERE d.agent_id = ?1 AND d.digest_id = ?2)";
    for id in reach.digests.values() {
        tx.execute(newest, values![tx.agent_id, id.bytes().as_slice()])?;
    }
    let vectors = "DELETE FROM embedding WHERE agent_id = ?1 AND kind = ?2 AND item = ?3 AND embedder_id IN
                   (SELECT m.embedder_id FROM embedder AS m WHERE m.agent_id = ?1)";
    let seqs = reach.messages.iter().map(|gone| ("message", gone.seq));
    let revisions = reach.revisions.iter().map(|revision| (MEMORY, *revision));
    for (kind, item) in seqs.chain(revisions).chain(reach.derived_vectors()) {
        tx.execute(vectors, values![tx.agent_id, kind, item])?;
    }
    tx.execute("DELETE FROM reply WHERE agent_id = ?1", values![tx.agent_id])?;
    tx.execute("DELETE FROM cluster WHERE agent_id = ?1", values![tx.agent_id]).map(drop)
}

fn take_beliefs(tx: &mut Tx<'_>, reach: &Reach, now: Time) -> Result<()> {
    let orphaned =
        "UPDATE belief SET status = 'invalidated', updated_at = ?3 WHERE agent_id = ?1 AND number = ?2";
    for number in &reach.orphans {
        tx.execute(orphaned, values![tx.agent_id, *number, now.millis()])?;
    }
    let numbers = || reach.beliefs.keys().rev().copied();
    let apart = [
        "UPDATE belief SET supersedes = NULL WHERE agent_id = ?1 AND supersedes = ?2",
        "DELETE FROM deferral WHERE agent_id = ?1 AND belief = ?2",
        "DELETE FROM belief_evidence WHERE agent_id = ?1 AND belief = ?2",
        "DELETE FROM belief_term WHERE agent_id = ?1 AND belief = ?2",
    ];
    each(tx, numbers(), &apart)?;
    each(tx, numbers(), &["DELETE FROM belief WHERE agent_id = ?1 AND number = ?2"])?;
    let told = ["DELETE FROM receipt_detail WHERE agent_id = ?1 AND number = ?2"];
    each(tx, reach.receipts.iter().copied(), &told)
}

fn take_memories(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let terms = if tx.connection.postgres().is_some() {
        "DELETE FROM memory_term WHERE agent_id = ?1 AND number = ?2"
    } else {
        "DELETE FROM revision_term WHERE agent_id = ?1 AND revision IN
         (SELECT r.revision FROM memory_revision AS r WHERE r.agent_id = ?1 AND r.number = ?2)"
    };
    let parts = [
        terms,
        "DELETE FROM evidence WHERE agent_id = ?1 AND owner_kind = 'memory' AND owner = ?2",
        "DELETE FROM statement WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM relation WHERE agent_id = ?1 AND from_number = ?2",
        "DELETE FROM relation WHERE agent_id = ?1 AND to_number = ?2",
        "DELETE FROM synaptic_tag WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM working_memory WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM given_together WHERE agent_id = ?1 AND one = ?2",
        "DELETE FROM given_together WHERE agent_id = ?1 AND other = ?2",
        "DELETE FROM memory_change WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM rehearsal WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM review WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM belief_queue WHERE agent_id = ?1 AND number = ?2",
        "DELETE FROM memory_revision WHERE agent_id = ?1 AND number = ?2",
    ];
    hand_over(tx, reach)?;
    each(tx, reach.memories.keys().copied(), &parts)?;
    // What was noted about those that stay may quote one that goes.
    let beside = [
        "UPDATE memory SET reasons = '{}' WHERE agent_id = ?1 AND number = ?2",
        "UPDATE memory_revision SET reason = 'erased' WHERE agent_id = ?1 AND number = ?2",
        "UPDATE relation SET reason = 'erased' WHERE agent_id = ?1 AND from_number = ?2",
        "UPDATE relation SET reason = 'erased' WHERE agent_id = ?1 AND to_number = ?2",
        "DELETE FROM memory_change WHERE agent_id = ?1 AND number = ?2",
        "UPDATE formed SET decisions = '[]' WHERE agent_id = ?1 AND message_id IN (SELECT e.message_id FROM evidence AS e
         WHERE e.agent_id = ?1 AND e.owner_kind = 'memory' AND e.owner = ?2)",
    ];
    each(tx, reach.related.iter().copied(), &beside)
}

/// A memory replaced by one that goes stays replaced, by what replaced that if there is something. Only what a theme stood for
/// holds again: nobody said that it does not.
fn hand_over(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let replaced = "SELECT number FROM memory WHERE agent_id = ?1 AND superseded_by = ?2";
    let told = "SELECT superseded_by, write_source FROM memory WHERE agent_id = ?1 AND number = ?2";
    for number in reach.memories.keys() {
        let (mut heir, mut is_theme) = (Some(*number), false);
        for _ in 0..=reach.memories.len() {
            let Some(gone) = heir.filter(|heir| reach.memories.contains_key(heir)) else { break };
            let found = tx.first(told, values![tx.agent_id, gone], |row| {
                Ok((row.maybe_int(0)?, row.str(1)? == WriteSource::Dream.as_str()))
            })?;
            is_theme |= found.is_some_and(|(_, derived)| derived && gone == *number);
            heir = found.and_then(|(by, _)| by);
        }
        let heir = heir.filter(|heir| !reach.memories.contains_key(heir));
        let staying = tx.query(replaced, values![tx.agent_id, *number], |row| row.int(0))?;
        for staying in staying.into_iter().filter(|other| !reach.memories.contains_key(other)) {
            let sql = if is_theme && heir.is_none() {
                "UPDATE memory SET superseded_by = ?3, status = 'current', valid_until = NULL
                 WHERE agent_id = ?1 AND number = ?2"
            } else {
                "UPDATE memory SET superseded_by = ?3 WHERE agent_id = ?1 AND number = ?2"
            };
            tx.execute(sql, values![tx.agent_id, staying, heir])?;
            reconsider(tx, staying as u32)?;
        }
    }
    Ok(())
}

/// Who and what is mentioned nowhere else; how often the others stand together is counted anew.
fn take_names(tx: &mut Tx<'_>, reach: &Reach) -> Result<()> {
    let mut lost: Vec<(i64, i64)> = Vec::new();
    let mut counted: Vec<i64> = Vec::new();
    for number in reach.memories.keys() {
        let sql = "SELECT entity_id FROM mention WHERE agent_id = ?1 AND number = ?2 ORDER BY entity_id";
        let named = tx.query(sql, values![tx.agent_id, *number], |row| row.int(0))?;
        for (at, one) in named.iter().enumerate() {
            lost.extend(named[at + 1..].iter().map(|other| (*one, *other)));
        }
        counted.extend(named);
    }
    let gone = "DELETE FROM mention WHERE agent_id = ?1 AND number = ?2";
    each(tx, reach.memories.keys().copied(), &[gone])?;
    for (one, other) in lost {
        let rarer =
            "UPDATE cooccurrence SET times = times - 1 WHERE agent_id = ?1 AND one = ?2 AND other = ?3";
        tx.execute(rarer, values![tx.agent_id, one, other])?;
    }
    tx.execute("DELETE FROM cooccurrence WHERE agent_id = ?1 AND times <= 0", values![tx.agent_id])?;
    let parts = [
        "DELETE FROM cooccurrence WHERE agent_id = ?1 AND one = ?2",
        "DELETE FROM cooccurrence WHERE agent_id = ?1 AND other = ?2",
        "DELETE FROM topic WHERE agent_id = ?1 AND entity_id = ?2",
        "DELETE FROM topic WHERE agent_id = ?1 AND parent_id = ?2",
        "DELETE FROM entity_alias WHERE agent_id = ?1 AND entity_id = ?2",
        "DELETE FROM entity WHERE agent_id = ?1 AND entity_id = ?2",
    ];
    each(tx, reach.entities.iter().copied(), &parts)?;
    counted.sort_unstable();
    counted.dedup();
    let count = "UPDATE entity SET mentions = (SELECT COUNT(*) FROM mention AS m WHERE m.agent_id = ?1 AND m.entity_id = ?2)
                 WHERE agent_id = ?1 AND entity_id = ?2";
    each(tx, counted.iter().copied(), &[count])?;
    for entity in counted {
        take_aliases(tx, entity)?;
    }
    each(tx, reach.memories.keys().copied(), &["DELETE FROM memory WHERE agent_id = ?1 AND number = ?2"])
}

/// Other names of something that stays, which nothing says any more.
fn take_aliases(tx: &mut Tx<'_>, entity: i64) -> Result<()> {
    let sql = "SELECT alias FROM entity_alias WHERE agent_id = ?1 AND entity_id = ?2";
    let aliases = tx.query(sql, values![tx.agent_id, entity], |row| row.text(0))?;
    if aliases.is_empty() {
        return Ok(());
    }
    let sql = "SELECT r.text FROM mention AS m JOIN memory_revision AS r ON r.agent_id = m.agent_id AND r.number = m.number
               WHERE m.agent_id = ?1 AND r.agent_id = ?1 AND m.entity_id = ?2";
    let texts = tx.query(sql, values![tx.agent_id, entity], |row| Ok(row.str(0)?.to_lowercase()))?;
    let is_said = |alias: &String| texts.iter().any(|text| alias.split('-').all(|word| text.contains(word)));
    let gone = "DELETE FROM entity_alias WHERE agent_id = ?1 AND alias = ?2";
    for alias in aliases.iter().filter(|alias| !is_said(alias)) {
        tx.execute(gone, values![tx.agent_id, alias.as_str()])?;
    }
    Ok(())
}

/// The messages themselves; whoever stays moves up, and what rested on both is formed again.
fn take_messages(tx: &mut Tx<'_>, shared: &StoreContext, reach: &Reach) -> Result<()> {
    let ids = reach.messages.iter().map(|gone| gone.id).chain(reach.formed_again.iter().copied());
    for id in ids {
        for table in ["formed", "refinement"] {
            let sql = format!("DELETE FROM {table} WHERE agent_id = ?1 AND message_id = ?2");
            tx.execute(&sql, values![tx.agent_id, id.bytes().as_slice()])?;
        }
    }
    let again = "UPDATE job SET watermark = 0 WHERE agent_id = ?1 AND name = 'form'";
    tx.execute(again, values![tx.agent_id])?;
    if reach.messages.is_empty() {
        return Ok(());
    }
    if shared.files().is_some() {
        return rebuild(tx, shared).map(drop);
    }
    relocate::take(tx, &reach.messages)?;
    bump_epoch(tx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocalDisk, StoreLocation, StoreOptions};
    use cairn_domain::{Draft, MILLIS_PER_DAY, Message, MessageLimits, Role};
    use std::{fs, path::Path, sync::Arc};

    fn at(day: i64) -> Time {
        Time::from_millis(1_794_736_800_000 + day * MILLIS_PER_DAY)
    }

    async fn open(folder: &Path) -> Store {
        let place = StoreLocation::Folder { path: folder.to_owned(), disk: Arc::new(LocalDisk) };
        Store::open(StoreOptions { place, agent: "main".parse().expect("a name"), now: at(2) })
            .await
            .expect("a store")
    }

    fn said(text: &str, day: i64) -> Message {
        Draft::new(Role::User, text).into_message(at(day), &MessageLimits::default()).expect("a message")
    }

    fn archive(folder: &Path) -> String {
        let names = fs::read_dir(folder.join("archive")).expect("a folder").flatten();
        names.map(|name| fs::read_to_string(name.path()).expect("text")).collect()
    }

    /// The rows are gone and the process with them, before a line was blanked: whoever comes next finishes it, and leaves alone
    /// what somebody has written there since.
    ///
    /// covers: X-P5, I4
    #[test]
    fn an_erasure_that_was_interrupted_is_finished_by_whoever_opens_the_memory() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        runtime.block_on(async {
            let store = open(folder.path()).await;
            let secret = said("The code of the safe is in the blue book.", 0);
            let others = [said("Tulips bloom in April here.", 0), said("The bowl cracked in the kiln.", 1)];
            store.append(vec![secret.clone(), others[0].clone()], at(0)).await.expect("kept");
            store.append(vec![others[1].clone()], at(1)).await.expect("kept");
            let words = Words { messages: vec![secret.id], ..Words::default() };
            let by = Authority { actor: "operator:test".into(), reason: "asked".into() };
            let shared = Arc::clone(&store.context);
            let begun = move |tx: &mut Tx<'_>| take(tx, &shared, &words, &by, at(1));
            store.writer.run_durably(begun).await.expect("begun");
            drop(store);
            assert!(archive(folder.path()).contains("blue book"), "the line is still there");

            let store = open(folder.path()).await;
            assert!(!archive(folder.path()).contains("blue book"), "{}", archive(folder.path()));
            let verified = store.verify().await.expect("verified");
            assert_eq!((verified.findings, verified.messages), (vec![], 2));
            let appended = store.append(vec![secret.clone()], at(2)).await.expect("answered");
            assert!(appended[0].duplicate);
            assert_eq!(store.read(|view| view.next_seq()).await.expect("a number"), 2);
            assert_eq!(store.rebuild().await.expect("rebuilt").messages, 2);
            assert_eq!(store.verify().await.expect("verified").findings, []);
        });
    }
}
