//! Small files in the form of every product, made here: what each becomes, who speaks, what is left.

use crate::support::{Fixture, assert_lines, becomes, planned};
use cairn_importer::{Form, Product, survey};
use rusqlite::Connection;
use serde_json::{Value, json};

/// covers: L-28
#[test]
fn unknown_files_are_refused_and_never_read_as_something_else() {
    let fixture = Fixture::new();
    let unknown = [
        fixture.json("list.json", &json!([{"title": "a"}, {"title": "b"}])),
        fixture.json("object.json", &json!({"a": 1})),
        fixture.write("words.txt", "plain words\nmore of them\n"),
        fixture.database("other.db", "CREATE TABLE t(x);"),
        fixture.zip("other.zip", &[("readme.txt", json!("x"))]),
        fixture.write("empty.json", ""),
    ];
    for path in unknown {
        let survey = survey(&path).expect("a survey");
        assert_eq!((survey.sources.len(), survey.unknown.len()), (0, 1), "{}", path.display());
    }
    let lines = fixture.lines("own.jsonl", &[json!({"text": "I moved to Lisbon."})]);
    assert_eq!(survey(&lines).expect("a survey").sources[0].form, Form::Transcript);
}

#[test]
fn chatgpt_exports_give_words_calls_and_custom_instructions_once() {
    let fixture = Fixture::new();
    let node = |id: &str, parent: Option<&str>, role: &str, recipient: &str, content: Value| {
        (
            id.to_owned(),
            json!({"id": id, "parent": parent, "message": {"id": id, "author": {"role": role},
            "create_time": 1_777_882_200.0, "recipient": recipient, "content": content}}),
        )
    };
    let words = |text: &str| json!({"content_type": "text", "parts": [text]});
    let context = json!({"content_type": "user_editable_context", "user_profile": "I keep bees.",
        "user_instructions": "Be brief."});
    let conversation = |id: &str| {
        let mapping: Value = [
            node(&format!("{id}-a"), None, "user", "all", context.clone()),
            node(&format!("{id}-b"), None, "user", "all", words("How many hives?")),
            node(
                &format!("{id}-c"),
                Some(&format!("{id}-b")),
                "assistant",
                "bio",
                words("The user keeps bees."),
            ),
            node(&format!("{id}-d"), Some(&format!("{id}-b")), "assistant", "all", words("Four.")),
        ]
        .into_iter()
        .collect();
        json!({"conversation_id": id, "title": null, "mapping": mapping, "current_node": format!("{id}-d")})
    };
    let zip = fixture.zip(
        "export.zip",
        &[
            ("conversations-000.json", json!([conversation("one")])),
            ("conversations-001.json", json!([conversation("two")])),
            ("user.json", json!({"email": "nobody@example.org"})),
        ],
    );
    let found = becomes(&zip);
    let said: Vec<&String> = found.iter().filter(|line| line.starts_with("messages")).collect();
    assert_eq!(said.len(), 6, "{found:?}");
    assert!(found.contains(&"messages tool bio: The user keeps bees.".to_owned()), "{found:?}");
    assert_eq!(found.iter().filter(|line| **line == "ANCHOR.md: I keep bees.").count(), 1);
    assert_eq!(found.iter().filter(|line| **line == "AGENTS.md: Be brief.").count(), 1);
    assert!(!found.iter().any(|line| line.contains("example.org")));
}

#[test]
fn claude_ai_exports_leave_thoughts_and_the_account() {
    let fixture = Fixture::new();
    let part = |kind: &str, field: &str, text: &str| json!({"type": kind, field: text});
    let conversation = json!([{"uuid": "c1", "name": "Bees", "account": {"uuid": "a1"}, "created_at": "2026-05-04T08:10:00Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "", "content": [part("text", "text", "How many hives?")],
                "attachments": [{"file_name": "hives.txt", "extracted_content": "Four."}]},
            {"uuid": "m2", "sender": "assistant", "text": "ignored", "content": [part("thinking", "thinking", "hm"),
                {"type": "tool_use", "name": "count", "input": {"of": "hives"}},
                {"type": "tool_result", "name": "count", "content": [{"type": "text", "text": "4"}]},
                part("text", "text", "Four hives.")]}]}]);
    let projects = json!([{"uuid": "p1", "name": "Garden", "prompt_template": "Be brief.", "docs": [{"uuid": "d1",
        "filename": "bees.md", "content": "Bees fly."}]}]);
    let memories = json!([{"account_uuid": "a1", "conversations_memory": "**Home**\n\nKeeps bees.", "project_memories": {}}]);
    let zip = fixture.zip(
        "export.zip",
        &[
            ("conversations.json", conversation),
            ("memories.json", memories),
            ("projects.json", projects),
            ("users.json", json!([{"email_address": "nobody@example.org"}])),
        ],
    );
    assert_lines(
        &zip,
        &[
            "messages user of a1: How many hives?",
            "documents tool claude-ai of a1: Four.",
            "left 1: the model's thoughts",
            "messages tool count of a1: count {\"of\":\"hives\"}",
            "messages tool count of a1: 4",
            "messages assistant of a1: Four hives.",
            "ANCHOR.md: **Home**\n\nKeeps bees.",
            "memories tool claude-ai of a1: Keeps bees.",
            "AGENTS.md: Be brief.",
            "documents tool claude-ai: Bees fly.",
            "left 1: files about the account (names, mail addresses, sign-ins)",
        ],
    );
}

#[test]
fn takeout_gives_prompts_and_answers_and_no_other_activity() {
    let fixture = Fixture::new();
    let record = |title: &str, products: &str, html: Option<&str>| {
        let items: Vec<Value> = html.into_iter().map(|html| json!({"html": html})).collect();
        json!({"header": products, "title": title, "time": "2026-05-04T08:10:00Z", "products": [products], "safeHtmlItem": items})
    };
    let path = fixture.json(
        "Gemini Apps/MyActivity.json",
        &json!([
            record("Prompted Wo ist der Honig?", "Gemini Apps", Some("<p>Im <b>Keller</b> &amp; oben.</p>")),
            record("Gave feedback: good", "Gemini Apps", None),
            record("Searched for honey", "Search", None),
        ]),
    );
    assert_lines(
        &path,
        &[
            "left 2: records of other products, and what was not said (feedback, settings)",
            "messages user: Wo ist der Honig?",
            "messages assistant: Im Keller & oben.",
        ],
    );
}

#[test]
fn coding_agents_give_what_was_said_and_nothing_that_was_injected() {
    let fixture = Fixture::new();
    let item = |payload: Value| json!({"timestamp": "2026-11-17T01:47:56Z", "type": "response_item", "payload": payload});
    let text = |role: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]});
    let rollout = [
        json!({"timestamp": "2026-11-17T01:47:56Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/src/hive"}}),
        item(text("user", "<environment_context>\nx\n</environment_context>")),
        item(text("user", "Count the hives.")),
        item(json!({"type": "reasoning", "summary": []})),
        item(json!({"type": "function_call", "name": "exec", "arguments": "{}", "call_id": "c1"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "4"})),
        item(text("assistant", "Four.")),
    ]
    .iter()
    .map(|line| format!("{line}\n"))
    .collect::<Vec<_>>()
    .concat();
    let packed =
        ruzstd::encoding::compress_to_vec(rollout.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let expected = [
        "left 1: what the program wrote in the user's place",
        "messages user: Count the hives.",
        "left 1: the model's thoughts",
        "messages tool exec: exec {}",
        "messages tool exec: 4",
        "messages assistant: Four.",
    ];
    assert_lines(&fixture.write("rollout-1.jsonl", &rollout), &expected);
    assert_lines(&fixture.write("rollout-2.jsonl.zst", packed), &expected);

    let said = |id: &str, kind: &str, content: Value| json!({"id": id, "timestamp": "2026-11-17T01:49:37Z", "type": kind, "content": content});
    let log = fixture.lines("tmp/hive/chats/session-1.jsonl", &[
        json!({"sessionId": "s1", "projectHash": "h"}),
        said("m1", "user", json!([{"text": "Count the hives."}])),
        said("m2", "gemini", json!("Four.")),
        json!({"sessionId": "s1", "projectHash": "h"}),
        json!({"$set": {"messages": [said("m1", "user", json!([{"text": "Count the hives."}])), said("m2", "gemini", json!([{"text": "Four."}]))]}}),
        said("m3", "user", json!([{"text": "Thanks."}])),
    ]);
    assert_lines(
        &log,
        &["messages user: Count the hives.", "messages assistant: Four.", "messages user: Thanks."],
    );

    let transcript = fixture.lines("agent-transcripts/t1/t1.jsonl", &[
        json!({"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nHi.\n</user_query>"}]}}),
        json!({"role": "assistant", "message": {"content": [{"type": "text", "text": "Hello."}]}}),
    ]);
    assert_lines(&transcript, &["messages user: Hi.", "messages assistant: Hello."]);
}

#[test]
fn opencode_says_the_same_in_its_database_and_its_export() {
    let fixture = Fixture::new();
    let info = json!({"role": "user", "time": {"created": 1_794_880_123_731_u64}});
    let part = json!({"type": "text", "text": "\"Count the hives.\""});
    fixture.database("opencode.db", &format!(
        "CREATE TABLE session(id, directory, title, parent_id); INSERT INTO session VALUES('s1', '/src/hive', 'Bees', NULL);
         CREATE TABLE message(id, session_id, data); INSERT INTO message VALUES('m1', 's1', '{info}');
         CREATE TABLE part(id, message_id, data); INSERT INTO part VALUES('p1', 'm1', '{part}');"
    ));
    let mut exported = (info, part);
    (exported.0["id"], exported.0["sessionID"], exported.1["id"]) = (json!("m1"), json!("s1"), json!("p1"));
    fixture.json(
        "export.json",
        &json!({"info": {"id": "s1", "directory": "/src/hive", "title": "Bees"},
        "messages": [{"info": exported.0, "parts": [exported.1]}]}),
    );
    let counts = &planned(&fixture.path(""))[&Product::OpenCode].counts;
    assert_eq!(counts["messages"], 1, "the same message is one: {counts:?}");
    assert_lines(&fixture.path("export.json"), &["messages user: Count the hives."]);
}

#[test]
fn cursor_gives_bubbles_in_their_order_and_leaves_left_ones() {
    let fixture = Fixture::new();
    let composer = json!({"composerId": "c1", "createdAt": 1_777_882_200_000_u64,
        "fullConversationHeadersOnly": [{"bubbleId": "b1"}, {"bubbleId": "b2"}]});
    let path = fixture.database("User/globalStorage/state.vscdb", &format!(
        "CREATE TABLE ItemTable(key, value); CREATE TABLE cursorDiskKV(key, value);
         INSERT INTO cursorDiskKV VALUES('composerData:c1', '{composer}');
         INSERT INTO cursorDiskKV VALUES('bubbleId:c1:b2', '{{\"bubbleId\":\"b2\",\"type\":2,\"text\":\"Four.\"}}');
         INSERT INTO cursorDiskKV VALUES('bubbleId:c1:b1', '{{\"bubbleId\":\"b1\",\"type\":1,\"text\":\"Count.\"}}');
         INSERT INTO cursorDiskKV VALUES('bubbleId:c1:b0', '{{\"bubbleId\":\"b0\",\"type\":1,\"text\":\"Coumt.\"}}');"
    ));
    assert_lines(
        &path,
        &["messages user: Count.", "messages assistant: Four.", "left 1: bubbles of branches that were left"],
    );
}

#[test]
fn claude_mem_speaks_as_itself_and_the_user_as_the_user() {
    let fixture = Fixture::new();
    let path = fixture.database("claude-mem.db", "
        CREATE TABLE sdk_sessions(id INTEGER, content_session_id, memory_session_id, project);
        INSERT INTO sdk_sessions VALUES(1, 'h1', 'm1', 'hive'), (2, 'h2', 'm2', 'observer-sessions');
        CREATE TABLE user_prompts(id INTEGER, content_session_id, prompt_text, created_at_epoch);
        INSERT INTO user_prompts VALUES(1, 'h1', 'Count the hives.', 1777882200000), (2, 'h2', 'secret', 1777882200000);
        CREATE TABLE observations(id INTEGER, memory_session_id, project, type, title, narrative, facts, created_at_epoch);
        INSERT INTO observations VALUES(1, 'm1', 'hive', 'discovery', 'Four hives', 'There are four.', '[\"Hives: 4\"]', 1777882200000);");
    assert_lines(
        &path,
        &[
            "messages user: Count the hives.",
            "left 1: claude-mem talking to itself",
            "memories tool claude-mem: Four hives\nThere are four.\nHives: 4",
        ],
    );
}

/// A point of Qdrant as Python pickles it.
fn pickled(id: &str, payload: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[0x8c, text.len() as u8], text.as_bytes()].concat();
    let mut bytes = b"\x80\x04".to_vec();
    bytes.extend(
        [text("m"), text("PointStruct"), b"\x93)\x81}(".to_vec(), text("__dict__"), b"}(".to_vec()].concat(),
    );
    bytes.extend([text("id"), text(id), text("payload"), b"}(".to_vec()].concat());
    for (name, value) in payload {
        bytes.extend([text(name), text(value)].concat());
    }
    bytes.extend(b"uuub.");
    bytes
}

#[test]
fn mem0_keeps_users_apart_and_what_was_deleted_away() {
    let fixture = Fixture::new();
    fixture.database("qdrant/collection/mem0/storage.sqlite", "CREATE TABLE points(id TEXT, point BLOB);");
    let connection = Connection::open(fixture.path("qdrant/collection/mem0/storage.sqlite")).expect("open");
    for (id, payload) in [
        ("1", vec![("data", "I keep bees."), ("user_id", "ada"), ("role", "user")]),
        (
            "2",
            vec![
                ("data", "Ada has four hives."),
                ("user_id", "ada"),
                ("attributed_to", "user"),
                ("role", "user"),
            ],
        ),
        ("3", vec![("data", "Bo has a key."), ("user_id", "bo"), ("role", "user")]),
    ] {
        connection.execute("INSERT INTO points VALUES(?, ?)", (id, pickled(id, &payload))).expect("a row");
    }
    connection
        .execute("INSERT INTO points VALUES('9', ?)", [b"\x80\x04\x8c\x05posix\x8c\x06system\x93.".to_vec()])
        .expect("a row");
    fixture.database("history.db", "
        CREATE TABLE history(id, memory_id, old_memory, new_memory, event, created_at, updated_at, role);
        INSERT INTO history VALUES('a', '7', NULL, 'The code is 1234.', 'ADD', '2026-05-01T09:00:00Z', NULL, 'user');
        INSERT INTO history VALUES('b', '7', 'The code is 1234.', NULL, 'DELETE', '2026-05-01T09:00:00Z', NULL, 'user');
        INSERT INTO history VALUES('c', '8', NULL, 'Honey is sweet.', 'ADD', '2026-05-01T09:00:00Z', NULL, NULL);");
    let found = becomes(&fixture.path(""));
    assert!(found.contains(&"messages user of ada: I keep bees.".to_owned()), "{found:?}");
    assert!(found.contains(&"memories tool mem0 of ada: Ada has four hives.".to_owned()), "{found:?}");
    assert!(found.contains(&"messages user of bo: Bo has a key.".to_owned()), "{found:?}");
    assert!(
        found.iter().any(|line| line.contains("cannot be read safely") && line.contains("`system`")),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|line| line.contains("1234") || line.contains("Honey")),
        "beside the store: {found:?}"
    );
    let rescued = becomes(&fixture.path("history.db"));
    assert!(rescued.contains(&"memories tool mem0: Honey is sweet.".to_owned()), "{rescued:?}");
    assert!(!rescued.iter().any(|line| line.contains("1234")), "{rescued:?}");
    assert!(planned(&fixture.path(""))[&Product::Mem0].is_shared());
    let list = fixture.json("get_all.json", &json!({"results": [{"id": "5", "memory": "Old.", "replaced_by": "6"}, {"id": "6", "memory": "New."}]}));
    assert_lines(&list, &["left 1: memories that a later one replaced", "memories tool mem0: New."]);
}

#[test]
fn openmemory_leaves_what_was_deleted_and_its_stale_vectors() {
    let fixture = Fixture::new();
    let path = fixture.database("openmemory.db", "
        CREATE TABLE users(id, user_id); INSERT INTO users VALUES('u1', 'ada');
        CREATE TABLE apps(id, name); INSERT INTO apps VALUES('a1', 'cursor');
        CREATE TABLE categories(id, name); CREATE TABLE memory_categories(memory_id, category_id);
        CREATE TABLE memories(id, user_id, app_id, content, metadata, state, created_at, updated_at, deleted_at);
        INSERT INTO memories VALUES('m1', 'u1', 'a1', 'Ada keeps bees.', '{}', 'active', '2026-03-09 18:20:00.000000', '2026-03-09 18:20:00.000000', NULL);
        INSERT INTO memories VALUES('m2', 'u1', 'a1', 'The code is 1234.', '{}', 'deleted', '2026-03-09 18:20:00.000000', '2026-03-09 18:21:00.000000', 'x');");
    assert_lines(&path, &["memories tool openmemory of ada: Ada keeps bees.", "left 1: deleted memories"]);
}

#[test]
fn graphs_become_sentences() {
    let fixture = Fixture::new();
    let server = fixture.lines("memory.jsonl", &[
        json!({"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Keeps bees"]}),
        json!({"type": "relation", "from": "default_user", "to": "Hive_1", "relationType": "looks_after"}),
    ]);
    assert_lines(
        &server,
        &[
            "memories tool mcp-memory: The user: Keeps bees",
            "relations tool mcp-memory: The user looks after Hive 1.",
        ],
    );
    let palace = fixture.database("knowledge_graph.sqlite3", "
        CREATE TABLE entities(id, name); INSERT INTO entities VALUES('ada', 'Ada'), ('port', 'Port Sable');
        CREATE TABLE triples(id, subject, predicate, object, valid_from, valid_to, extracted_at);
        INSERT INTO triples VALUES('t1', 'ada', 'lives_in', 'port', '2019-08-01', '2026-03-08', '2026-06-02 09:00:01');");
    assert_lines(
        &palace,
        &["relations tool mempalace: Ada lives in Port Sable (from 2019-08-01 until 2026-03-08)."],
    );
    let dump = fixture.json("graph.json", &json!({
        "episodes": [{"uuid": "e1", "group_id": "ada", "source": "message", "content": "Ada: I keep bees.\nKeeper: Noted.", "valid_at": "2026-03-09T18:20:00"}],
        "nodes": [], "edges": [
            {"uuid": "f1", "group_id": "ada", "fact": "Ada keeps bees", "invalid_at": null},
            {"uuid": "f2", "group_id": "ada", "fact": "Ada keeps hens", "invalid_at": "2026-01-01T00:00:00"}]}));
    assert_lines(
        &dump,
        &[
            "messages user Ada of ada: I keep bees.",
            "messages tool Keeper of ada: Noted.",
            "relations tool graphiti of ada: Ada keeps bees",
            "left 1: facts that hold no longer",
        ],
    );
    let cognee = fixture.json("cognee.json", &json!({
        "nodes": [{"id": "1", "type": "DocumentChunk", "text": "Ada keeps bees."}, {"id": "2", "type": "Entity", "name": "ada", "description": "A keeper"}],
        "edges": [{"source": "1", "target": "2", "relationship_name": "contains"}, {"source": "2", "target": "3", "relationship_name": "lives_in", "edge_text": "ada lives in port"}]}));
    assert_lines(
        &cognee,
        &[
            "documents tool cognee: Ada keeps bees.",
            "memories tool cognee: ada: A keeper",
            "left 1: edges that only hold the graph together",
            "relations tool cognee: ada lives in port",
        ],
    );
}

#[test]
fn letta_speaks_through_its_tool_and_its_persona_waits_for_the_operator() {
    let fixture = Fixture::new();
    let wrapped = json!({"type": "user_message", "message": "Count the hives."}).to_string();
    let beat = json!({"type": "heartbeat"}).to_string();
    let file = json!({"name": "keeper", "core_memory": [{"label": "persona", "value": "I am Keeper."}, {"label": "human", "value": "Ada keeps bees."}],
        "tool_exec_environment_variables": [{"key": "TOKEN", "value": "1234"}],
        "messages": [
            {"role": "system", "content": "prompt"},
            {"role": "user", "created_at": "2025-03-24T03:03:00Z", "content": [{"type": "text", "text": wrapped}]},
            {"role": "assistant", "created_at": "2025-03-24T03:03:09Z", "content": "I think.", "tool_calls": [{"function": {"name": "send_message", "arguments": "{\"message\":\"Four.\"}"}}]},
            {"role": "tool", "name": "send_message", "content": "OK"},
            {"role": "user", "content": beat}]});
    let expected = [
        "SOUL.md: I am Keeper.",
        "ANCHOR.md: Ada keeps bees.",
        "memories tool letta: Ada keeps bees.",
        "left 1: environment variables and secrets of an agent",
        "left 1: system prompts",
        "messages user of keeper: Count the hives.",
        "left 1: the model's thoughts",
        "messages assistant of keeper: Four.",
        "left 1: heartbeats and notices of the program",
        "left 1: an agent file has no archival memory: give its listing, too",
    ];
    assert_lines(&fixture.json("keeper.af", &file), &expected);
    assert_lines(&fixture.json("twice.af", &json!(file.to_string())), &expected);
}

#[test]
fn letta_code_hindsight_and_notes_are_read_as_they_lie_there() {
    let fixture = Fixture::new();
    fixture.json("lc/agents/a.json", &json!({"id": "a1"}));
    fixture.json("lc/conversations/c/conversation.json", &json!({"id": "c1", "agent_id": "a1"}));
    fixture.lines("lc/conversations/c/messages.jsonl", &[
        json!({"type": "session", "version": 3, "id": "c1", "cwd": "/src/hive"}),
        json!({"type": "message", "id": "1", "timestamp": "2026-11-17T01:59:15Z", "message": {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>\nx\n</system-reminder>"}, {"type": "text", "text": "Count."}]}}),
    ]);
    fixture.write("lc/memfs/a1/memory/persona.md", "---\nname: Persona\n---\nI am Keeper.\n");
    fixture.write("lc/memfs/a1/memory/hives.md", "Four hives.\n");
    assert_lines(
        &fixture.path("lc"),
        &["messages user: Count.", "knowledge hives.md", "SOUL.md: I am Keeper."],
    );

    let document =
        |id: &str, text: &str, facts: Value| json!({"id": id, "original_text": text, "facts": facts});
    let zip = fixture.zip(
        "bank.zip",
        &[
            ("manifest.json", json!({"source_bank_id": "keeper"})),
            (
                "documents/000000.json",
                document("d1", "user: Bees?\nassistant: Four hives.", json!([{"text": "Four hives."}])),
            ),
            ("documents/000001.json", document("d2", "The code is 1234.", json!([]))),
            ("directives.json", json!([{"name": "Units", "content": "Be brief."}])),
        ],
    );
    let found = becomes(&zip);
    assert!(found.contains(&"messages user of keeper: Bees?".to_owned()), "{found:?}");
    assert!(found.contains(&"AGENTS.md: Be brief.".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("1234")), "{found:?}");

    fixture.write(
        "notes/bees/Hive.md",
        "---\ntitle: Hive\npermalink: main/hive\n---\n\n- [count] Four hives #bees\n",
    );
    assert_lines(&fixture.path("notes"), &["knowledge bees"]);
}

#[test]
fn palaces_join_their_chunks_and_say_nothing_twice() {
    let fixture = Fixture::new();
    let path = fixture.database("palace/sqlite_exact.sqlite3", "
        CREATE TABLE collections(id INTEGER, name); INSERT INTO collections VALUES(1, 'mempalace_drawers');
        CREATE TABLE documents(collection_id, id, document, metadata_json);
        INSERT INTO documents VALUES(1, 'n_0', 'Ada keeps four hiv', '{\"parent_drawer_id\":\"n\",\"chunk_index\":0,\"added_by\":\"ada\",\"wing\":\"bees\"}');
        INSERT INTO documents VALUES(1, 'n_1', 'four hives.', '{\"parent_drawer_id\":\"n\",\"chunk_index\":1,\"added_by\":\"ada\",\"wing\":\"bees\"}');
        INSERT INTO documents VALUES(1, 's_1', 'USER: How many?', '{\"ingest_mode\":\"sweep\",\"role\":\"user\",\"message_uuid\":\"u1\",\"session_id\":\"s1\",\"source_file\":\"/x/chat.jsonl\",\"timestamp\":\"2026-05-02T08:00:00Z\"}');
        INSERT INTO documents VALUES(1, 'c_1', '> How many?\nFour.', '{\"ingest_mode\":\"convos\",\"source_file\":\"/x/chat.jsonl\"}');");
    let found = becomes(&path);
    assert!(found.contains(&"messages user: How many?".to_owned()), "{found:?}");
    assert!(found.contains(&"memories tool mempalace: Ada keeps four hives.".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("Four.")), "{found:?}");
}
