//! Old conversations that hardly anybody opens, and what problems taught.

use crate::rhythm::world::{CONFIG, START, World, about, assert_same, memory};
use cairn_domain::{DigestKind, Draft, Form, Memory, Role};
use cairn_testkit::run;

/// A session of so many messages; its first say something.
async fn talk(world: &World, session: &str, messages: usize) {
    let said = [
        "I live in Lisbon.",
        "My sister Ana works at Bosch in Berlin.",
        "The kiln in Porto fires at 1010 degrees.",
    ];
    let drafts = (0..messages).map(|at| {
        let text =
            said.get(at).map_or_else(|| format!("and so on, for the {at}th time"), |text| (*text).to_owned());
        Draft { session: Some(session.to_owned()), ..Draft::new(Role::User, text) }
    });
    world.agent.remember_all(drafts.collect()).await.expect("kept");
    world.agent.form(&mut |_| {}).await.expect("formed");
}

/// covers: C-262
#[test]
fn an_old_stretch_is_condensed_and_points_back_to_every_word() {
    run(async {
        let world = World::new().await;
        talk(&world, "long ago", 620).await;
        talk(&world, "short", 3).await;
        world.pass_days(80);
        let digests = async || {
            let run = world.agent.run_rhythm("digests", &mut |_| {}).await.expect("run");
            let found = world.agent.digests(DigestKind::Stretch, None, 10).await.expect("digests");
            (run.steps.last().expect("a step").clone(), found)
        };
        assert_eq!(digests().await.1, [], "not old enough");
        world.pass_days(20);
        let (step, found) = digests().await;
        assert_eq!((step.name.as_str(), step.changed), ("stretches", 2));
        let scopes: Vec<&str> = found.iter().map(|record| record.digest.scope.as_str()).collect();
        assert_eq!(scopes, ["session:long ago", "session:long ago#2"]);
        let first = &found[0].digest;
        assert!(first.text.contains("Lisbon") && first.text.contains("Bosch"), "{}", first.text);
        // Every message of it is one step away, in order and once.
        let sources: Vec<String> = found.iter().flat_map(|record| record.digest.sources.clone()).collect();
        assert_eq!(sources.len(), 620);
        for (at, source) in sources.iter().enumerate().step_by(97) {
            let opened = world.agent.messages_behind(source.parse().expect("a ref")).await.expect("opened");
            assert!(at < 3 || opened[0].message.text.contains(&format!("{at}th")), "{at}: {opened:?}");
        }
        let before = world.memories().await;
        world.pass_days(1);
        assert_eq!(digests().await.0.changed, 0, "not twice");
        let stays =
            |rows: Vec<String>| rows.into_iter().filter(|row| row.starts_with("digest ")).collect::<Vec<_>>();
        assert_same(&stays(before), &stays(world.memories().await), "a day later");
    });
}

/// covers: C-262
#[test]
fn a_stretch_that_is_opened_stays_as_it_is() {
    run(async {
        let world = World::new().await;
        talk(&world, "opened", 12).await;
        world.pass_days(95);
        for _ in 0..4 {
            let question = cairn_engine::Question::new("Lisbon Bosch kiln");
            world.agent.answer(question, cairn_engine::Effects::Strengthen).await.expect("found");
        }
        world.agent.run_rhythm("digests", &mut |_| {}).await.expect("run");
        let found = world.agent.digests(DigestKind::Stretch, None, 10).await.expect("digests");
        assert_eq!(found, [], "it was of use today");
    });
}

/// covers: K-04, K-122
#[test]
fn how_a_problem_ended_is_a_lesson_of_its_kind() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let world = World::with(folder.path(), START, CONFIG, |home| home).await;
        let told = |session: &str, text: &str, names: &[&str]| {
            (
                Memory { session: Some(session.to_owned()), stability: 400.0, ..memory(text) },
                about(text, names),
            )
        };
        world
            .make(vec![
                told("a", "The deploy of Atlas fails with a timeout.", &["Atlas"]),
                told("a", "User fixed Atlas by raising the limit.", &["Atlas"]),
                told("b", "The printer in Porto doesn't print.", &["Porto"]),
                told("b", "As a workaround User prints in Lisbon.", &[]),
                told("b", "It turns out that the printer in Porto needs a new drum.", &["Porto"]),
                told("c", "User fixed the door.", &[]),
            ])
            .await;
        world.agent.run_rhythm("digests", &mut |_| {}).await.expect("run");
        let all = world.all().await.into_iter().filter(|record| record.memory.form == Form::Lesson);
        let mut lessons = Vec::new();
        for record in all {
            let why = world.agent.why_memory(record.memory.id).await.expect("why");
            assert_eq!(why.evidence.len(), 2, "it rests on the words of both");
            let kind = why.revisions[0].reason.split(':').next().unwrap_or_default().to_owned();
            lessons.push((kind, record.memory.text));
        }
        lessons.sort();
        let expected = [
            (
                "discovery",
                "The printer in Porto doesn't print. → It turns out that the printer in Porto needs a new drum.",
            ),
            ("success", "The deploy of Atlas fails with a timeout. → User fixed Atlas by raising the limit."),
            ("workaround", "The printer in Porto doesn't print. → As a workaround User prints in Lisbon."),
        ];
        assert_eq!(lessons, expected.map(|(kind, text)| (kind.to_owned(), text.to_owned())));
    });
}
