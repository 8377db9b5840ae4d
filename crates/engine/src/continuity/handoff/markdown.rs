//! A handoff as Markdown: a front matter, then sections of lines. A person can read it, and what was rendered is parsed back
//! without loss; anything else is refused, and whoever asked sets it aside.
//!
//! ```text
//! - 2026-11-14 user: “I'll send the draft by 20 November.” [due 2026-11-20, msg_…]
//! ```

use cairn_domain::{Handoff, HandoffLine, HandoffPart, HandoffSection, Invalid, Ref};
use std::fmt::Write;

/// The line around the front matter.
const FENCE: &str = "---";
/// The version of this format, in the front matter.
const FORMAT: &str = "1";
/// Before the day in the brackets of a line.
const DUE: &str = "due ";

/// The handoff as Markdown.
pub(crate) fn render(handoff: &Handoff) -> String {
    let Handoff { agent, thread, session, written_at, reason, exchanges, compactions, sections } = handoff;
    let mut text = format!("{FENCE}\nhandoff: {FORMAT}\nagent: {}\n", quoted(agent));
    if let Some(thread) = thread {
        let _ = writeln!(text, "thread: {}", quoted(thread));
    }
    let _ = writeln!(text, "session: {}", quoted(session));
    let _ = writeln!(text, "written_at: {written_at}\nreason: {reason}");
    let _ = writeln!(text, "exchanges: {exchanges}\ncompactions: {compactions}\n{FENCE}");
    for section in sections {
        let _ = writeln!(text, "\n## {}", section.part);
        for line in &section.lines {
            let due = line.due.map(|day| format!("{DUE}{day}"));
            let marks: Vec<&str> =
                due.as_deref().into_iter().chain(line.refs.iter().map(String::as_str)).collect();
            let _ = writeln!(text, "- {} [{}]", line.text(), marks.join(", "));
        }
    }
    text
}

/// A name as a JSON string, which is YAML as well: whatever is in it, it stands on one line.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// The handoff that [`render`] wrote.
///
/// # Errors
/// If the text is anything else.
pub(crate) fn parse(text: &str) -> Result<Handoff, Invalid> {
    parsed(text).ok_or_else(|| {
        Invalid::new("this is not a handoff that Cairn wrote", "write it again with `cairn handoff write`")
    })
}

fn parsed(text: &str) -> Option<Handoff> {
    let mut lines = text.lines();
    if lines.next()? != FENCE || lines.next()?.strip_prefix("handoff: ")? != FORMAT {
        return None;
    }
    let mut fields: Vec<(&str, &str)> = Vec::new();
    loop {
        match lines.next()? {
            FENCE => break,
            line => fields.push(line.split_once(": ")?),
        }
    }
    let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let name = |value: &str| serde_json::from_str::<String>(value).ok();
    Some(Handoff {
        agent: name(field("agent")?)?,
        thread: field("thread").map(|thread| name(thread).ok_or(())).transpose().ok()?,
        session: name(field("session")?)?,
        written_at: field("written_at")?.parse().ok()?,
        reason: field("reason")?.parse().ok()?,
        exchanges: field("exchanges")?.parse().ok()?,
        compactions: field("compactions")?.parse().ok()?,
        sections: sections(lines)?,
    })
}

fn sections<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<HandoffSection>> {
    let mut sections: Vec<HandoffSection> = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push(HandoffSection { part: heading.parse::<HandoffPart>().ok()?, lines: Vec::new() });
        } else {
            sections.last_mut()?.lines.push(handoff_line(line.strip_prefix("- ")?)?);
        }
    }
    Some(sections)
}

fn handoff_line(line: &str) -> Option<HandoffLine> {
    let (text, marks) = line.strip_suffix(']')?.rsplit_once(" [")?;
    let mut refs: Vec<String> = marks.split(", ").map(str::to_owned).collect();
    let due = refs.first().and_then(|first| first.strip_prefix(DUE)).map(str::parse).transpose().ok()?;
    if due.is_some() {
        refs.remove(0);
    }
    if refs.is_empty() || refs.iter().any(|reference| reference.parse::<Ref>().is_err()) {
        return None;
    }
    let line = HandoffLine::new(text, due, refs);
    // A text that is not on one line by itself was not written here.
    (line.text() == text).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::{Day, HandoffReason, MILLIS_PER_DAY, MessageId, Time};
    use proptest::prelude::*;

    fn any_line() -> impl Strategy<Value = HandoffLine> {
        let odd = prop_oneof![
            Just("- x [msg_1]".to_owned()),
            Just("## Dates".to_owned()),
            Just("---".to_owned()),
            Just("“due 2026-11-20, [msg_2]” (due 2026-11-20)".to_owned()),
            "\\PC{1,60}",
            "(?s).{1,60}",
        ];
        let day = (0_i64..40_000).prop_map(|days| Time::from_millis(days * MILLIS_PER_DAY).day());
        (
            odd,
            proptest::option::of(day),
            proptest::collection::vec(
                any::<[u8; 16]>().prop_map(|id| MessageId::from_bytes(id).to_string()),
                1..4,
            ),
        )
            .prop_map(|(text, due, refs)| HandoffLine::new(&text, due, refs))
            .prop_filter("a text", |line| !line.text().is_empty())
    }

    fn any_handoff() -> impl Strategy<Value = Handoff> {
        let section = (0..HandoffPart::ALL.len(), proptest::collection::vec(any_line(), 1..5))
            .prop_map(|(part, lines)| HandoffSection { part: HandoffPart::ALL[part], lines });
        let sections = proptest::collection::vec(section, 0..6);
        let names = ("[a-z][a-z0-9.-]{0,9}", proptest::option::of("(?s).{1,30}"), "(?s).{1,30}");
        let times = (-62_135_596_800_000_i64..253_402_207_199_999, 0..HandoffReason::ALL.len());
        (names, times, any::<u32>(), any::<u32>(), sections).prop_map(
            |((agent, thread, session), (at, reason), exchanges, compactions, sections)| Handoff {
                agent,
                thread,
                session,
                written_at: Time::from_millis(at),
                reason: HandoffReason::ALL[reason],
                exchanges,
                compactions,
                sections,
            },
        )
    }

    proptest! {
        /// covers: W-26
        #[test]
        fn a_handoff_is_read_back_as_it_was_written(handoff in any_handoff()) {
            prop_assert_eq!(parse(&render(&handoff)), Ok(handoff));
        }

        #[test]
        fn whatever_stands_in_a_file_it_is_read_or_refused(text in "(?s).{0,200}", cut in any::<prop::sample::Index>()) {
            let _ = parse(&text);
            let whole = render(&sample());
            let end = whole.char_indices().map(|(at, _)| at).nth(cut.index(whole.chars().count())).unwrap_or(0);
            if let Ok(read) = parse(&whole[..end]) {
                // What is missing at its end is whole lines.
                prop_assert!(whole.starts_with(render(&read).trim_end()));
            }
        }
    }

    fn sample() -> Handoff {
        let day: Day = "2026-11-20".parse().expect("a day");
        let line = |text: &str, due| HandoffLine::new(text, due, vec!["msg_0".to_owned() + &"a".repeat(25)]);
        Handoff {
            agent: "main".into(),
            thread: Some("tides".into()),
            session: "s1".into(),
            written_at: Time::from_millis(1_794_736_800_000),
            reason: HandoffReason::SessionEnd,
            exchanges: 3,
            compactions: 0,
            sections: vec![
                HandoffSection {
                    part: HandoffPart::WhereWeAre,
                    lines: vec![line("user: “SQLite first.”", None)],
                },
                HandoffSection {
                    part: HandoffPart::Dates,
                    lines: vec![line("user: “by 20 November”", Some(day))],
                },
            ],
        }
    }

    /// covers: W-29
    #[test]
    fn a_person_can_read_it() {
        let expected = "---\nhandoff: 1\nagent: \"main\"\nthread: \"tides\"\nsession: \"s1\"\n\
            written_at: 2026-11-15T10:00:00Z\nreason: session_end\nexchanges: 3\ncompactions: 0\n---\n\n\
            ## Where we are\n- user: “SQLite first.” [msg_0aaaaaaaaaaaaaaaaaaaaaaaaa]\n\n\
            ## Dates\n- user: “by 20 November” [due 2026-11-20, msg_0aaaaaaaaaaaaaaaaaaaaaaaaa]\n";
        assert_eq!(render(&sample()), expected);
    }
}
