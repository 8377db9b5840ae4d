//! Records as JSON. What programs rely on stands here and nowhere else.

use cairn_engine::transcript::is_made_up;
use cairn_engine::{
    Check, Empty, Health, Hit, Hub, ImportReport, IngestReport, KnowledgeReport, Lane, LexicalOnly, Recall,
    Stats, Why, WhyMemory,
};
use cairn_store::{EntityRecord, MemoryRecord, MessageRecord, SessionRecord, ThreadRecord, Verification};
use serde_json::{Map, Value, json};

/// A message in full.
pub(crate) fn message(record: &MessageRecord) -> Value {
    let message = &record.message;
    json!({
        "ref": message.id, "kind": "exchange", "exchange": record.exchange, "source_ids": source_ids(record),
        "session": message.session, "thread": message.thread, "mode": message.mode, "role": message.role,
        "speaker": message.speaker, "at": message.at, "recorded_at": message.recorded_at, "text": message.text,
        "metadata": message.metadata,
    })
}

/// The caller's own ids; those that a transcript without ids was given do not count.
fn source_ids(record: &MessageRecord) -> Vec<&str> {
    record.message.source_id.iter().map(String::as_str).filter(|id| !is_made_up(id)).collect()
}

/// A hit; `explain` adds the terms.
pub(crate) fn hit(hit: &Hit, explain: bool) -> Value {
    let (message, why) = (&hit.record.message, &hit.explanation);
    let lane = |lane: Lane| json!({"rank": lane.rank, "score": lane.score});
    let lanes = [("dense", why.dense_lane), ("lexical", why.lexical_lane)];
    let lanes: Map<String, Value> =
        lanes.into_iter().filter_map(|(name, found)| Some((name.to_owned(), lane(found?)))).collect();
    let mut because = json!({
        "lanes": lanes,
        "boosts": {"neighbours": why.neighbours, "subject": why.subject, "thread": why.thread, "recency": why.recency},
    });
    if explain {
        let terms = why.terms.iter().map(
            |term| json!({"term": term.term, "holding": term.holding, "idf": term.idf, "share": term.share}),
        );
        because["dense"] = json!(why.dense);
        because["own"] = json!(why.own);
        because["terms"] = terms.collect();
        because["sum"] = json!("(dense + own + neighbours + subject) * thread * recency = score");
    }
    json!({
        "ref": message.id, "kind": "exchange", "text": message.text, "score": hit.score, "at": message.at,
        "role": message.role, "speaker": message.speaker, "session": message.session, "thread": message.thread,
        "source_ids": source_ids(&hit.record), "why": because,
    })
}

/// An answer.
pub(crate) fn recall(recall: &Recall, explain: bool) -> Value {
    let mut value = json!({
        "query": recall.query, "lexical_only": recall.lexical_only.is_some(), "pending_embeddings": recall.pending,
        "elapsed_ms": recall.elapsed_ms,
        "hits": recall.hits.iter().map(|found| hit(found, explain)).collect::<Value>(),
    });
    if let Some(LexicalOnly::NoEmbedder { problem, hint }) = &recall.lexical_only {
        value["lexical_only_because"] = json!({"problem": problem, "hint": hint});
    }
    if let Some(empty) = recall.empty {
        value["empty"] = json!({"reason": empty_name(empty), "hint": crate::show::empty_hint(empty)});
    }
    value
}

fn empty_name(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "nothing_stored",
        Empty::NoWords => "no_words",
        Empty::FilteredOut => "filtered_out",
        Empty::NoMatch => "no_match",
    }
}

pub(crate) fn why(why: &Why) -> Value {
    json!({
        "message": message(&why.record),
        "before": why.before.iter().map(message).collect::<Value>(),
        "after": why.after.iter().map(message).collect::<Value>(),
        "archive": {"file": why.archive_file, "line": why.record.archive_line, "agrees": why.archive_agrees},
    })
}

pub(crate) fn session(session: &SessionRecord) -> Value {
    json!({"session": session.name, "title": session.title, "thread": session.thread, "mode": session.mode,
           "messages": session.messages, "first_at": session.first_at, "last_at": session.last_at})
}

pub(crate) fn thread(thread: &ThreadRecord) -> Value {
    json!({"thread": thread.name, "messages": thread.messages, "sessions": thread.sessions,
           "first_at": thread.first_at, "last_at": thread.last_at})
}

pub(crate) fn stats(agent: &str, stats: &Stats) -> Value {
    let counts = stats.counts;
    json!({
        "agent": agent, "messages": counts.messages, "exchanges": counts.exchanges, "sessions": counts.sessions,
        "threads": counts.threads, "memories": counts.memories, "formed": counts.formed, "beliefs": 0, "digests": 0,
        "entities": counts.entities, "embedded": counts.embedded,
        "pending_embeddings": stats.pending_embeddings, "refined": counts.refined,
        "pending_refinements": stats.pending_refinements, "disk_bytes": stats.disk_bytes, "archive_bytes": stats.archive_bytes,
        "index_bytes": stats.index_bytes,
    })
}

pub(crate) fn ingest(report: &IngestReport, seconds: f64) -> Value {
    json!({"read": report.read, "added": report.added, "duplicates": report.duplicates,
           "malformed": report.malformed, "seconds": seconds})
}

pub(crate) fn import(report: &ImportReport) -> Value {
    json!({"from": report.from, "messages": report.messages, "added": report.added, "duplicates": report.duplicates,
           "memories": report.memories})
}

pub(crate) fn check(check: &Check) -> Value {
    let health = match check.health {
        Health::Good => "good",
        Health::Mended => "mended",
        Health::Warning => "warning",
        Health::Bad => "bad",
    };
    json!({"check": check.name, "health": health, "detail": check.detail, "fix": check.fix})
}

pub(crate) fn verification(verification: &Verification) -> Value {
    let findings =
        verification.findings.iter().map(|finding| json!({"problem": finding.problem, "hint": finding.hint}));
    json!({"ok": verification.findings.is_empty(), "messages": verification.messages, "files": verification.files,
           "seals": verification.seals, "findings": findings.collect::<Value>()})
}

/// A memory in full.
pub(crate) fn memory(record: &MemoryRecord) -> Value {
    let mut value = serde_json::to_value(&record.memory).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        let id = fields.remove("id").unwrap_or_default();
        fields.insert("ref".to_owned(), id);
        fields.insert("kind".to_owned(), json!("memory"));
    }
    value
}

/// A memory with all that led to it and that it rests on.
pub(crate) fn why_memory(why: &WhyMemory) -> Value {
    let evidence = why.evidence.iter().map(|source| {
        let line = source.message.as_ref().map(|record| record.archive_line);
        let archive = source.archive_file.as_ref().zip(line);
        let archive = archive.map(|(file, line)| json!({"file": file, "line": line, "agrees": source.holds}));
        json!({"archive": archive, "source": source.evidence.source, "stance": source.evidence.stance, "weight": source.evidence.weight,
               "role": source.evidence.role, "excerpt": source.evidence.excerpt, "holds": source.holds,
               "message": source.message.as_ref().map(message)})
    });
    let revisions = why.revisions.iter().map(|revision| {
        json!({"text": revision.text, "verdict": revision.verdict, "reason": revision.reason, "at": revision.written_at})
    });
    let relations = why.relations.iter().map(|related| {
        json!({"kind": related.kind, "outgoing": related.outgoing, "confidence": related.confidence,
               "reason": related.reason, "other": related.other.memory.id, "text": related.other.memory.text})
    });
    let statements = why.statements.iter().map(|statement| {
        json!({"subject": statement.subject, "attribute": statement.attribute, "value": statement.value,
               "negated": statement.negated, "confidence": statement.confidence})
    });
    let entities = why.entities.iter().map(entity);
    json!({
        "ref": why.record.memory.id, "memory": memory(&why.record), "reasons": why.reasons,
        "evidence": evidence.collect::<Value>(), "revisions": revisions.collect::<Value>(),
        "relations": relations.collect::<Value>(), "statements": statements.collect::<Value>(),
        "entities": entities.collect::<Value>(),
    })
}

pub(crate) fn knowledge(report: &KnowledgeReport) -> Value {
    json!({"files": report.files, "added": report.added, "unchanged": report.unchanged, "superseded": report.superseded})
}

pub(crate) fn entity(entity: &EntityRecord) -> Value {
    json!({"uri": format!("entity://{}/{}", entity.kind, entity.slug), "name": entity.name, "kind": entity.kind,
           "mentions": entity.mentions, "first_seen": entity.first_seen})
}

/// An entity with all that is known about it.
pub(crate) fn hub(hub: &Hub) -> Value {
    let together = hub.together.iter().map(|(other, times)| json!({"entity": entity(other), "times": times}));
    json!({"entity": entity(&hub.entity), "aliases": hub.aliases, "together": together.collect::<Value>(),
           "memories": hub.memories.iter().map(memory).collect::<Value>()})
}
