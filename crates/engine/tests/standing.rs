//! Standing with a language model: it weighs a day as a whole, within what the rules allow, and the rules stand whatever it does.

use cairn_domain::{Draft, Role, StandingDimension};
use cairn_engine::{
    Clock, DimensionStanding, Home, Missing,
    models::{
        LanguageModel,
        scripted::{ScriptedModel, ScriptedReply},
    },
};
use cairn_testkit::{SimulatedClock, run};
use serde_json::json;
use std::sync::Arc;

/// How somebody who owned two mistakes on one day stands, if a model replies so about that day.
fn weighed(reply: ScriptedReply) -> DimensionStanding {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
    let model = Arc::new(ScriptedModel::new("scripted", [reply]));
    let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>).expect("a home");
    let home = home.with_language_model(Arc::clone(&model) as Arc<dyn LanguageModel>);
    run(async {
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
        for text in ["I made a mistake in the invoice.", "I was wrong about the harbor."] {
            agent.remember(Draft::new(Role::User, text.to_owned())).await.expect("kept");
        }
        agent.form(&mut |_| {}).await.expect("formed");
        clock.pass_ms(86_400_000);
        agent.run_rhythm("standing", &mut |_| {}).await.expect("weighed");
        let report = agent.standing(7, 5).await.expect("a report");
        report
            .dimensions
            .into_iter()
            .find(|it| it.dimension == StandingDimension::CourageSelf)
            .expect("there")
    })
}

/// A model is shown the signs of the day that it weighs, over the ends of months and of the year.
///
/// covers: W-137
#[test]
fn a_model_weighs_the_signs_of_one_day_only() {
    for start in
        ["2026-11-14T10:00:00Z", "2026-10-31T10:00:00Z", "2026-11-30T10:00:00Z", "2026-12-31T10:00:00Z"]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = SimulatedClock::at(start);
        let refused = || ScriptedReply::Hostile(json!({"change": 0.5, "rests_on": [3]}));
        let model = Arc::new(ScriptedModel::new("scripted", [refused(), refused()]));
        let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>).expect("a home");
        let home = home.with_language_model(Arc::clone(&model) as Arc<dyn LanguageModel>);
        let report = run(async {
            let agent =
                home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
            for pair in [
                ["I made a mistake in the invoice.", "I was wrong about the harbor."],
                ["I made a mistake in the offer.", "I was wrong about the pier."],
            ] {
                for text in pair {
                    agent.remember(Draft::new(Role::User, text.to_owned())).await.expect("kept");
                }
                agent.form(&mut |_| {}).await.expect("formed");
                clock.pass_ms(86_400_000);
            }
            agent.run_rhythm("standing", &mut |_| {}).await.expect("weighed");
            agent.standing(7, 5).await.expect("a report")
        });
        let asked = model.asked();
        assert_eq!(asked.len(), 2, "{start}");
        for request in asked {
            let content: serde_json::Value = serde_json::from_str(&request.content).expect("JSON");
            assert_eq!(content["signs"].as_array().map(Vec::len), Some(2), "{start}: {content}");
        }
        let days = &report.dimensions.iter().find(|it| it.dimension == StandingDimension::CourageSelf);
        assert!(days.expect("there").days.iter().all(|day| !day.reason.contains("as a whole")), "{report:?}");
    }
}

/// covers: W-137
#[test]
fn a_model_may_weigh_a_day_as_a_whole_within_what_the_rules_allow() {
    let rules = weighed(ScriptedReply::Unreachable);
    let by_rules = rules.days[0].change;
    assert!(by_rules > 0.2, "{rules:?}");
    let judged = weighed(ScriptedReply::Good(json!({"change": by_rules - 0.05, "rests_on": [1, 2]})));
    assert!((judged.days[0].change - (by_rules - 0.05)).abs() < 1e-9, "{judged:?}");
    assert!((judged.score - (rules.score - 0.05)).abs() < 1e-9, "{judged:?}");
    assert!(judged.days[0].reason.contains("as a whole"), "a move says why: {judged:?}");
    let far = weighed(ScriptedReply::Hostile(json!({"change": -0.5, "rests_on": [1]})));
    assert!((far.days[0].change - (by_rules - 0.1)).abs() < 1e-9, "no further than allowed: {far:?}");
    for reply in [
        ScriptedReply::Hostile(json!({"change": 0.5, "rests_on": [7]})),
        ScriptedReply::Hostile(json!({"change": 0.5, "rests_on": []})),
        ScriptedReply::Malformed("Sure! He is brave.".to_owned()),
        ScriptedReply::Truncated,
        ScriptedReply::Refuse(500),
    ] {
        let what = format!("{reply:?}");
        assert_eq!(weighed(reply).days, rules.days, "{what}");
    }
}
