//! Attachments, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{AttachmentState, RecordKind, Role};
use cairn_engine::{AttachmentTarget, AttachmentUpload, Briefing, Effects, Found, Home, Question};

fn target(session: &str) -> AttachmentTarget {
    AttachmentTarget { session: Some(session.to_owned()), thread: Some("harbour".to_owned()) }
}

fn upload(name: &str, text: &str) -> AttachmentUpload {
    AttachmentUpload { name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

/// covers: W-38, W-39, W-40, W-41, W-43, W-44
pub(super) async fn a_file_is_known_by_its_content_and_found_by_its_words(
    home: &Home,
    clock: &SimulatedClock,
) {
    let agent = agent(home, "main").await;
    let said = agent.remember(say("1", "s1", Role::User, "Look at this.")).await.expect("kept");
    let log = "# Log\n\nThe harbour was dredged in spring.\n";
    let both = vec![upload("log.md", log), upload("a/b/empty.txt", "")];
    let outcomes = agent.attach_uploads(both, &target("s1")).await.expect("attached");
    let ids: Vec<_> =
        outcomes.iter().map(|it| it.result.as_ref().expect("a receipt").attachment.id).collect();
    clock.pass_ms(1_000);
    agent.remember(say("2", "s1", Role::Assistant, "It is deep enough now.")).await.expect("kept");
    let again = agent.attach_uploads(vec![upload("copy.md", log)], &target("s2")).await.expect("attached");
    let again = again[0].result.as_ref().expect("a receipt");
    assert!(again.known && again.attachment.id == ids[0]);

    let listed = agent.attachments(&AttachmentTarget::default(), 10).await.expect("listed");
    assert_eq!(listed.iter().map(|it| it.attachment.id).collect::<Vec<_>>(), [ids[0], ids[1]]);
    let seen = &listed[0];
    assert_eq!((seen.state, seen.turns.len()), (AttachmentState::Uploaded, 2));
    assert_eq!(seen.turns[0].message, Some(said.message), "the turn is what was said last");
    assert_eq!(seen.observation.as_ref().map(|(_, words)| words.as_str()), Some("It is deep enough now."));
    assert_eq!(listed[1].attachment.name, "empty.txt");
    let in_session = agent
        .attachments(&AttachmentTarget { session: Some("s2".to_owned()), thread: None }, 10)
        .await
        .expect("listed");
    assert_eq!(in_session.len(), 1);

    let ask = |text: &str| Question { kinds: vec![RecordKind::Attachment], ..Question::new(text) };
    let answer = agent.answer(ask("when was the harbour dredged?"), Effects::None).await.expect("an answer");
    let Found::Attachment(part) = &answer.hits[0].found else { panic!("no attachment: {answer:?}") };
    assert_eq!((part.receipt.id, part.part.place.as_str()), (ids[0], "L1-L3"));
    let elsewhere = Question { session: Some("s9".to_owned()), ..ask("harbour") };
    assert_eq!(agent.answer(elsewhere, Effects::None).await.expect("an answer").hits, []);
    let thread = Some("harbour".to_owned());
    let briefing = Briefing { thread, tokens: 1_000, ..Briefing::default() };
    let shown = agent.context(&briefing, Effects::None).await.expect("a brief").text();
    assert!(shown.contains("Attached files:") && shown.contains("said about it last"), "{shown}");

    let here = moved(home, &agent).await;
    assert_eq!(here.attachments(&AttachmentTarget::default(), 10).await.expect("listed"), listed);
    let answer = here.answer(ask("when was the harbour dredged?"), Effects::None).await.expect("an answer");
    assert_eq!(answer.hits.len(), 1);
}
