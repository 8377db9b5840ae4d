//! ChatGPT exports: each conversation is a tree of messages, because an edited question begins a branch.
//! Every branch was said, so every branch is kept; those that were left are marked.

use crate::{
    transcript::fields::{name_of, not_json, parse_mended, role_of, time_of, utf8, words_of},
    write::DATA_SOURCE,
};
use cairn_domain::{DataSource, Draft, Role, Time};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::collections::{BTreeMap, HashMap};

/// A conversation as exported. Its nodes stay unparsed until their turn: most of their bytes are of no use.
#[derive(Deserialize)]
#[serde(expecting = "a conversation")]
struct Conversation<'a> {
    #[serde(default, rename = "conversation_id")]
    session: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    create_time: Value,
    #[serde(default)]
    current_node: Value,
    #[serde(borrow)]
    mapping: BTreeMap<String, &'a RawValue>,
}

/// A node of the tree; other nodes are named by their place in the list of all.
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    at: Option<Time>,
    draft: Option<Draft>,
}

/// The messages of one conversation, parents before children.
pub(super) fn drafts(record: &[u8]) -> Result<Vec<Draft>, String> {
    parse_mended(utf8(record)?, |text| {
        let conversation: Conversation = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        conversation.drafts()
    })
}

impl Conversation<'_> {
    fn drafts(&self) -> Result<Vec<Draft>, String> {
        let places: HashMap<&str, usize> = self.mapping.keys().map(String::as_str).zip(0..).collect();
        let mut nodes = self.nodes(&places)?;
        link(&mut nodes);
        if let Some(current) = place_in(&places, &self.current_node) {
            mark_left_branches(&mut nodes, current);
        }
        let session = name_of(&self.session).or_else(|| name_of(&self.id));
        let mut drafts = in_tree_order(nodes, time_of(&self.create_time));
        for draft in &mut drafts {
            draft.session.clone_from(&session);
        }
        if let (Some(first), Some(title)) = (drafts.first_mut(), name_of(&self.title)) {
            first.metadata.insert("session_title".to_owned(), title.into());
        }
        Ok(drafts)
    }

    fn nodes(&self, places: &HashMap<&str, usize>) -> Result<Vec<Node>, String> {
        let node = |(id, raw): (&String, &&RawValue)| {
            let node: Value = serde_json::from_str(raw.get()).map_err(|error| not_json(&error))?;
            let children = node["children"].as_array().into_iter().flatten();
            Ok(Node {
                parent: place_in(places, &node["parent"]),
                children: children.filter_map(|child| place_in(places, child)).collect(),
                at: time_of(&node["message"]["create_time"]),
                draft: said(id, &node["message"]),
            })
        };
        self.mapping.iter().map(node).collect()
    }
}

fn place_in(places: &HashMap<&str, usize>, id: &Value) -> Option<usize> {
    places.get(id.as_str()?).copied()
}

/// The draft of a message, if it holds any text. A part of unknown type is attributed to the host, so that it is never
/// taken for the user's words. Hidden messages and thoughts were never said; what goes to a tool is the tool's.
fn said(node_id: &str, message: &Value) -> Option<Draft> {
    let (author, content) = (&message["author"], &message["content"]);
    let is_hidden = message["metadata"]["is_visually_hidden_from_conversation"] == true;
    let is_thought = ["thoughts", "reasoning_recap"].iter().any(|kind| content["content_type"] == *kind);
    if is_hidden || is_thought {
        return None;
    }
    let text = ["parts", "text", "result"].iter().find_map(|field| words_of(&content[*field]))?;
    let draft = Draft {
        source_id: name_of(&message["id"]).or_else(|| Some(node_id.to_owned())),
        speaker: name_of(&author["name"]),
        ..Draft::new(author["role"].as_str().and_then(role_of).unwrap_or(Role::System), text)
    };
    let tool = name_of(&message["recipient"]).filter(|name| name != "all" && draft.role == Role::Assistant);
    Some(tool.map_or(draft.clone(), |tool| tool_call(draft, tool)))
}

/// A call of a tool. What the model saves of the user is its own statement, which nobody said.
fn tool_call(mut draft: Draft, tool: String) -> Draft {
    if tool == "bio" {
        draft.metadata.insert("saved_memory".to_owned(), true.into());
        draft.metadata.insert(DATA_SOURCE.to_owned(), DataSource::Feed.as_str().into());
    }
    Draft { role: Role::Tool, speaker: Some(tool), ..draft }
}

/// Makes parents and children agree: a node belongs to the parent it names, else to one that lists it.
/// Children are put in order of time; at the same time the order of the list stays.
fn link(nodes: &mut [Node]) {
    for place in 0..nodes.len() {
        for child in nodes[place].children.clone() {
            if child != place {
                nodes[child].parent.get_or_insert(place);
            }
        }
    }
    for place in 0..nodes.len() {
        if let Some(parent) = nodes[place].parent {
            nodes[parent].children.push(place);
        }
    }
    let placed: Vec<_> = nodes.iter().map(|node| (node.parent, node.at)).collect();
    for (place, node) in nodes.iter_mut().enumerate() {
        node.children.retain(|child| placed[*child].0 == Some(place));
        node.children.sort_by_key(|child| placed[*child].1);
    }
}

/// Marks what does not lie on the way from the beginning to `current`.
fn mark_left_branches(nodes: &mut [Node], current: usize) {
    let mut is_on_branch = vec![false; nodes.len()];
    let mut next = Some(current);
    while let Some(place) = next.filter(|place| !is_on_branch[*place]) {
        is_on_branch[place] = true;
        next = nodes[place].parent;
    }
    for (node, _) in nodes.iter_mut().zip(is_on_branch).filter(|(_, is_on_branch)| !is_on_branch) {
        if let Some(draft) = &mut node.draft {
            draft.metadata.insert("branch".to_owned(), "edited".into());
        }
    }
}

/// Takes the messages out of the tree, a message without a time at that of its parent. After the roots
/// every node is tried as a beginning too, so that rings of parents lose nothing.
fn in_tree_order(mut nodes: Vec<Node>, begun_at: Option<Time>) -> Vec<Draft> {
    let mut beginnings: Vec<usize> = (0..nodes.len()).collect();
    beginnings.sort_by_key(|place| (nodes[*place].parent.is_some(), nodes[*place].at));
    let mut is_taken = vec![false; nodes.len()];
    let mut drafts = Vec::new();
    for beginning in beginnings {
        let mut waiting = vec![(beginning, begun_at)];
        while let Some((place, parent_at)) = waiting.pop() {
            if std::mem::replace(&mut is_taken[place], true) {
                continue;
            }
            let node = &mut nodes[place];
            let at = node.at.or(parent_at);
            drafts.extend(node.draft.take().map(|draft| Draft { at, ..draft }));
            waiting.extend(node.children.iter().rev().map(|child| (*child, at)));
        }
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fmt::Write;

    /// A node as `id parent time role words`, its children left to the parents that name it.
    fn node(row: &str) -> (String, Value) {
        let [id, parent, at, role, words] = row.splitn(5, ' ').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let message = json!({"id": format!("m-{id}"), "author": {"role": role, "name": null},
            "create_time": at.parse::<f64>().ok(), "content": {"content_type": "text", "parts": [words]}});
        (id.to_owned(), json!({"id": id, "parent": parent, "message": message, "children": []}))
    }

    fn conversation(current: &str, rows: &[&str]) -> Value {
        let mapping: Value = rows.iter().map(|row| node(row)).collect();
        json!({"conversation_id": "c1", "title": "A boat", "create_time": 100.0, "current_node": current,
            "mapping": mapping})
    }

    fn read(conversation: &Value) -> Vec<Draft> {
        drafts(conversation.to_string().as_bytes()).expect("a conversation")
    }

    /// One line for each message: `id@seconds words`, and `*` on a branch that was left.
    fn story(conversation: &Value) -> String {
        read(conversation).iter().fold(String::new(), |mut story, draft| {
            let at = draft.at.map_or(0, |at| at.millis() / 1000);
            let mark = if draft.metadata.contains_key("branch") { "*" } else { "" };
            let _ =
                writeln!(story, "{}@{at}{mark} {}", draft.source_id.as_deref().unwrap_or("-"), draft.text);
            story
        })
    }

    /// covers: L-28
    #[test]
    fn every_branch_is_kept_in_tree_order_and_the_left_ones_are_marked() {
        let mut tree = conversation(
            "d",
            &[
                "a - 101 user How long is the boat?",
                "e b 105 user And wide?",
                "b a - assistant Nine metres.",
                "d b 104 user And deep?",
            ],
        );
        assert_eq!(
            story(&tree),
            "m-a@101 How long is the boat?\nm-b@101 Nine metres.\nm-d@104 And deep?\nm-e@105* And wide?\n"
        );
        let drafts = read(&tree);
        assert!(drafts.iter().all(|draft| draft.session.as_deref() == Some("c1")));
        assert_eq!((drafts[0].role, drafts[1].role), (Role::User, Role::Assistant));
        assert_eq!(drafts[0].metadata["session_title"], "A boat");
        assert!(!drafts[1].metadata.contains_key("session_title"));

        tree["mapping"]["d"]["message"]["create_time"] = json!(105);
        tree["mapping"]["b"]["children"] = json!(["e", "d"]);
        assert!(story(&tree).find("m-e") < story(&tree).find("m-d"), "at the same time the list decides");
    }

    #[test]
    fn broken_trees_lose_nothing_and_end() {
        let rings = conversation(
            "a",
            &["a b 3 user one", "b a 2 user two", "c c 1 user three", "d gone - user four"],
        );
        assert_eq!(story(&rings), "m-d@100* four\nm-c@1* three\nm-b@2 two\nm-a@3 one\n");

        let mut listed = conversation("gone", &["a - 1 user one", "b - 2 user two"]);
        listed["mapping"]["b"]["children"] = json!(["a", "b", "gone", 7]);
        assert_eq!(story(&listed), "m-b@2 two\nm-a@1 one\n", "a parent that only lists its child counts");

        let mut disputed = conversation("c", &["a - 1 user one", "b - 2 user two", "c b 3 user three"]);
        disputed["mapping"]["a"]["children"] = json!(["c"]);
        assert_eq!(story(&disputed), "m-a@1* one\nm-b@2 two\nm-c@3 three\n", "a child knows its parent best");
    }

    #[test]
    fn a_tree_of_any_depth_fits_the_stack() {
        let mut mapping = String::new();
        for place in 0..20_000 {
            let parent = place - 1;
            let _ = write!(
                mapping,
                r#""n{place}":{{"parent":"n{parent}","message":{{"content":{{"parts":["x"]}}}}}},"#
            );
        }
        let record =
            format!(r#"{{"id":5,"current_node":"n19999","mapping":{{{}}}}}"#, mapping.trim_end_matches(','));
        let drafts = drafts(record.as_bytes()).expect("a conversation");
        assert_eq!((drafts.len(), drafts[19_999].source_id.as_deref()), (20_000, Some("n19999")));
        assert!(
            drafts.iter().all(|draft| draft.metadata.is_empty() && draft.session.as_deref() == Some("5"))
        );
    }

    /// covers: C-158
    #[test]
    fn parts_that_are_no_words_are_left_out() {
        let table = [
            (
                json!({"parts": ["a", {"content_type": "audio_transcription", "text": "b"}, {"asset_pointer": "x"}, null]}),
                "a\nb",
            ),
            (json!({"content_type": "code", "text": "print(1)"}), "print(1)"),
            (json!({"parts": [""]}), ""),
            (json!({"parts": null}), ""),
            (json!(7), ""),
            (json!(null), ""),
        ];
        for (content, words) in table {
            let mapping = json!({"a": {"message": {"author": {"role": "tool", "name": "browser"}, "content": content}}});
            let drafts = read(&json!({"mapping": mapping}));
            assert_eq!(drafts.first().map_or("", |draft| &draft.text), words, "{content}");
            for draft in drafts {
                assert_eq!((draft.role, draft.speaker.as_deref()), (Role::Tool, Some("browser")));
                assert_eq!((draft.source_id.as_deref(), draft.at, draft.session), (Some("a"), None, None));
            }
        }
    }

    /// covers: C-158
    #[test]
    fn odd_nodes_cost_themselves_and_odd_conversations_are_refused() {
        let mapping = json!({"a": null, "b": 7, "c": {"message": "hi"}, "d": {"message": {"author": "x", "create_time": "noon",
            "content": {"parts": ["kept"]}}, "parent": {}, "children": "e"}});
        let drafts = read(&json!({"title": 1, "create_time": {}, "mapping": mapping}));
        assert_eq!((drafts.len(), drafts[0].role), (1, Role::System), "an unknown part is never the user's");

        let table = [
            ("{}", "missing field `mapping` at column 2"),
            (r#"{"mapping":null}"#, "invalid type: null, expected a map at column 15"),
            ("7", "invalid type: integer `7`, expected a conversation at column 1"),
            (r#"{"mapping":{"a":"#, "not JSON: EOF while parsing a value at column 16"),
            (r#"{"mapping":{"a":1e999}}"#, "not JSON: number out of range at column 5"),
        ];
        for (record, problem) in table {
            assert_eq!(super::drafts(record.as_bytes()), Err(problem.to_owned()), "{record}");
        }
    }

    #[test]
    fn calls_of_tools_are_the_tools_and_what_is_hidden_was_never_said() {
        let message = |role: &str, recipient: &str, content: Value, hidden: bool| {
            json!({"message": {"author": {"role": role}, "recipient": recipient, "content": content,
                "metadata": {"is_visually_hidden_from_conversation": hidden}}})
        };
        let words = json!({"content_type": "text", "parts": ["hello"]});
        let code = json!({"content_type": "code", "text": "mean()"});
        let thoughts = json!({"content_type": "thoughts", "thoughts": [{"content": "hm"}], "text": "hm"});
        let mapping = json!({
            "a": message("assistant", "all", words.clone(), false),
            "b": message("assistant", "python", code.clone(), false),
            "c": message("assistant", "bio", code, false),
            "d": message("user", "all", words, true),
            "e": message("assistant", "all", thoughts, false),
        });
        let drafts = read(&json!({"mapping": mapping}));
        let told: Vec<_> = drafts.iter().map(|draft| (draft.role, draft.speaker.as_deref())).collect();
        assert_eq!(told, [(Role::Assistant, None), (Role::Tool, Some("python")), (Role::Tool, Some("bio"))]);
        assert_eq!(drafts[2].metadata[DATA_SOURCE], "feed");
    }

    #[test]
    fn half_an_emoji_in_one_message_does_not_cost_the_conversation() {
        let record = r#"{"mapping":{"a":{"message":{"content":{"parts":["cut \ud83d"]}}}}}"#;
        assert_eq!(drafts(record.as_bytes()).expect("a conversation")[0].text, "cut \u{fffd}");
    }
}
