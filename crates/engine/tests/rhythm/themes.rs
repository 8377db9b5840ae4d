//! Themes with and without a language model: what it says is held against what it was made of, and whatever it does the
//! night goes on.

use crate::rhythm::world::{CONFIG, START, World, about, memory, single};
use cairn_domain::{Draft, Evidence, Memory, RecordKind, Role, Status};
use cairn_engine::{
    Effects, Question,
    models::scripted::{ScriptedModel, ScriptedReply},
};
use cairn_store::MemoryAttachments;
use cairn_testkit::run;
use serde_json::json;
use std::{sync::Arc, time::Duration};

const PARTS: [&str; 3] =
    ["The kiln stood in Porto.", "The kiln was from 1998.", "The kiln was sold to Marta."];
const WORDED: &str = "The kiln from 1998 stood in Porto and was sold to Marta.";

/// A theme without a language model: what its members share, and each of them in its own words.
async fn quoted(world: &World, title: &str, parts: &[&str]) -> String {
    let mut lines = vec![title.to_owned()];
    for part in parts {
        lines.push(format!("- “{part}” [{}]", world.memory(part).await.memory.id));
    }
    lines.join("\n")
}

/// The theme that comes of three fading memories if a model replies so, how often one was asked, and the theme of quotations.
async fn theme(replies: Vec<ScriptedReply>) -> (String, usize, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let model = Arc::new(ScriptedModel::new("scripted", replies));
    let asked = Arc::clone(&model);
    let world = World::with(folder.path(), START, CONFIG, move |home| home.with_language_model(model)).await;
    world.make(PARTS.map(|text| (memory(text), about(text, &["Kiln"]))).to_vec()).await;
    world.pass_days(90);
    world.dream().await;
    let part = world.memory(PARTS[0]).await;
    assert_eq!(part.memory.status, Status::Superseded);
    let all = world.all().await;
    let theme = all.iter().find(|record| Some(record.number) == part.superseded_by).expect("a theme");
    let mean = PARTS.len() as f64 * part.memory.importance / PARTS.len() as f64;
    assert!(theme.memory.importance <= mean + 1e-9, "a theme matters no more than its members");
    (theme.memory.text.clone(), asked.asked().len(), quoted(&world, "Kiln", &PARTS).await)
}

/// covers: C-83, X-B11
#[test]
fn a_model_may_word_a_theme_and_nothing_it_makes_up_is_taken() {
    run(async {
        let (text, calls, _) = theme(vec![ScriptedReply::Good(json!({"text": WORDED}))]).await;
        assert_eq!((text.as_str(), calls), (WORDED, 1));
        let made_up = "The kiln from 1998 stood in Porto and was sold to Marta for 900 euros.";
        for reply in [
            ScriptedReply::Hostile(json!({"text": made_up})),
            ScriptedReply::Good(json!({"text": "The kiln stood in Porto."})),
            ScriptedReply::Malformed("Sure! Here is the text.".to_owned()),
            ScriptedReply::Truncated,
            ScriptedReply::Unreachable,
            ScriptedReply::Refuse(500),
        ] {
            let told = format!("{reply:?}");
            let (text, _, quoted) = theme(vec![reply]).await;
            assert_eq!(text, quoted, "{told}");
        }
        let (text, _, quoted) = theme(Vec::new()).await;
        assert_eq!(text, quoted);
    });
}

/// covers: C-83
#[test]
fn a_model_that_is_slow_is_not_waited_for_for_ever() {
    run(async {
        tokio::time::pause();
        let slow = ScriptedReply::Slow(Duration::from_hours(1), json!({"text": WORDED}));
        let (text, _, quoted) = theme(vec![slow]).await;
        assert_eq!(text, quoted);
    });
}

/// covers: C-84, X-P7, X-B4
#[test]
fn what_can_change_its_value_is_left_alone_and_a_theme_grows() {
    run(async {
        let world = World::new().await;
        let lives = "User lives in Lisbon.";
        let mut told: Vec<(Memory, _)> = PARTS.map(|text| (memory(text), about(text, &["Kiln"]))).to_vec();
        told.push((memory(lives), single(about(lives, &["Kiln"]))));
        world.make(told).await;
        world.pass_days(90);
        world.dream().await;
        assert_eq!(world.memory(lives).await.memory.status, Status::New, "a move must find it");
        let later = ["The kiln needed a door.", "The kiln had two shelves.", "The kiln was loud."];
        let at = crate::rhythm::world::day(90);
        let made = later.map(|text| {
            (
                Memory { valid_from: at, accessed_at: at, recorded_at: at, ..memory(text) },
                about(text, &["Kiln"]),
            )
        });
        world.make(made.to_vec()).await;
        world.pass_days(90);
        world.dream().await;
        let all: Vec<&str> = PARTS.into_iter().chain(later).collect();
        let grown = world.memory(&quoted(&world, "Kiln", &all).await).await;
        let why = world.agent.why_memory(grown.memory.id).await.expect("why");
        assert_eq!(why.revisions.len(), 2, "what it said before is still there");
        assert_eq!(why.evidence.len(), 6);
        for part in later {
            assert_eq!(world.memory(part).await.superseded_by, Some(grown.number));
        }
    });
}

/// The digest of the day on which five things were told, and who made it, if a model replies so.
async fn day(replies: Vec<ScriptedReply>) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let model = Arc::new(ScriptedModel::new("scripted", replies));
    let world = World::with(folder.path(), START, CONFIG, move |home| home.with_language_model(model)).await;
    world.make(PARTS.map(|text| (memory(text), about(text, &["Kiln"]))).to_vec()).await;
    world.pass_days(2);
    let report = world.agent.run_rhythm("digests", &mut |_| {}).await.expect("run");
    assert_eq!(report.outcome, cairn_engine::RhythmOutcome::Done, "whatever a model does, the rhythm ends");
    let days = world.agent.digests(cairn_domain::DigestKind::Day, None, 10).await.expect("digests");
    let digest = days[0].digest.clone();
    (digest.text, digest.made_by)
}

/// covers: C-213, C-216, W-137, X-B10
#[test]
fn a_model_may_say_a_digest_as_a_paragraph_and_the_lines_stand_whatever_it_does() {
    run(async {
        let lines = "- The kiln stood in Porto.\n- The kiln was from 1998.\n- The kiln was sold to Marta.";
        let told = day(vec![ScriptedReply::Good(json!({"text": WORDED}))]).await;
        assert_eq!(told, (WORDED.to_owned(), "scripted".to_owned()));
        for reply in [
            ScriptedReply::Hostile(json!({"text": "The kiln from 1998 was sold to Marta for 900 euros."})),
            ScriptedReply::Malformed("Sure! Here is the text.".to_owned()),
            ScriptedReply::Truncated,
            ScriptedReply::Unreachable,
            ScriptedReply::Refuse(500),
        ] {
            let what = format!("{reply:?}");
            assert_eq!(day(vec![reply]).await, (lines.to_owned(), "rules".to_owned()), "{what}");
        }
    });
}

/// A theme stands for its parts and takes nothing back: the words they rest on still hold, and the digest that tells them
/// still answers.
#[test]
fn what_became_part_of_a_theme_was_not_replaced() {
    run(async {
        let world = World::new().await;
        for text in PARTS {
            let said = world.agent.remember(Draft::new(Role::User, text)).await.expect("kept").message;
            let evidence =
                vec![Evidence::support(said.to_string(), "user", text, crate::rhythm::world::start())];
            world.make(vec![(memory(text), MemoryAttachments { evidence, ..about(text, &["Kiln"]) })]).await;
        }
        world.pass_days(2);
        world.agent.run_rhythm("digests", &mut |_| {}).await.expect("run");
        world.pass_days(90);
        world.dream().await;
        assert_eq!(world.memory(PARTS[0]).await.memory.status, Status::Superseded);
        let hits = async |kind| {
            let question = Question { kinds: vec![kind], ..Question::new("Where did the kiln stand?") };
            world.agent.answer(question, Effects::None).await.expect("an answer").hits
        };
        let said = hits(RecordKind::Exchange).await;
        assert!(!said.is_empty() && said.iter().all(|hit| hit.replaced_by.is_none()), "{said:?}");
        let digests = hits(RecordKind::Digest).await;
        assert!(digests.iter().any(|hit| hit.found.text().contains(PARTS[0])), "{digests:?}");
    });
}
