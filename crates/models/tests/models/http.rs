use cairn_models::{Calibration, Embedder, ModelError, RemoteEmbedder, RemoteEmbedderConfig, Secret};
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{body_json, header, method, path},
};

const KEY: &str = "sk-very-secret";

fn config(url: String) -> RemoteEmbedderConfig {
    RemoteEmbedderConfig {
        url,
        model: "some-model".to_owned(),
        dimension: 2,
        max_tokens: 10,
        calibration: Calibration::default(),
        key: Some(Secret::new(KEY)),
        timeout: Duration::from_secs(10),
    }
}

fn embedder(server: &MockServer) -> RemoteEmbedder {
    RemoteEmbedder::new(config(format!("{}/v1", server.uri()))).expect("a config that fits")
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A right answer: the n-th text of a request gets a vector of direction n.
fn vectors(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().expect("JSON");
    let count = body["input"].as_array().expect("texts").len();
    let data: Vec<Value> =
        (0..count).map(|n| json!({"object": "embedding", "index": n, "embedding": [1, n]})).collect();
    ResponseTemplate::new(200).set_body_json(json!({"object": "list", "data": data}))
}

async fn server(answer: ResponseTemplate, times: u64) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(answer).expect(times).mount(&server).await;
    server
}

#[tokio::test]
async fn texts_are_sent_as_openai_takes_them_and_vectors_come_back_in_order_at_unit_length() {
    let server = MockServer::start().await;
    let answer = json!({"data": [
        {"index": 1, "embedding": [0.0, 2.0]},
        {"index": 0, "embedding": [3.0, -4.0]},
    ]});
    Mock::given(method("POST"))
        .and(path("/v1/embeddings"))
        .and(header("authorization", format!("Bearer {KEY}")))
        .and(body_json(json!({"model": "some-model", "input": ["one", "two"]})))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .expect(1)
        .mount(&server)
        .await;
    let http = embedder(&server);
    assert_eq!(http.spec().id, "http:some-model");
    let vectors = http.embed(&texts(&["one", "two"])).await.expect("vectors");
    assert_eq!(vectors, [[0.6, -0.8], [0.0, 1.0]]);
    assert!(http.embed(&[]).await.expect("nothing is asked").is_empty());
}

#[tokio::test]
async fn a_server_without_a_key_and_without_indexes_will_do() {
    let answer = json!({"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]});
    let server = server(ResponseTemplate::new(200).set_body_json(answer), 1).await;
    let mut config = config(format!("{}/v1/?version=2", server.uri()));
    config.key = None;
    let http = RemoteEmbedder::new(config).expect("a config that fits");
    assert_eq!(http.embed(&texts(&["one", "two"])).await.expect("vectors"), [[1.0, 0.0], [0.0, 1.0]]);
    let request = &server.received_requests().await.expect("requests")[0];
    assert_eq!((request.url.path(), request.url.query()), ("/v1/embeddings", Some("version=2")));
    assert!(!request.headers.contains_key("authorization"));
}

#[tokio::test]
async fn at_most_64_texts_go_into_a_request() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(vectors).expect(3).mount(&server).await;
    let vectors = embedder(&server).embed(&vec!["text".to_owned(); 130]).await.expect("vectors");
    assert_eq!(vectors.len(), 130);
    assert_eq!(vectors[0], vectors[64]);
    assert_eq!(vectors[1], vectors[129]);
}

#[tokio::test]
async fn what_is_sent_surely_fits_and_is_never_empty() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(body_json(json!({"model": "some-model", "input": [" ", "ı".repeat(15), "short"]})))
        .respond_with(vectors)
        .expect(1)
        .mount(&server)
        .await;
    let http = embedder(&server);
    http.embed(&texts(&["", &"ı".repeat(5_000), "short"])).await.expect("vectors");
    assert_eq!(http.count_tokens("four tokens"), 4);
}

#[tokio::test]
async fn a_server_that_stumbles_is_asked_again() {
    for status in [429, 500, 503] {
        let server = MockServer::start().await;
        let stumble = ResponseTemplate::new(status).insert_header("retry-after", "0");
        Mock::given(method("POST")).respond_with(stumble).up_to_n_times(2).expect(2).mount(&server).await;
        Mock::given(method("POST")).respond_with(vectors).expect(1).mount(&server).await;
        assert_eq!(embedder(&server).embed(&texts(&["one"])).await.expect("vectors"), [[1.0, 0.0]]);
    }
}

#[tokio::test]
async fn a_server_that_keeps_stumbling_is_given_up_after_three_attempts() {
    let server = server(ResponseTemplate::new(503).set_body_string("overloaded"), 3).await;
    let error = embedder(&server).embed(&texts(&["one"])).await.expect_err("given up");
    assert!(
        matches!(&error, ModelError::Refused { status: 503, says, .. } if says == "overloaded"),
        "{error}"
    );
}

#[tokio::test]
async fn a_refusal_is_final_and_never_shows_the_key() {
    for (status, hint) in [
        (400, "OpenAI-compatible"),
        (401, "key"),
        (403, "key"),
        (404, "model"),
        (307, "OpenAI-compatible"),
        (204, "OpenAI-compatible"),
    ] {
        let says = format!("  Incorrect API key\n provided: {KEY}. {}", "x".repeat(1_000));
        let answer =
            ResponseTemplate::new(status).insert_header("location", "/v1/other").set_body_string(says);
        let server = server(answer, 1).await;
        let http = embedder(&server);
        let error = http.embed(&texts(&["one"])).await.expect_err("refused");
        assert!(matches!(error, ModelError::Refused { status: found, .. } if found == status), "{error}");
        assert!(error.hint().contains(hint), "{status}: {}", error.hint());
        for shown in [error.to_string(), format!("{error:?}"), format!("{http:?}")] {
            assert!(!shown.contains(KEY), "{shown}");
            assert!(shown.len() < 1_000, "{shown}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_told() {
    let item = |index: usize, vector: Value| json!({"index": index, "embedding": vector});
    for (answer, says) in [
        (json!("hello"), "invalid type"),
        (json!({"error": "no"}), "missing field `data`"),
        (json!({"data": [item(0, json!([1, 0]))]}), "1 vectors for 2 texts"),
        (json!({"data": [item(0, json!([1, 0])), item(0, json!([1, 0]))]}), "vector 0 comes twice"),
        (json!({"data": [item(0, json!([1, 0])), item(2, json!([1, 0]))]}), "vector 2 belongs to no text"),
        (json!({"data": [item(0, json!([1, 0])), item(1, json!([0, 0]))]}), "vector 1 has no direction"),
        (json!({"data": [item(0, json!([1, 0])), item(1, json!([1, 1e300]))]}), "number out of range"),
        (json!({"data": [item(0, json!([1, 0])), item(1, json!([1, null]))]}), "invalid type: null"),
    ] {
        let server = server(ResponseTemplate::new(200).set_body_json(&answer), 1).await;
        let error = embedder(&server).embed(&texts(&["one", "two"])).await.expect_err("not usable");
        assert!(
            matches!(&error, ModelError::BadAnswer { problem, .. } if problem.contains(says)),
            "{answer}: {error}"
        );
    }
    let server = server(ResponseTemplate::new(200).set_body_string("<html>"), 1).await;
    let error = embedder(&server).embed(&texts(&["one"])).await.expect_err("not usable");
    assert!(matches!(error, ModelError::BadAnswer { .. }), "{error}");
}

#[tokio::test]
async fn vectors_of_another_dimension_are_told() {
    let answer = json!({"data": [{"index": 0, "embedding": [1, 2, 3]}]});
    let server = server(ResponseTemplate::new(200).set_body_json(answer), 1).await;
    let error = embedder(&server).embed(&texts(&["one"])).await.expect_err("another dimension");
    assert!(matches!(error, ModelError::WrongDimension { expected: 2, found: 3, .. }), "{error}");
    assert!(error.hint().contains("`dimension`"), "{}", error.hint());
}

#[tokio::test]
async fn a_server_that_is_not_there_or_too_slow_is_told_without_its_password() {
    let http =
        RemoteEmbedder::new(config("http://me:hunter2@127.0.0.1:9/v1?token=abc".to_owned())).expect("fits");
    let nobody = http.embed(&texts(&["one"])).await.expect_err("nobody is there");
    let server = server(ResponseTemplate::new(200).set_delay(Duration::from_secs(5)), 3).await;
    let mut config = config(server.uri());
    config.timeout = Duration::from_millis(50);
    let slow =
        RemoteEmbedder::new(config).expect("fits").embed(&texts(&["one"])).await.expect_err("too slow");
    assert!(
        matches!(&slow, ModelError::Unreachable { problem, .. } if problem == "no answer in time"),
        "{slow}"
    );
    assert!(
        matches!(&nobody, ModelError::Unreachable { problem, .. } if problem.contains("refused")),
        "{nobody}"
    );
    assert!(nobody.to_string().starts_with("http://127.0.0.1:9/v1/embeddings does"), "{nobody}");
    for secret in ["hunter2", "abc", KEY] {
        assert!(!format!("{nobody} {nobody:?} {http:?}").contains(secret), "{nobody} {http:?}");
    }
}

#[test]
fn a_config_that_cannot_work_is_refused_at_once() {
    for url in ["", "localhost:11434", "ftp://localhost", "http://", "not a url"] {
        let error = RemoteEmbedder::new(config(url.to_owned())).expect_err(url);
        assert!(matches!(error, ModelError::Config(_)), "{url}: {error}");
    }
    let no_dimension = RemoteEmbedderConfig { dimension: 0, ..config("http://localhost".to_owned()) };
    assert!(matches!(RemoteEmbedder::new(no_dimension), Err(ModelError::Config(_))));
    assert!(!format!("{:?}", config("http://me:hunter2@localhost".to_owned())).contains("hunter2"));
}
