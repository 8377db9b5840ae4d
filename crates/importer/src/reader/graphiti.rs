//! Graphiti: a dump of its episodes, entities and edges. A fact that holds no longer is left.

use crate::{
    archive::{open_unpacked, read_bounded},
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, draft, with_fields},
    record::whole,
    value::{first_moment, list, name, role, text},
};
use cairn_domain::{Draft, Role};
use serde_json::Value;
use std::path::Path;

pub(crate) fn read_dump(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    let first = |names: [&str; 2]| {
        names.into_iter().map(|name| list(&record[name])).find(|list| !list.is_empty()).unwrap_or(&[])
    };
    let mut episodes: Vec<&Value> = list(&record["episodes"]).iter().collect();
    episodes.sort_by_key(|episode| first_moment(episode, &["valid_at", "created_at"]));
    for one in episodes {
        out.counted("episodes", 1);
        out.tenant(name(one, "group_id"));
        episode(one, out);
    }
    for entity in first(["nodes", "entities"]) {
        out.counted("entities", 1);
        out.tenant(name(entity, "group_id"));
        if let (Some(named), Some(summary)) = (text(entity, "name"), text(entity, "summary")) {
            let id = out.id(&name(entity, "uuid").unwrap_or_default());
            let digest =
                draft(Role::Tool, id, first_moment(entity, &["created_at"]), format!("{named}: {summary}"));
            out.fed(GatheredKind::Digest, with_fields(digest, entity, &["labels"]));
        }
    }
    for edge in first(["edges", "facts"]) {
        out.counted("edges", 1);
        out.tenant(name(edge, "group_id"));
        if !edge["invalid_at"].is_null() {
            out.counted("ended", 1);
            out.left_out("facts that hold no longer", 1);
            continue;
        }
        let id = out.id(&name(edge, "uuid").unwrap_or_default());
        let at = first_moment(edge, &["valid_at", "created_at"]);
        let relation = draft(Role::Tool, id, at, text(edge, "fact").unwrap_or_default());
        out.fed(GatheredKind::Relation, with_fields(relation, edge, &["name", "valid_at", "episodes"]));
    }
    out.tenant(None);
    Ok(())
}

fn episode(episode: &Value, out: &mut Gatherer<'_>) {
    let id = name(episode, "uuid").unwrap_or_default();
    let at = first_moment(episode, &["valid_at", "created_at"]);
    let words = text(episode, "content").unwrap_or_default();
    if text(episode, "source") != Some("message") {
        let fed = draft(Role::Tool, out.id(&id), at, words);
        return out.fed(GatheredKind::Memory, with_fields(fed, episode, &["name", "source_description"]));
    }
    let group = text(episode, "group_id").unwrap_or_default().to_lowercase();
    for (place, line) in words.lines().enumerate() {
        let Some((who, said)) = line.split_once(": ") else {
            out.left_out("lines of a conversation that name no speaker", 1);
            continue;
        };
        let said = draft(Role::Tool, out.id(&format!("{id}#{place}")), at, said);
        let said = Draft { session: Some(id.clone()), speaker: Some(who.to_owned()), ..said };
        // A name is the user's only if the group is theirs; of others nobody knows whether a model speaks.
        match (who.to_lowercase() == group, role(who)) {
            (true, _) | (_, Role::User) => out.said(Draft { role: Role::User, ..said }),
            (_, Role::Assistant) => out.said(Draft { role: Role::Assistant, ..said }),
            _ => out.fed(GatheredKind::Message, said),
        }
    }
}
