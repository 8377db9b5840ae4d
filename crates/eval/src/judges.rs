//! Training: the judges that are shipped, made again from labeled cases. Cases that are held back for reporting are left
//! out.

use crate::labeled::{CaseLine, ChangeLine, KeepLine, RelationLabel, Split};
use cairn_cognition::{
    formation::{LabeledMessage, LabeledText, TaughtPart, train_worth_judge},
    judge::{
        change::{
            CaseMessage, ChangeCase, ChangeRelation, PlainTalk, StatementTeller, TextVectors, change_texts,
            train_change_judge,
        },
        linear::LinearModel,
        worth::{ClauseKind, SpeakerKind},
    },
    sentence::sentences,
};
use cairn_domain::Role;
use cairn_engine::{EngineError, Home};
use std::collections::BTreeMap;

/// Texts that are embedded at a time.
const EMBEDDED_AT_ONCE: usize = 64;
/// The set of single cases: each teaches what kind of thing is said, and nothing about how often.
const SINGLE_CASES: &str = "wish";
/// Of so many cases of change one also teaches what is worth keeping: all of them would outweigh the conversations.
const CASES_PER_WORTH_CASE: usize = 6;

/// The set of everyday talk: it teaches what is worth keeping. Of its clauses so many are chatter that their kinds would drown
/// the others'.
const EVERYDAY_TALK: &str = "daily";

/// The set of talk in which nothing changes: it teaches that, and nothing about what is worth keeping.
const PLAIN_TALK: &str = "talk";

/// A file of weights.
pub struct TrainedJudge {
    /// Its name under `crates/cognition/judges`.
    pub file: &'static str,
    /// Its content.
    pub weights: String,
    /// Cases it was made from.
    pub cases: usize,
}

/// Makes the change judge from labeled cases, with the embedder of `home`.
///
/// # Errors
/// If the embedder does not answer.
pub async fn train_change(
    changes: &[ChangeLine],
    messages: &[KeepLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<TrainedJudge, EngineError> {
    let cases: Vec<ChangeCase> = taught_changes(changes).map(change_case).collect();
    let talks = plain_talks(&taught_messages(messages));
    let texts = change_texts(&cases, &talks);
    let mut vectors = TextVectors::new();
    for (at, some) in texts.chunks(EMBEDDED_AT_ONCE).enumerate() {
        on_stage(&format!("embedding {} of {} texts", at * EMBEDDED_AT_ONCE, texts.len()));
        let found = home.embed(some.to_vec()).await?;
        vectors.extend(some.iter().cloned().zip(found));
    }
    on_stage("fitting the change judge");
    let weights = train_change_judge(&cases, &talks, &vectors).to_text();
    Ok(TrainedJudge { file: "change.tsv", weights, cases: cases.len() })
}

/// Makes the two models of the worth judge from labeled cases; nothing is embedded.
pub fn train_worth(changes: &[ChangeLine], messages: &[KeepLine]) -> [TrainedJudge; 2] {
    let mut taught = taught_messages(messages);
    taught.retain(|line| line.set != PLAIN_TALK);
    let mut labeled = labeled_messages(&taught);
    labeled.extend(taught_changes(changes).step_by(CASES_PER_WORTH_CASE).flat_map(case_messages));
    let models = train_worth_judge(&labeled);
    let judge =
        |file, model: &LinearModel| TrainedJudge { file, weights: model.to_text(), cases: taught.len() };
    [judge("worth.tsv", &models.worth), judge("kind.tsv", &models.kind)]
}

/// The cases of change that are not held back for reporting.
fn taught_changes(changes: &[ChangeLine]) -> impl Iterator<Item = &ChangeLine> {
    changes.iter().filter(|case| case.split != Some(Split::Held))
}

/// The messages that are not held back for reporting.
fn taught_messages(messages: &[KeepLine]) -> Vec<&KeepLine> {
    messages.iter().filter(|line| line.split != Some(Split::Held)).collect()
}

fn change_case(case: &ChangeLine) -> ChangeCase {
    ChangeCase {
        messages: case.messages.iter().map(case_message).collect(),
        known: case.old,
        new: case.new,
        relation: match case.relation() {
            RelationLabel::Repeats => ChangeRelation::Same,
            RelationLabel::Refines => ChangeRelation::MoreExact,
            RelationLabel::Replaces => ChangeRelation::Replaces,
            RelationLabel::Beside => ChangeRelation::Beside,
            RelationLabel::Unrelated => ChangeRelation::Unrelated,
        },
    }
}

fn case_message(message: &CaseLine) -> CaseMessage {
    CaseMessage {
        session: message.session.clone(),
        teller: match message.role {
            Role::User => StatementTeller::User,
            Role::Assistant | Role::Tool | Role::System => StatementTeller::Agent,
        },
        text: message.text.clone(),
    }
}

/// The messages of each person in their own words, without those that correct something.
fn plain_talks(lines: &[&KeepLine]) -> Vec<PlainTalk> {
    let mut talks: BTreeMap<&str, Vec<CaseMessage>> = BTreeMap::new();
    let corrects = |line: &KeepLine| line.clauses.iter().any(|clause| clause.kind == "correction");
    for line in lines {
        let of_person = line.set == PLAIN_TALK || !line.clauses.is_empty();
        let is_talk = line.set != SINGLE_CASES && of_person;
        if is_talk && !corrects(line) {
            talks.entry(&line.conversation).or_default().push(case_message(&line.message));
        }
    }
    talks.into_values().map(|messages| PlainTalk { messages }).collect()
}

fn labeled_messages(lines: &[&KeepLine]) -> Vec<LabeledMessage> {
    let mut before: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut messages = Vec::with_capacity(lines.len());
    for line in lines {
        let text = |kind: &str, text: &str, keep: u8| {
            Some(LabeledText { text: text.to_owned(), keep, kind: ClauseKind::named(kind)? })
        };
        let session = (line.set.as_str(), line.message.session.as_str());
        let told_before = before.insert(session, &line.message.text).unwrap_or_default();
        messages.push(LabeledMessage {
            text: line.message.text.clone(),
            speaker: speaker_kind(&line.message),
            before: told_before.to_owned(),
            said_at: line.message.at,
            conversation: if line.set == SINGLE_CASES {
                line.id.clone()
            } else {
                format!("{}/{}", line.set, line.conversation)
            },
            teaches: match line.set.as_str() {
                SINGLE_CASES => TaughtPart::Kind,
                EVERYDAY_TALK => TaughtPart::Worth,
                _ => TaughtPart::Both,
            },
            clauses: line.clauses.iter().filter_map(|it| text(&it.kind, &it.text, it.keep)).collect(),
            notes: line.notes.iter().filter_map(|it| text(&it.kind, &it.text, line.keep)).collect(),
        });
    }
    messages
}

/// Training examples from the messages of a case: statements that a later question asks for are worth keeping, however
/// they were worded; small talk and statements that only look like a change are not.
fn case_messages(case: &ChangeLine) -> Vec<LabeledMessage> {
    let several = matches!(case.why.as_str(), "chain" | "reversal");
    let unreal = matches!(
        case.why.as_str(),
        "hypothetical" | "question" | "fiction_quote_joke" | "example_log" | "general"
    );
    let mut messages = Vec::new();
    for (place, message) in case.messages.iter().enumerate().filter(|(_, it)| it.role == Role::User) {
        let is_chatter = if place == case.new { unreal } else { place != case.old && !several };
        if place != case.old && !is_chatter {
            continue;
        }
        let label = |text: &str| LabeledText { text: text.to_owned(), keep: 2, kind: ClauseKind::Fact };
        let told: Vec<&str> = sentences(&message.text).into_iter().filter(|it| !it.ends_with('?')).collect();
        messages.push(LabeledMessage {
            text: message.text.clone(),
            speaker: SpeakerKind::Person,
            before: String::new(),
            said_at: message.at,
            conversation: format!("changes/{}", case.id),
            teaches: TaughtPart::Worth,
            clauses: if is_chatter { Vec::new() } else { told.into_iter().map(label).collect() },
            notes: if is_chatter { Vec::new() } else { vec![label(&message.text)] },
        });
    }
    messages
}

fn speaker_kind(message: &CaseLine) -> SpeakerKind {
    let named = message.speaker.as_deref().is_some_and(|name| name != message.role.as_str());
    if message.role == Role::User || named { SpeakerKind::Person } else { SpeakerKind::Assistant }
}
