//! Kinds of belief, each with its own cadence and freshness; and what a link to its evidence weighs.

use crate::belief::world::World;
use cairn_domain::{BeliefKind, MILLIS_PER_DAY, Stance, SubjectType};
use cairn_testkit::run;

/// covers: K-14, K-19, K-26, K-39
#[test]
fn each_kind_is_told_by_what_is_said_and_is_due_in_its_own_time() {
    run(async {
        let world = World::new().await;
        for (text, kind, subject, cadence_days) in [
            ("I live in Oslo.", BeliefKind::Identity, SubjectType::Entity, 90),
            ("I prefer tea over coffee.", BeliefKind::OperatorPreference, SubjectType::Entity, 30),
            (
                "Project callscrub.io is in active development, targeting Q2 launch.",
                BeliefKind::ProjectState,
                SubjectType::Project,
                7,
            ),
            (
                "The Telegram channel processes approximately 40 messages per day.",
                BeliefKind::WorldFact,
                SubjectType::Global,
                90,
            ),
            ("My sister Ana lives in Bergen.", BeliefKind::RelationshipFact, SubjectType::Entity, 60),
        ] {
            world.user(text).await;
            world.run("beliefs").await;
            let all = world.all().await;
            let found = all.iter().find(|it| it.belief.kind == kind && it.belief.subject_type == subject);
            let Some(record) = found else { panic!("{text}: {all:?}") };
            let belief = &record.belief;
            let due_days = (belief.due_at.millis() - belief.last_supported_at.millis()) / MILLIS_PER_DAY;
            assert_eq!(due_days, cadence_days, "{belief:?}");
            let why = world.why(&belief.key).await;
            let supports: Vec<f64> = why
                .evidence
                .iter()
                .filter(|one| one.link.evidence.stance == Stance::Support)
                .map(|one| one.link.evidence.weight)
                .collect();
            assert_eq!(supports, [1.0], "{text}");
        }
        // What goes out of date in a week is stale while what holds for months is not.
        world.pass(20);
        world.run("revalidation").await;
        let stale: Vec<BeliefKind> = world
            .all()
            .await
            .into_iter()
            .filter(|record| record.belief.status == cairn_domain::BeliefStatus::Stale)
            .map(|record| record.belief.kind)
            .collect();
        assert_eq!(stale, [BeliefKind::ProjectState], "{stale:?}");
    });
}
