//! Language models in order, each behind its guard. Time is the runtime's own and stands still unless somebody waits.

use cairn_domain::Time;
use cairn_models::{
    Budget, GuardedModels, LanguageModel, LanguageModelConfig, ModelCall, ModelError, ModelReply,
    ModelRequest, Spent,
    scripted::{ScriptedModel, ScriptedReply},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::method};

const TIMEOUT: Duration = Duration::from_secs(20);
const NO_LIMIT: Budget = Budget { calls_per_day: u64::MAX, tokens_per_day: u64::MAX };

fn request() -> ModelRequest {
    ModelRequest {
        instructions: "Say whether it is so.".to_owned(),
        content: "It rained in Bursa.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {"so": {"type": "boolean"}},
            "required": ["so"],
            "additionalProperties": false,
        }),
        schema_name: "so",
        most_tokens: 100,
        pictures: Vec::new(),
    }
}

fn yes() -> ScriptedReply {
    ScriptedReply::Good(json!({"so": true}))
}

fn now() -> Time {
    "2026-11-15T10:00:00Z".parse().expect("a time")
}

fn scripted(name: &str, replies: impl IntoIterator<Item = ScriptedReply>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(name, replies))
}

fn guarded(models: &[&Arc<ScriptedModel>], budget: Budget) -> GuardedModels {
    let timed = |model: &&Arc<ScriptedModel>| (Arc::clone(model) as Arc<dyn LanguageModel>, TIMEOUT);
    GuardedModels::new(models.iter().map(timed).collect(), budget)
}

fn value(asked: &ModelReply) -> Option<&Value> {
    asked.answer.as_ref().ok().map(|answer| &answer.value)
}

/// Who was called, in order; a `!` marks a failure.
fn called(asked: &ModelReply) -> String {
    let name = |call: &ModelCall| format!("{}{}", call.model, if call.success() { "" } else { "!" });
    asked.calls.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[tokio::test(start_paused = true)]
async fn the_first_model_that_answers_is_the_last_that_is_asked() {
    let (first, second) = (scripted("first", [yes()]), scripted("second", [yes()]));
    let asked = guarded(&[&first, &second], NO_LIMIT).ask(&request(), now()).await;
    assert_eq!((value(&asked), called(&asked).as_str()), (Some(&json!({"so": true})), "first"));
    assert_eq!((first.asked(), second.asked()), (vec![request()], vec![]));
}

/// covers: W-211
#[tokio::test(start_paused = true)]
async fn whatever_a_model_does_wrong_the_next_one_is_asked_in_order() {
    let hostile = json!({"so": true, "also": "delete everything"});
    for (replies, calls) in [
        (vec![ScriptedReply::Malformed("```json\n{\"so\": true}\n```".to_owned())], "first! last"),
        (vec![ScriptedReply::Malformed("{\"so\": tr".to_owned())], "first! last"),
        (vec![ScriptedReply::Truncated], "first! last"),
        (vec![ScriptedReply::Hostile(hostile)], "first! last"),
        (vec![ScriptedReply::Hostile(json!({"so": "x".repeat(1 << 20)}))], "first! last"),
        (vec![ScriptedReply::Refuse(400)], "first! last"),
        (vec![ScriptedReply::Refuse(401)], "first! last"),
        (vec![ScriptedReply::Refuse(429); 3], "first! first! first! last"),
        (
            vec![ScriptedReply::Refuse(503), ScriptedReply::Unreachable, ScriptedReply::Truncated],
            "first! first! first! last",
        ),
        (vec![ScriptedReply::Slow(TIMEOUT * 2, json!({"so": false})); 3], "first! first! first! last"),
        (vec![ScriptedReply::Refuse(529), yes()], "first! first"),
        (
            vec![ScriptedReply::Unreachable, ScriptedReply::Slow(TIMEOUT / 2, json!({"so": true}))],
            "first! first",
        ),
        (vec![], "first! last"),
    ] {
        let count = replies.len();
        let (first, last) = (scripted("first", replies.clone()), scripted("last", [yes()]));
        let asked = guarded(&[&first, &last], NO_LIMIT).ask(&request(), now()).await;
        assert_eq!(value(&asked), Some(&json!({"so": true})), "{replies:?}");
        assert_eq!((called(&asked).as_str(), first.left()), (calls, 0), "{replies:?}");
        assert_eq!(first.asked().len(), count.max(1), "{replies:?}");
    }
}

/// covers: X-B11
#[tokio::test(start_paused = true)]
async fn with_nobody_to_ask_or_nobody_who_answers_the_reason_is_told() {
    let nobody = guarded(&[], NO_LIMIT);
    assert!(nobody.is_empty());
    let asked = nobody.ask(&request(), now()).await;
    assert!(matches!(asked.answer, Err(ModelError::NoLanguageModel)) && asked.calls.is_empty());
    let (first, second) =
        (scripted("first", [ScriptedReply::Refuse(401)]), scripted("second", [ScriptedReply::Truncated]));
    let asked = guarded(&[&first, &second], NO_LIMIT).ask(&request(), now()).await;
    assert_eq!(called(&asked), "first! second!");
    assert!(matches!(&asked.calls[0].error, Some(ModelError::Refused { status: 401, .. })));
    let error = asked.answer.expect_err("nobody answered");
    assert!(matches!(&error, ModelError::Unusable { model, .. } if model == "second"), "{error}");
    assert!(error.hint().contains("without"), "{}", error.hint());
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_no_longer_than_its_time_and_its_latency_is_told() {
    let slow = ScriptedReply::Slow(Duration::from_secs(19), json!({"so": false}));
    let stuck = ScriptedReply::Slow(Duration::from_hours(1), json!({"so": true}));
    let model = scripted("model", [stuck.clone(), slow, stuck.clone(), stuck.clone(), stuck]);
    let guarded = guarded(&[&model], NO_LIMIT);
    let asked = guarded.ask(&request(), now()).await;
    assert_eq!((value(&asked), called(&asked).as_str()), (Some(&json!({"so": false})), "model! model"));
    let latencies: Vec<u64> = asked.calls.iter().map(|call| call.latency_ms).collect();
    assert_eq!(latencies, [20_000, 19_000]);
    let started = Instant::now();
    let asked = guarded.ask(&request(), now()).await;
    assert!(
        matches!(&asked.answer, Err(ModelError::Unreachable { problem, .. }) if problem == "no answer in time")
    );
    let waits = started.elapsed().saturating_sub(3 * TIMEOUT);
    let (least, most) = (Duration::from_millis(750), Duration::from_millis(2_300));
    assert!((least..most).contains(&waits), "0.25 to 0.75 s, then 0.5 to 1.5 s: {waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_keeps_failing_rests_for_a_minute_and_one_call_tries_it_then() {
    let mut replies = vec![ScriptedReply::Refuse(503); 6];
    replies.extend([yes(), yes()]);
    let first = scripted("first", replies);
    let last = scripted("last", vec![yes(); 6]);
    let guarded = guarded(&[&first, &last], NO_LIMIT);
    let ask = async || called(&guarded.ask(&request(), now()).await);
    assert_eq!(ask().await, "first! first! first! last");
    assert_eq!(ask().await, "first! first! last", "the fifth failure ends the retries");
    assert_eq!(ask().await, "last");
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(ask().await, "last");
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(ask().await, "first! last", "one trial without retries");
    assert_eq!(ask().await, "last");
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(ask().await, "first");
    assert_eq!(ask().await, "first", "well again");
    assert_eq!((first.left(), last.left()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_rests_alone_is_told() {
    let model = scripted("model", vec![ScriptedReply::Refuse(401); 5]);
    let guarded = guarded(&[&model], NO_LIMIT);
    for _ in 0..5 {
        guarded.ask(&request(), now()).await;
    }
    let asked = guarded.ask(&request(), now()).await;
    assert!(matches!(&asked.answer, Err(ModelError::Resting { model }) if model == "model"), "{asked:?}");
    assert!(asked.calls.is_empty());
}

#[tokio::test(start_paused = true)]
async fn why_a_model_failed_says_more_than_that_another_rests() {
    let mut replies = vec![ScriptedReply::Truncated; 4];
    replies.extend([yes(), ScriptedReply::Truncated, ScriptedReply::Truncated]);
    let (first, tired) = (scripted("first", replies), scripted("tired", vec![ScriptedReply::Refuse(401); 5]));
    let guarded = guarded(&[&first, &tired], NO_LIMIT);
    for _ in 0..6 {
        guarded.ask(&request(), now()).await;
    }
    assert_eq!((first.left(), tired.left()), (1, 0), "one failed five times in a row, the other did not");
    let asked = guarded.ask(&request(), now()).await;
    assert!(
        matches!(&asked.answer, Err(ModelError::Unusable { model, .. }) if model == "first"),
        "{asked:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_a_day_are_bounded_for_all_models_together() {
    let budget = Budget { calls_per_day: 3, ..NO_LIMIT };
    let first = scripted("first", [ScriptedReply::Truncated, ScriptedReply::Refuse(400), yes(), yes()]);
    let last = scripted("last", [yes(), ScriptedReply::Truncated]);
    let guarded = guarded(&[&first, &last], budget);
    assert_eq!(guarded.spent(), None);
    assert_eq!(called(&guarded.ask(&request(), now()).await), "first! last");
    assert_eq!(called(&guarded.ask(&request(), now()).await), "first! last!", "a refusal costs nothing");
    let asked = guarded.ask(&request(), now()).await;
    assert!(matches!(asked.answer, Err(ModelError::BudgetSpent)) && asked.calls.is_empty(), "{asked:?}");
    assert_eq!(
        guarded.spent().map(|spent| (spent.day.to_string(), spent.calls)),
        Some(("2026-11-15".into(), 3))
    );
    let tomorrow = "2026-11-16T00:00:00Z".parse().expect("a time");
    assert_eq!(called(&guarded.ask(&request(), tomorrow).await), "first");
    assert_eq!(
        guarded.spent().map(|spent| (spent.day.to_string(), spent.calls)),
        Some(("2026-11-16".into(), 1))
    );
}

#[tokio::test(start_paused = true)]
async fn the_tokens_of_a_day_are_bounded_and_go_on_from_what_was_restored() {
    let model = scripted("model", vec![yes(); 3]);
    let budget = Budget { tokens_per_day: 1_000, ..NO_LIMIT };
    let before = guarded(&[&model], budget);
    let answer = before.ask(&request(), now()).await.answer.expect("an answer");
    let spent = before.spent().expect("something");
    assert_eq!(
        (spent.calls, spent.tokens),
        (1, answer.tokens_in + answer.tokens_out),
        "what it took, not what it might"
    );
    let after = guarded(&[&model], budget);
    after.restore(spent);
    after.ask(&request(), now()).await.answer.expect("an answer");
    assert_eq!(after.spent(), Some(Spent { calls: 2, tokens: spent.tokens * 2, ..spent }));
    after.restore(Spent { tokens: 1_000 - answer.tokens_in - 99, ..spent });
    let asked = after.ask(&request(), now()).await;
    assert!(matches!(asked.answer, Err(ModelError::BudgetSpent)), "100 tokens may come: {asked:?}");
    assert_eq!(model.left(), 1);
    let long = ModelRequest { content: "x".repeat(16 << 20), ..request() };
    after.restore(Spent::nothing(spent.day));
    assert!(matches!(after.ask(&long, now()).await.answer, Err(ModelError::BudgetSpent)));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_could_use_is_paid_for_and_one_that_never_was_is_not() {
    let stuck = ScriptedReply::Slow(TIMEOUT * 2, json!({"so": true}));
    for (reply, calls) in [
        (ScriptedReply::Refuse(401), 0),
        (ScriptedReply::Truncated, 1),
        (ScriptedReply::Malformed("no".to_owned()), 1),
        (ScriptedReply::Hostile(json!([])), 1),
        (stuck, 1),
    ] {
        // What comes after is refused, which is free.
        let model = scripted("model", [reply.clone(), ScriptedReply::Refuse(401)]);
        let guarded = guarded(&[&model], NO_LIMIT);
        guarded.ask(&request(), now()).await.answer.expect_err("nothing to use");
        let spent = guarded.spent().expect("counted");
        assert_eq!((spent.calls, spent.tokens > 0), (calls, calls > 0), "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_stops_waiting_leaves_the_call_paid_and_the_model_usable() {
    let model = scripted("model", [ScriptedReply::Slow(Duration::from_secs(10), json!({"so": true})), yes()]);
    let guarded = guarded(&[&model], NO_LIMIT);
    let request = request();
    let impatient = tokio::time::timeout(Duration::from_secs(1), guarded.ask(&request, now())).await;
    assert!(impatient.is_err());
    assert_eq!(guarded.spent().map(|spent| spent.calls), Some(1));
    assert_eq!(called(&guarded.ask(&request, now()).await), "model");
}

fn configured(server: &MockServer) -> LanguageModelConfig {
    let config = json!({"kind": "openai", "url": server.uri(), "model": "m", "key_env": "THE_KEY"});
    serde_json::from_value(config).expect("fits")
}

fn answers() -> ResponseTemplate {
    let message = json!({"content": "{\"so\": true}"});
    ResponseTemplate::new(200)
        .set_body_json(json!({"choices": [{"finish_reason": "stop", "message": message}]}))
}

/// covers: W-211
#[tokio::test]
async fn a_server_is_asked_again_when_it_wants_and_left_when_it_wants_too_long() {
    let (busy, closed, open) =
        (MockServer::start().await, MockServer::start().await, MockServer::start().await);
    let soon = ResponseTemplate::new(429).insert_header("retry-after", "0");
    Mock::given(method("POST")).respond_with(soon).expect(3).mount(&busy).await;
    let late = ResponseTemplate::new(503).insert_header("retry-after", "21");
    Mock::given(method("POST")).respond_with(late).expect(1).mount(&closed).await;
    Mock::given(method("POST")).respond_with(answers()).expect(1).mount(&open).await;
    let models = [configured(&busy), configured(&closed), configured(&open)];
    let secret = |name: &str| (name == "THE_KEY").then(|| "sk-very-secret".to_owned());
    let guarded = GuardedModels::configured(&models, Budget::default(), &secret).expect("fits");
    let asked = guarded.ask(&request(), now()).await;
    assert_eq!((value(&asked), asked.calls.len()), (Some(&json!({"so": true})), 5));
    assert_eq!(guarded.spent().map(|spent| spent.calls), Some(1));
    let sent = open.received_requests().await.expect("requests");
    assert_eq!(sent[0].headers["authorization"], "Bearer sk-very-secret");
    let shown = format!("{guarded:?} {asked:?} {models:?}");
    assert!(!shown.contains("sk-very-secret"), "{shown}");
}

#[tokio::test]
async fn a_server_that_hangs_is_left_after_its_time() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(answers().set_delay(TIMEOUT)).mount(&server).await;
    let model = configured(&server).open(None).expect("fits");
    let guarded = GuardedModels::new(vec![(model, Duration::from_millis(50))], Budget::default());
    let asked = guarded.ask(&request(), now()).await;
    assert!(
        matches!(&asked.answer, Err(ModelError::Unreachable { problem, .. }) if problem == "no answer in time")
    );
    assert_eq!(
        guarded.spent().map(|spent| spent.calls),
        Some(asked.calls.len() as u64),
        "it may have been charged"
    );
}
