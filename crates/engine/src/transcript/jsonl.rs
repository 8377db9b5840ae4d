//! Cairn's own format: on each line one message (`text`) or one exchange (`user`, `agent`). The names that
//! other exporters give the same fields are understood; fields that mean nothing here become metadata.

use crate::{
    transcript::fields::{Fields, role_of},
    write::DATA_SOURCE,
};
use cairn_cognition::keywords::names;
use cairn_domain::{DataSource, Draft, Invalid, Mode, Role};

/// The messages of one line.
pub(super) fn drafts(mut line: Fields) -> Result<Vec<Draft>, String> {
    let common = Draft {
        source_id: line.name(&["id"])?,
        session: line.name(&["session", "session_id", "conversation_id"])?,
        thread: line.name(&["thread", "thread_id"])?,
        mode: mode(&mut line)?,
        at: line.time(&["at", "timestamp", "created_at"])?,
        ..Draft::default()
    };
    match line.words(&["text", "content"])? {
        Some(text) => Ok(vec![message(line, common, text)?]),
        None => exchange(line, &common),
    }
}

/// The messages of one line of a feed: nobody said them, whatever the line claims. `data_source` may be `task`, `feed` or,
/// of what another agent has learned, `federation`.
pub(super) fn fed(line: Fields) -> Result<Vec<Draft>, String> {
    let mut drafts = drafts(line)?;
    for draft in &mut drafts {
        draft.role = Role::Tool;
        draft.speaker = draft.speaker.take().filter(|speaker| !is_somebody(speaker));
        let source = draft.metadata.get(DATA_SOURCE).and_then(|source| source.as_str());
        let source = match source {
            None => DataSource::Feed,
            Some(word) => feed_source(word)?,
        };
        draft.metadata.insert(DATA_SOURCE.to_owned(), source.as_str().into());
    }
    Ok(drafts)
}

/// The source that a line of a feed names.
fn feed_source(word: &str) -> Result<DataSource, String> {
    let named = word.parse().ok();
    let is_fed = |it: &DataSource| matches!(it, DataSource::Task | DataSource::Feed | DataSource::Federation);
    named.filter(is_fed).ok_or_else(|| {
        format!("`data_source` is neither task nor feed nor federation: `{}`", word.escape_debug())
    })
}

/// Whether a name stands for the user or the agent.
fn is_somebody(speaker: &str) -> bool {
    names(speaker).iter().any(|name| ["user", "agent", "assistant"].contains(&name.as_str()))
}

fn message(mut line: Fields, common: Draft, text: String) -> Result<Draft, String> {
    let role = match line.name(&["role"])? {
        Some(role) => {
            role_of(&role).ok_or_else(|| format!("`role` is unknown: `{}`", role.escape_debug()))?
        }
        None => Role::User,
    };
    let speaker = line.name(&["speaker", "name"])?;
    Ok(Draft { role, speaker, text, metadata: line.into_metadata(), ..common })
}

/// Both sides carry the id of their line: the role tells them apart.
fn exchange(mut line: Fields, common: &Draft) -> Result<Vec<Draft>, String> {
    let user = line.words(&["user"])?;
    let agent = line.words(&["agent", "assistant"])?;
    let metadata = line.into_metadata();
    let drafts: Vec<Draft> = [(Role::User, user), (Role::Assistant, agent)]
        .into_iter()
        .filter_map(|(role, text)| {
            Some(Draft { role, text: text?, metadata: metadata.clone(), ..common.clone() })
        })
        .collect();
    if drafts.is_empty() {
        return Err("no words: neither `text` nor `user` nor `agent` says anything".to_owned());
    }
    Ok(drafts)
}

fn mode(line: &mut Fields) -> Result<Option<Mode>, String> {
    let parsed = line.name(&["mode"])?.map(|mode| mode.trim().to_ascii_lowercase().parse());
    parsed.transpose().map_err(|refused: Invalid| format!("`mode` is unknown: {refused}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::Time;

    fn read(line: &str) -> Result<Vec<Draft>, String> {
        Fields::parse(line.as_bytes()).and_then(drafts)
    }

    /// covers: L-28
    #[test]
    fn a_message_keeps_every_field_of_its_line() {
        let line = r#"{"id":"ext-1","session":"s1","thread":"t1","at":"2026-11-15T10:00:00Z","role":"assistant",
            "speaker":"Ada","mode":"code","text":" I moved. ","type":"note","tags":[1,null]}"#;
        let drafts = read(line).expect("a message");
        let expected = Draft {
            source_id: Some("ext-1".to_owned()),
            session: Some("s1".to_owned()),
            thread: Some("t1".to_owned()),
            mode: Some(Mode::Code),
            role: Role::Assistant,
            speaker: Some("Ada".to_owned()),
            at: Some(Time::from_millis(1_794_736_800_000)),
            text: " I moved. ".to_owned(),
            metadata: [("type".to_owned(), "note".into()), ("tags".to_owned(), serde_json::json!([1, null]))]
                .into_iter()
                .collect(),
        };
        assert_eq!(drafts, [expected]);
    }

    /// covers: C-265
    #[test]
    fn a_feed_is_said_by_nobody_whatever_it_claims() {
        let fed = |line: &str| Fields::parse(line.as_bytes()).and_then(fed);
        let drafts =
            fed(r#"{"role":"user","text":"The build is green.","data_source":"task"}"#).expect("one");
        assert_eq!((drafts[0].role, &drafts[0].metadata[DATA_SOURCE]), (Role::Tool, &"task".into()));
        assert_eq!(fed(r#"{"text":"Rain tomorrow."}"#).expect("one")[0].metadata[DATA_SOURCE], "feed");
        assert!(fed(r#"{"text":"I am the user","data_source":"user_message"}"#).is_err());
    }

    /// covers: L-28
    #[test]
    fn an_exchange_is_two_messages_with_one_id_and_either_side_may_be_silent() {
        let both =
            read(r#"{"id":7,"at":1794736800,"user":"Where do I live?","agent":"In Lisbon.","page":3}"#)
                .expect("two");
        let said: Vec<_> = both.iter().map(|draft| (draft.role, draft.text.as_str())).collect();
        assert_eq!(said, [(Role::User, "Where do I live?"), (Role::Assistant, "In Lisbon.")]);
        for draft in &both {
            assert_eq!(
                (draft.source_id.as_deref(), draft.at),
                (Some("7"), Some(Time::from_millis(1_794_736_800_000)))
            );
            assert_eq!(draft.metadata["page"], 3);
        }
        for (line, role) in [
            (r#"{"user":"hello","agent":""}"#, Role::User),
            (r#"{"user":null,"agent":"hello"}"#, Role::Assistant),
            (r#"{"assistant":"hello"}"#, Role::Assistant),
        ] {
            let drafts = read(line).expect(line);
            assert_eq!((drafts.len(), drafts[0].role), (1, role), "{line}");
        }
    }

    #[test]
    fn the_names_that_other_exporters_use_are_understood() {
        let line = r#"{"session_id":"s1","thread_id":12,"timestamp":1794736800000,"role":"AI","name":"Ada",
            "content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}],"user":"u-7"}"#;
        let draft = read(line).expect("a message").remove(0);
        assert_eq!((draft.session.as_deref(), draft.thread.as_deref()), (Some("s1"), Some("12")));
        assert_eq!((draft.role, draft.speaker.as_deref()), (Role::Assistant, Some("Ada")));
        assert_eq!((draft.text.as_str(), draft.at), ("one\ntwo", Some(Time::from_millis(1_794_736_800_000))));
        assert_eq!(draft.metadata["user"], "u-7", "beside a text it is only a field");
        for (word, role) in [
            ("human", Role::User),
            ("User", Role::User),
            ("bot", Role::Assistant),
            ("model", Role::Assistant),
            ("agent", Role::Assistant),
            ("developer", Role::System),
            ("function", Role::Tool),
            ("", Role::User),
        ] {
            let line = format!(r#"{{"role":"{word}","text":"hi"}}"#);
            assert_eq!(read(&line).expect("a message")[0].role, role, "{word}");
        }
    }

    /// covers: C-158
    #[test]
    fn a_line_that_cannot_be_kept_says_which_field_is_at_fault() {
        let table = [
            ("{}", "no words"),
            (r#"{"type":"question","id":"q1"}"#, "no words"),
            (r#"{"text":null,"user":"","agent":" \n"}"#, "no words"),
            (r#"{"text":[{"type":"image"}]}"#, "no words"),
            (r#"{"text":5}"#, "`text` is a number"),
            (r#"{"text":{"a":1}}"#, "`text` is an object"),
            (r#"{"user":true}"#, "`user` is true or false"),
            (r#"{"user":"hi","agent":3}"#, "`agent` is a number"),
            (r#"{"text":"hi","id":[1]}"#, "`id` is a list"),
            (r#"{"text":"hi","session_id":{}}"#, "`session_id` is an object"),
            (r#"{"text":"hi","speaker":false}"#, "`speaker` is true or false"),
            (r#"{"text":"hi","role":"wizard"}"#, "`role` is unknown: `wizard`"),
            (r#"{"text":"hi","mode":"garden"}"#, "`mode` is unknown: `garden`"),
            (r#"{"text":"hi","at":"yesterday"}"#, "`at` is not a time: \"yesterday\""),
            (r#"{"text":"hi","created_at":[2026]}"#, "`created_at` is not a time: [2026]"),
            (r#"{"text":"hi","timestamp":9e99}"#, "`timestamp` is not a time"),
        ];
        for (line, problem) in table {
            let found = read(line).expect_err(line);
            assert!(found.starts_with(problem), "{line}: {found}");
        }
    }
}
