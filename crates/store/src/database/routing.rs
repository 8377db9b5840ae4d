//! Proof that the schema and every statement spread over many machines: tables are in parts by agent, and no statement
//! looks at more than one part of any of them.

use super::{Connection, DatabaseServer, Value, WhenUnreachable, table_names, value::OwnedValue};
use crate::{
    IndexQuery, MessageFilter, NearestQuery, NewVector, Store, StoreError, StoreLocation, StoreOptions,
    distribution_plan, protected::Marks, record::messages_of_day,
};
use cairn_domain::{
    Category, Draft, ExchangeId, MILLIS_PER_DAY, MemoryId, MemoryShare, Message, MessageLimits, Mode, Role,
    Time,
};
use serde_json::Value as Json;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Every statement that was prepared in this process, with the parameters it was first given.
static RECORDED: Mutex<BTreeMap<String, Vec<OwnedValue>>> = Mutex::new(BTreeMap::new());

pub(super) fn record(sql: &str, values: &[Value<'_>]) {
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    recorded.entry(sql.to_owned()).or_insert_with(|| values.iter().map(OwnedValue::from).collect());
}

/// A schema of its own whose tables are in four parts; `None` where there is no server.
pub(super) fn server() -> Option<Arc<DatabaseServer>> {
    let url = std::env::var("CAIRN_TEST_DATABASE_URL").ok().filter(|url| !url.is_empty());
    assert!(
        url.is_some() || std::env::var_os("CI").is_none(),
        "CAIRN_TEST_DATABASE_URL is not set: run ./test"
    );
    let server = DatabaseServer::new(&url?, None).expect("an address");
    Some(Arc::new(server.scratch(Some(4)).expect("a schema")))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

fn at(day: i64) -> Time {
    Time::from_millis(1_794_736_800_000 + day * MILLIS_PER_DAY)
}

async fn open(server: &Arc<DatabaseServer>, agent: &str) -> Store {
    let place = StoreLocation::Server(Arc::clone(server));
    let options = StoreOptions { place, agent: agent.parse().expect("a name"), now: at(0) };
    Store::open(options).await.expect("a store")
}

fn messages(day: i64) -> Vec<Message> {
    let message = |number: i64| {
        let draft = Draft {
            source_id: (number % 3 > 0).then(|| format!("{day}-{number}")),
            session: Some(format!("session {}", number % 4)),
            thread: (number % 2 == 0).then(|| "garden".to_owned()),
            mode: Some(if number % 5 == 0 { Mode::Booth } else { Mode::Chat }),
            speaker: Some("Ece".to_owned()),
            ..Draft::new(
                if number % 2 == 0 { Role::User } else { Role::Assistant },
                format!("tulip number {number} of {day}"),
            )
        };
        draft.into_message(at(day), &MessageLimits::default()).expect("a message")
    };
    (0..12).map(message).collect()
}

/// Lets a store do everything it can.
async fn live(store: &Store, folder: &Path) -> Result<(), StoreError> {
    for day in [0, 1, 1] {
        store.append(messages(day), at(day)).await?;
    }
    let first = store.embedder("a".into(), 3, at(0)).await?;
    let vector = |seq: u32| NewVector { seq, part: 0, vector: vec![1.0, seq as f32, 0.5] };
    store.add_vectors(first.id, 0, 24, (0..24).map(vector).collect()).await?;
    let words = [vec!["tulip".to_owned()], vec!["number".to_owned()], vec!["7".to_owned()]];
    let near = NearestQuery { vector: &[0.6, 0.8, 0.0], n: 5, later_part_penalty: 0.0 };
    let filters = [
        MessageFilter::default(),
        MessageFilter { session: Some(1), ..MessageFilter::default() },
        MessageFilter {
            thread: Some(1),
            sender: Some(Role::User),
            mode: Some(Mode::Chat),
            as_of: Some(at(5)),
            before: None,
            session: None,
        },
    ];
    let (named, best) = (["@ece".to_owned()], |_: &crate::KeywordIndex| vec![0, 1]);
    for filter in filters {
        let wanted = IndexQuery { words: &words, filter, best: &best, ..IndexQuery::near(near) };
        let wanted = IndexQuery { named: &named, also: &[1], ..wanted };
        store
            .read(|view| {
                let search = view.search(&wanted)?;
                assert!(!search.nearest(&wanted).is_empty() && !search.keywords().documents().is_empty());
                search.cosines(near, &[0])?;
                search.nearest_exact(near)?;
                Ok(())
            })
            .await?;
    }
    store
        .read(|view| {
            let record = view.newest(1, None)?.remove(0);
            view.message(record.message.id)?;
            view.exchange(ExchangeId::from_bytes(*record.message.id.bytes()))?;
            view.neighbours(record.seq, 2)?;
            drop((view.messages_from(0, 5)?, view.given_together(&[1, 2], 1)?));
            drop((view.related_to(&[1])?, view.names_in(&[1])?, view.naming(&[1], 2)?));
            view.embeddable_from(0, 5)?;
            drop((
                view.sessions(None, 5)?,
                view.threads(None, 5)?,
                view.counts()?,
                view.row_bytes()?,
                view.jobs()?,
            ));
            drop((view.session_id("session 1")?, view.thread_id("garden")?, view.message_at(3)?));
            Marks::read(view)?;
            messages_of_day(view, 1, 0, 1).map(drop)
        })
        .await?;
    assert!(store.claim_job("tend", "me".into(), at(0), at(1)).await?);
    store.finish_job("tend", "me".into(), 3, at(0)).await?;
    store.rebuild().await?;
    let second = store.embedder("b".into(), 3, at(0)).await?;
    store.add_vectors(second.id, 0, 24, (0..24).map(vector).collect()).await?;
    assert!(store.activate_embedder(second.id).await?);
    store.embedder("a".into(), 3, at(1)).await?;
    assert!(store.activate_embedder(first.id).await?);
    while store.drop_retired_vectors(10).await? > 0 {}
    store.flush_vector_index().await?;
    store.flush_keyword_index().await?;
    assert_eq!(store.verify().await?.findings, []);
    store.export_archive(folder.join("archive")).await.map(drop)
}

/// Looks for shared memories in every way in which that is done.
async fn read_what_is_shared(store: &Store) -> Result<(), StoreError> {
    let share = MemoryShare {
        threads: vec!["garden".to_owned()],
        categories: vec![Category::Preference],
        entities: vec!["tulip".to_owned()],
        ..MemoryShare::default()
    };
    store
        .read(move |view| {
            view.memories_in_share(&share, 5)?;
            assert!(view.counts()?.messages > 0);
            // Nothing is: not a message is seen from here on, whatever is asked.
            assert_eq!(view.narrow_to_share(&"main".parse().expect("a name"), at(0))?, None);
            assert_eq!((view.newest(1, None)?.len(), view.memories_in_share(&share, 5)?.len()), (0, 0));
            drop((view.nearest_memories(&[0.6, 0.8, 0.0], 5)?, view.revision_vectors(&[1])?));
            drop((view.memory_terms(&["tulip".to_owned()])?, view.memories_holding(&["tulip"], 5)?));
            drop((
                view.memories_at(&[1])?,
                view.slugs_of_each(&[1])?,
                view.numbers_about("user", "likes", 5)?,
            ));
            view.shared_memory(MemoryId::from_bytes([0; 16]), &"main".parse().expect("a name"), at(0))
                .map(drop)
        })
        .await
}

/// The parts of tables that a plan looks at, by table.
fn parts(plan: &Json, found: &mut BTreeMap<String, BTreeSet<String>>) {
    match plan {
        Json::Object(fields) => {
            if let Some(Json::String(relation)) = fields.get("Relation Name")
                && let Some((table, part)) = relation.rsplit_once('_')
                && part.parse::<u32>().is_ok()
            {
                found.entry(table.to_owned()).or_default().insert(relation.clone());
            }
            fields.values().for_each(|value| parts(value, found));
        }
        Json::Array(values) => values.iter().for_each(|value| parts(value, found)),
        _ => {}
    }
}

/// Statements that are about the database and not about an agent's memory, and those of other tests.
fn is_about_database(sql: &str) -> bool {
    let words = ["pg_", "current_setting", "migration", "nextval", "EXPLAIN", " slot"];
    sql == "SELECT 1" || words.iter().any(|word| sql.contains(word))
}

/// covers: X-P3, W-01, C-157
#[test]
fn every_statement_looks_at_one_part_of_every_table() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    run(async {
        open(&server, "other").await.append(messages(0), at(0)).await.expect("kept");
        let store = open(&server, "one").await;
        live(&store, folder.path()).await.expect("everything works in parts");
        read_what_is_shared(&store).await.expect("shares work in parts");
    });
    let recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let looked_at = looked_at_one_part(&server, &recorded, None);
    assert!(looked_at > 40, "only {looked_at} statements looked at a table");
    // … also while row-level security holds them to a share.
    let share = r#"{"threads":["garden"],"categories":["preference"],"entities":["tulip"],"entity_ids":[1]}"#;
    let narrowed = looked_at_one_part(&server, &recorded, Some(share));
    assert!(narrowed > 10, "only {narrowed} statements looked at a table through a share");
}

/// How many statements look at a table; each at one part of it.
fn looked_at_one_part(
    server: &Arc<DatabaseServer>,
    recorded: &BTreeMap<String, Vec<OwnedValue>>,
    share: Option<&str>,
) -> usize {
    let mut connection = Connection::connect(server, "one", WhenUnreachable::Fail).expect("connected");
    if let Some(share) = share {
        connection.script(&format!("SET cairn.share = '{share}'")).expect("set");
    }
    let mut looked_at = 0;
    for (sql, values) in recorded.iter().filter(|(sql, _)| !is_about_database(sql)) {
        let values: Vec<Value<'_>> = values.iter().map(OwnedValue::value).collect();
        let mut plan = String::new();
        let explain = format!("EXPLAIN (FORMAT JSON) {sql}");
        let read = |row: &super::Row<'_>| {
            plan = row.json(0)?;
            Ok(())
        };
        connection.query(&explain, &values, read).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let mut found = BTreeMap::new();
        parts(&serde_json::from_str(&plan).expect("a plan"), &mut found);
        assert!(!plan.contains("\"Seq Scan\""), "{sql} goes by no index: {plan}");
        for (table, parts) in &found {
            assert_eq!(parts.len(), 1, "{sql} looks at several parts of {table}: {parts:?}");
        }
        looked_at += usize::from(!found.is_empty());
        let names_agent =
            sql.contains("agent_id") || sql.contains("keyword_hits(?1") || sql.contains("FROM agent");
        assert!(names_agent, "{sql} does not name its agent");
    }
    looked_at
}

/// The recorder sees a statement that does not keep to one part.
#[test]
fn a_statement_across_agents_would_be_seen() {
    let Some(server) = server() else { return };
    run(async { open(&server, "one").await.append(messages(0), at(0)).await.expect("kept") });
    let mut connection = Connection::connect(&server, "one", WhenUnreachable::Fail).expect("connected");
    let plan = connection.first("EXPLAIN (FORMAT JSON) SELECT COUNT(*) FROM message", &[], |row| row.json(0));
    let mut found = BTreeMap::new();
    parts(&serde_json::from_str(&plan.expect("a plan").expect("a row")).expect("json"), &mut found);
    assert_eq!(found["message"].len(), 4);
}

/// covers: X-P3, K-105, K-106, K-107, K-108, K-111, C-157
#[test]
fn the_catalogue_has_the_agent_first_everywhere() {
    let Some(server) = server() else { return };
    run(open(&server, "one"));
    let mut connection = Connection::connect(&server, "one", WhenUnreachable::Fail).expect("connected");
    let here = "current_schema()::regnamespace";
    // Primary keys, unique and other indexes; the one over terms has the agent in every term instead.
    let sql = format!(
        "SELECT c.relname, i.relname, a.attname FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
         JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
         WHERE c.relnamespace = {here} AND c.relkind = 'p' AND i.relname <> 'keyword_by_term'"
    );
    let indexes =
        connection.query(&sql, &[], |row| Ok((row.text(0)?, row.text(1)?, row.text(2)?))).expect("indexes");
    assert!(indexes.len() >= table_names().count(), "{indexes:?}");
    for (table, index, first) in indexes {
        assert_eq!(first, "agent_id", "{index} of {table}");
    }
    let sql = format!(
        "SELECT CAST(k.conrelid::regclass AS TEXT), CAST(k.confrelid::regclass AS TEXT), a.attname FROM pg_constraint AS k
         JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
         WHERE k.contype = 'f' AND k.connamespace = {here}"
    );
    let keys =
        connection.query(&sql, &[], |row| Ok((row.text(0)?, row.text(1)?, row.text(2)?))).expect("keys");
    assert!(keys.len() > 8);
    for (table, other, first) in keys {
        assert_eq!(first, "agent_id", "{table} refers to {other}");
    }
    let sql = format!(
        "SELECT c.relname, c.relkind = 'p', c.relrowsecurity FROM pg_class AS c WHERE c.relnamespace = {here}
         AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    );
    let plan = distribution_plan().join("\n");
    let found =
        connection.query(&sql, &[], |row| Ok((row.text(0)?, row.bool(1)?, row.bool(2)?))).expect("tables");
    assert_eq!(found.len(), table_names().count() + 1);
    for (table, in_parts, behind_wall) in found {
        let stays = ["agent", "migration"].contains(&table.as_str());
        assert_eq!(in_parts, !stays, "{table} is in parts");
        assert!(behind_wall || table == "migration", "{table} is behind a wall");
        let planned = plan.contains(&format!("create_distributed_table('{table}', 'agent_id'"));
        assert_eq!(planned, !stays, "{table} is in the plan");
    }
    let sql = format!(
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = {here} AND c.relkind IN ('r', 'p')
         AND NOT c.relforcerowsecurity ORDER BY c.relname"
    );
    let seen_by_owner = connection.query(&sql, &[], |row| row.text(0)).expect("tables");
    let parts = ["keyword_0", "keyword_1", "keyword_2", "keyword_3"];
    assert_eq!(seen_by_owner, [&["agent", "keyword"], &parts[..], &["migration"]].concat());
}
