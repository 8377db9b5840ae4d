//! The life of beliefs: created, reinforced, contradicted, superseded, invalidated, stale, and explained.

use crate::belief::world::World;
use cairn_domain::{BeliefKind, BeliefLane, BeliefStatus, Form, ReceiptAction, Ref, Role, Stance};
use cairn_engine::{Audience, BeliefEvidence, Briefing, Effects, Question, UseOutcome};
use cairn_store::LinkEnd;
use cairn_testkit::run;

const RESIDENCE: &str = "entity:user:identity:residence";

/// covers: K-02, K-12, K-31, K-41, K-42, K-43, K-44, K-52, K-60, K-87
#[test]
fn what_three_memories_say_becomes_one_belief_with_three_supports() {
    run(async {
        let world = World::new().await;
        for text in [
            "I prefer PostgreSQL over MongoDB.",
            "I prefer PostgreSQL over MongoDB for ACID compliance.",
            "I prefer PostgreSQL over MongoDB, really.",
        ] {
            world.user(text).await;
            world.pass(2);
        }
        let report = world.run("beliefs").await;
        assert!(report.steps[0].changed >= 1, "{report:?}");
        let why = world.why("entity:user:operator_preference:prefers.mongodb-postgresql").await;
        let belief = &why.record.belief;
        assert_eq!((belief.value.as_str(), belief.kind), ("postgresql", BeliefKind::OperatorPreference));
        assert_eq!((belief.status, belief.lane), (BeliefStatus::Active, BeliefLane::Candidate));
        assert_eq!((belief.parts.source_count, belief.parts.source_diversity), (3, 1), "{:?}", belief.parts);
        let supports = why.evidence.iter().filter(|one| one.link.evidence.stance == Stance::Support);
        let words: Vec<_> = supports
            .map(|one| one.sources[0].message.as_ref().expect("words").message.text.clone())
            .collect();
        assert_eq!(words.len(), 3, "{words:?}");
        assert!(why.evidence.iter().flat_map(|one| &one.sources).all(|source| source.holds));
        assert!(why.in_words.starts_with("3 sources, last support 2 days ago"), "{}", why.in_words);
        assert_eq!(why.receipts[0].action, ReceiptAction::Create);
        // Nothing new, nothing done.
        let again = world.run("beliefs").await;
        assert_eq!(again.steps[0].changed, 0);
        world.verified().await;
    });
}

/// covers: K-13
#[test]
fn the_examples_of_the_seed_are_held() {
    run(async {
        let world = World::new().await;
        for (text, key) in [
            (
                "I prefer PostgreSQL over MongoDB for ACID compliance.",
                "entity:user:operator_preference:prefers.mongodb-postgresql",
            ),
            (
                "Project callscrub.io is in active development, targeting Q2 launch.",
                "project:callscrub-io:project_state:status.activ-develop-target-q2-launch",
            ),
            (
                "The Telegram channel processes approximately 40 messages per day.",
                "global:world_fact:habit.telegram-channel-process-approxim-messag-day",
            ),
            (
                "I respond best to concise technical summaries, not verbose explanations.",
                "entity:user:operator_preference:response_style.respond-best-concis-technic-summari",
            ),
        ] {
            world.user(text).await;
            world.run("beliefs").await;
            let all: Vec<String> = world.all().await.into_iter().map(|record| record.belief.key).collect();
            assert!(all.contains(&key.to_owned()), "{text}: {all:?}");
        }
    });
}

/// covers: K-08, K-75, K-76, K-115
#[test]
fn a_change_is_another_belief_and_the_old_one_stays() {
    run(async {
        let world = World::new().await;
        for text in ["I live in Oslo.", "I moved to Bergen last week.", "I moved to Oslo again."] {
            world.user(text).await;
            world.run("beliefs").await;
            world.pass(10);
        }
        let story = world.story(RESIDENCE).await;
        let expected = [
            ("oslo", BeliefStatus::Superseded),
            ("bergen", BeliefStatus::Superseded),
            ("oslo", BeliefStatus::Active),
        ];
        assert_eq!(
            story.iter().map(|(value, status)| (value.as_str(), *status)).collect::<Vec<_>>(),
            expected
        );
        let why = world.why(RESIDENCE).await;
        let before: Vec<&str> = why.before.iter().map(|record| record.belief.value.as_str()).collect();
        assert_eq!(before, ["bergen", "oslo"], "the chain leads back");
        let bergen = world.agent.why_belief(why.before[0].belief.id).await.expect("kept");
        assert!(
            bergen.evidence.iter().any(|one| one.link.evidence.stance == Stance::Contradict),
            "{bergen:?}"
        );
        assert_eq!(bergen.after.map(|record| record.belief.id), Some(why.record.belief.id));
        assert!(bergen.would_change[0].starts_with("nothing"), "{:?}", bergen.would_change);
        world.verified().await;
    });
}

/// A link names a memory or an entity; what leads from one belief to another is only that it took the other's place.
///
/// covers: K-33, K-77
#[test]
fn a_lesson_is_evidence_and_a_belief_never_is() {
    run(async {
        let world = World::new().await;
        world.user("The harbour office is closed on Mondays.").await;
        world.pass(1);
        world.user("Actually, the harbour office is closed on Tuesdays.").await;
        world.run("digests").await;
        world.run("beliefs").await;
        let mut roles = Vec::new();
        for record in world.all().await {
            let why = world.agent.why_belief(record.belief.id).await.expect("known");
            for BeliefEvidence { link, memory, .. } in why.evidence {
                match link.to {
                    LinkEnd::Memory(_) => assert!(memory.is_some(), "{link:?}"),
                    LinkEnd::Entity(_) => assert!(memory.is_none(), "{link:?}"),
                }
                roles.push((link.evidence.role, memory.map(|record| record.memory.form)));
            }
        }
        assert!(roles.contains(&("lesson".to_owned(), Some(Form::Lesson))), "{roles:?}");
        world.verified().await;
    });
}

/// covers: K-30, K-68, K-86, X-K5
#[test]
fn what_ended_is_invalidated() {
    run(async {
        let world = World::new().await;
        for text in ["I smoke.", "I smoke, I know.", "I quit smoking."] {
            world.user(text).await;
            world.run("beliefs").await;
            world.pass(10);
        }
        let story = world.story("entity:user:identity:habit.smoke").await;
        assert_eq!(story, [("smoke".to_owned(), BeliefStatus::Invalidated)]);
        let gone = world.all().await.remove(0);
        assert!(gone.belief.parts.contradiction_weight > gone.belief.parts.support_weight, "{gone:?}");
        world.verified().await;
    });
}

/// covers: K-28, K-63, K-64, K-65, K-66, K-67, X-K4, X-K7
#[test]
fn a_belief_goes_stale_in_its_own_time_and_comes_back_with_support() {
    run(async {
        let world = World::new().await;
        world.user("I live in Oslo.").await;
        world.user("I prefer PostgreSQL over MongoDB.").await;
        world.run("beliefs").await;
        let status = async |key: &str| world.standing(key).await.expect("it stands").belief.status;
        let choice = "entity:user:operator_preference:prefers.mongodb-postgresql";
        world.pass(31);
        world.run("revalidation").await;
        assert_eq!(
            (status(RESIDENCE).await, status(choice).await),
            (BeliefStatus::Active, BeliefStatus::Stale)
        );
        world.pass(60);
        world.run("revalidation").await;
        assert_eq!(status(RESIDENCE).await, BeliefStatus::Stale);
        let again = world.run("revalidation").await;
        assert_eq!(again.steps.iter().map(|step| step.changed).sum::<u64>(), 0, "once is enough");
        world.user("I live in Oslo.").await;
        world.run("revalidation").await;
        let why = world.why(RESIDENCE).await;
        assert_eq!(why.record.belief.status, BeliefStatus::Active);
        assert_eq!(
            why.receipts.last().map(|receipt| receipt.action),
            Some(ReceiptAction::Reactivate),
            "{why:?}"
        );
        assert_eq!(world.story(RESIDENCE).await.len(), 1, "the same row");
    });
}

/// covers: K-86, X-K5
#[test]
fn a_correction_counts_at_once() {
    run(async {
        let world = World::new().await;
        for _ in 0..3 {
            world.user("I work at Siemens.").await;
            world.pass(3);
        }
        world.run("beliefs").await;
        let key = "entity:user:identity:employer";
        let id = world.standing(key).await.expect("held").belief.id;
        world.correct(Ref::Belief(id), Role::User, "I work at Bosch.").await;
        let why = world.why(key).await;
        assert_eq!(why.record.belief.value, "bosch", "no rhythm was needed");
        assert_eq!(why.receipts[0].actor, "user");
        let nothing = world.run("beliefs").await;
        assert_eq!(nothing.changes, []);
        assert_eq!(world.why(key).await.record.belief.value, "bosch");
        world.verified().await;
    });
}

/// covers: K-34, K-88, X-K9
#[test]
fn what_was_of_use_speaks_for_a_belief_once() {
    run(async {
        let world = World::new().await;
        world.user("I live in Oslo.").await;
        world.run("beliefs").await;
        let before = world.why(RESIDENCE).await.record.belief;
        for _ in 0..3 {
            world
                .agent
                .rate_record(Ref::Belief(before.id), UseOutcome::Success, Audience::Operator)
                .await
                .expect("taken");
        }
        let why = world.why(RESIDENCE).await;
        let belief = &why.record.belief;
        assert!(belief.confidence > before.confidence, "{belief:?}");
        assert_eq!((belief.parts.source_count, belief.parts.source_diversity), (2, 2), "{belief:?}");
        let praise = why.evidence.iter().find(|one| one.link.evidence.role == "feedback").expect("evidence");
        let memory = praise.memory.as_ref().expect("a memory of its own");
        assert_eq!(memory.memory.form, Form::Reflection);
        assert!(memory.memory.text.contains("was of use") && praise.sources[0].holds, "{praise:?}");
        world
            .agent
            .rate_record(Ref::Belief(before.id), UseOutcome::Failure, Audience::Operator)
            .await
            .expect("taken");
        assert_eq!(
            world.why(RESIDENCE).await.record.belief.confidence.total_cmp(&belief.confidence),
            std::cmp::Ordering::Equal
        );
        world.run("beliefs").await;
        assert_eq!(world.why(RESIDENCE).await.record.belief.parts.source_count, 2);
        world.verified().await;
    });
}

/// covers: K-07, K-37, X-P10
#[test]
fn an_agents_word_against_the_users_is_kept_and_changes_nothing() {
    run(async {
        let world = World::new().await;
        world.user("I live in Oslo.").await;
        world.say(Role::Assistant, "You live in Bergen, and you work at Nokia in Bergen.").await;
        world.run("beliefs").await;
        assert_eq!(world.standing(RESIDENCE).await.expect("held").belief.value, "oslo");
        // Not even if it corrects what the user said, however often.
        for text in ["You live in Bergen.", "You really live in Bergen."] {
            let memory = world.why(RESIDENCE).await.evidence[0].memory.clone().expect("a memory").memory;
            if memory.holds(world.home.now()) {
                world.correct(Ref::Memory(memory.id), Role::Assistant, text).await;
            }
            world.pass(1);
        }
        world.run("beliefs").await;
        let why = world.why(RESIDENCE).await;
        assert_eq!(why.record.belief.value, "oslo");
        let against = why.evidence.iter().filter(|one| one.link.evidence.stance == Stance::Contradict);
        assert!(against.count() >= 1, "what it said is kept: {why:?}");
        world.verified().await;
    });
}

/// Nothing that is held and not verified is part of an answer or of a prompt.
///
/// covers: I2, I12
#[test]
fn what_is_held_reaches_no_answer_and_no_prompt() {
    run(async {
        let world = World::new().await;
        for text in ["I live in Oslo.", "I work at Siemens.", "I prefer tea over coffee.", "My boss is Ana."]
        {
            world.user(text).await;
        }
        let answers = async || {
            let mut answers = Vec::new();
            for query in ["where do I live?", "Siemens", "who is my boss?", "tea or coffee?"] {
                let recall = world.agent.answer(Question::new(query), Effects::None).await.expect("answered");
                answers.extend(
                    recall
                        .hits
                        .iter()
                        .map(|hit| (hit.found.reference().to_string(), hit.found.text().to_owned())),
                );
            }
            let briefing =
                Briefing { query: Some("where do I live?".into()), tokens: 2_000, ..Briefing::default() };
            let brief = world.agent.context(&briefing, Effects::None).await.expect("a brief");
            answers.extend(brief.refs.iter().map(|reference| (reference.clone(), brief.text())));
            answers
        };
        let before = answers().await;
        world.run("beliefs").await;
        assert!(world.all().await.len() >= 4);
        let after = answers().await;
        assert_eq!(before, after);
        assert!(
            after.iter().all(|(reference, text)| !reference.starts_with("blf_") && !text.contains("blf_"))
        );
    });
}

/// covers: K-35, K-38
#[test]
fn entities_stand_beside_a_belief() {
    run(async {
        let world = World::new().await;
        world.user("The port of Redis is 6379.").await;
        world.run("beliefs").await;
        let why = world.why("tool:redis:tooling_state:property.port").await;
        let beside: Vec<&str> = why
            .evidence
            .iter()
            .filter(|one| one.link.evidence.stance == Stance::Context)
            .map(|one| one.link.evidence.source.as_str())
            .collect();
        assert_eq!(beside, ["entity://tech/redis"], "{why:?}");
    });
}
