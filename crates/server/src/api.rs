//! The table of operations. The routes and the OpenAPI document are both made from it, so that neither has what the other
//! lacks, and what an operation needs is said where it stands.

use crate::{
    access::{Needs, admit},
    events, health, import, lists,
    lists::{MemoriesPage, Page},
    mcp,
    openapi::{Operation, Schemas, assemble},
    operate, review, socket, verbs,
};
use axum::{
    Router,
    http::header,
    middleware::from_fn,
    response::IntoResponse,
    routing::{MethodRouter, any, delete, get, post},
};
use cairn_wire as wire;
use std::sync::LazyLock;

struct Api {
    operations: Vec<Operation>,
    router: Router,
}

impl Api {
    fn add(&mut self, operation: Operation, answer: MethodRouter) {
        let needs = operation.needs;
        let admit =
            from_fn(move |app, from, params, request, next| admit(needs, app, from, params, request, next));
        self.router = std::mem::take(&mut self.router).route(operation.path, answer.layer(admit));
        self.operations.push(operation);
    }
}

/// Everything that is answered.
pub(crate) fn routes() -> Router {
    let document =
        get(|| async { ([(header::CONTENT_TYPE, "application/json")], document()).into_response() });
    let mut api = table(&mut Schemas::new());
    let described = Operation::new("get", "/openapi.json", "openapi", "This document").needs(Needs::Nothing);
    api.add(described.gives("application/json"), document);
    api.router
}

/// The OpenAPI document of all of it.
pub(crate) fn document() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
        let mut schemas = Schemas::new();
        let api = table(&mut schemas);
        let document = assemble(&api.operations, schemas);
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    });
    &DOCUMENT
}

fn table(schemas: &mut Schemas) -> Api {
    let mut api = Api { operations: Vec::new(), router: Router::new() };
    words(&mut api, schemas);
    memories(&mut api, schemas);
    listings(&mut api, schemas);
    happenings(&mut api);
    protocol(&mut api);
    operators(&mut api, schemas);
    reviews(&mut api, schemas);
    surroundings(&mut api, schemas);
    api
}

/// A path of an agent.
macro_rules! of_agent {
    ($rest:literal) => {
        concat!("/v1/agents/{agent}", $rest)
    };
}

/// The verbs.
fn words(api: &mut Api, schemas: &mut Schemas) {
    let operation = Operation::new("post", of_agent!("/remember"), "remember", "Keep one message");
    let operation = operation.asks::<wire::RememberRequest>(schemas).answers::<wire::Remembered>(schemas);
    api.add(operation.once(), post(verbs::remember));
    let operation = Operation::new("post", of_agent!("/recall"), "recall", "Find what answers a question");
    let operation = operation.asks::<wire::RecallRequest>(schemas).answers::<wire::Recall>(schemas);
    api.add(operation, post(verbs::recall));
    let summary = "What belongs into a prompt, within a budget of tokens";
    let operation = Operation::new("post", of_agent!("/context"), "context", summary);
    let operation = operation.asks::<wire::ContextRequest>(schemas).answers::<wire::Context>(schemas);
    api.add(operation, post(verbs::context));
    let summary = "Say what a record should say instead; it counts as the agent's word";
    let operation = Operation::new("post", of_agent!("/correct"), "correct", summary);
    let operation = operation.asks::<wire::CorrectRequest>(schemas).answers::<wire::Remembered>(schemas);
    api.add(operation.once(), post(verbs::correct));
    let operation =
        Operation::new("post", of_agent!("/feedback"), "feedback", "Say whether something was of use");
    let operation = operation.asks::<wire::FeedbackRequest>(schemas).answers::<wire::Feedback>(schemas);
    api.add(operation.once(), post(verbs::feedback));
    let operation = Operation::new("post", of_agent!("/open"), "open", "Open records in full");
    let operation = operation.asks::<wire::OpenRequest>(schemas).answers::<wire::Records>(schemas);
    api.add(operation, post(verbs::open));
    let summary = "What was said in the order it was said: about a query, around a ref, or the newest";
    let operation = Operation::new("get", of_agent!("/timeline"), "timeline", summary);
    let operation = operation.with::<wire::TimelineRequest>().answers::<wire::Timeline>(schemas);
    api.add(operation, get(verbs::timeline));
    let summary = "What a record stands on, down to the verbatim words";
    let operation = Operation::new("get", of_agent!("/why/{ref}"), "why", summary);
    api.add(operation.answers::<wire::Why>(schemas), get(verbs::why));
    let summary = "Take in messages in bulk: JSON Lines, packed or not; sent again it adds nothing twice";
    let operation = Operation::new("post", of_agent!("/messages"), "import", summary);
    let operation = operation.with::<import::How>().takes("application/x-ndjson");
    api.add(operation.answers::<wire::Imported>(schemas), post(import::import));
}

/// What is kept, and looking after it.
fn memories(api: &mut Api, schemas: &mut Schemas) {
    let operation = Operation::new("get", of_agent!("/memories"), "memories", "Memories, the newest first");
    let operation = operation.with::<MemoriesPage>().answers::<wire::Memories>(schemas);
    api.add(operation, get(lists::memories));
    let operation = Operation::new("get", of_agent!("/memories/{ref}"), "memory", "One memory");
    api.add(operation.answers::<wire::Memory>(schemas), get(lists::memory));
    let summary = "Let no rhythm ever put it to rest";
    let operation = Operation::new("post", of_agent!("/memories/{ref}/pin"), "pin", summary);
    api.add(operation.once().answers::<wire::Memory>(schemas), post(verbs::pin));
    let operation = Operation::new("post", of_agent!("/memories/{ref}/unpin"), "unpin", "Take that back");
    api.add(operation.once().answers::<wire::Memory>(schemas), post(verbs::unpin));
    let summary = "Put it to rest: dormant, never deleted";
    let operation = Operation::new("post", of_agent!("/memories/{ref}/forget"), "forget", summary);
    api.add(operation.once().answers::<wire::Memory>(schemas), post(verbs::forget));
    let operation = Operation::new("post", of_agent!("/memories/{ref}/wake"), "wake", "Wake it again");
    api.add(operation.once().answers::<wire::Memory>(schemas), post(verbs::wake));
}

/// What there is.
fn listings(api: &mut Api, schemas: &mut Schemas) {
    let summary = "Who and what memories are about, the most frequent first";
    let operation = Operation::new("get", of_agent!("/entities"), "entities", summary);
    api.add(operation.with::<Page>().answers::<wire::Entities>(schemas), get(lists::entities));
    let summary = "All that is known about one: a name, or an address such as entity://place/lisbon";
    let operation = Operation::new("get", of_agent!("/entities/{name}"), "entity", summary);
    api.add(operation.answers::<wire::Hub>(schemas), get(lists::entity));
    let summary = "Threads, the one spoken in last first";
    let operation = Operation::new("get", of_agent!("/threads"), "threads", summary);
    api.add(operation.with::<Page>().answers::<wire::Threads>(schemas), get(lists::threads));
    let summary = "Sessions, the one spoken in last first";
    let operation = Operation::new("get", of_agent!("/sessions"), "sessions", summary);
    api.add(operation.with::<Page>().answers::<wire::Sessions>(schemas), get(lists::sessions));
    let summary = "What was said in a session, the last first";
    let operation = Operation::new("get", of_agent!("/sessions/{session}/messages"), "session", summary);
    api.add(operation.with::<Page>().answers::<wire::Messages>(schemas), get(lists::session));
    let operation = Operation::new("get", of_agent!("/stats"), "stats", "Counts and sizes");
    api.add(operation.answers::<wire::Stats>(schemas), get(lists::stats));
}

/// What happens.
fn happenings(api: &mut Api) {
    let summary = "What happens to the agent from now on, as server-sent events";
    let operation = Operation::new("get", of_agent!("/events"), "events", summary);
    api.add(operation.gives("text/event-stream"), get(events::stream));
    let summary = "The same over a WebSocket; a browser sends its key as the protocol `bearer.cairn_…`";
    let operation = Operation::new("get", of_agent!("/socket"), "socket", summary);
    api.add(operation.gives("application/json"), get(socket::open));
}

/// The Model Context Protocol.
fn protocol(api: &mut Api) {
    let summary = "The agent's tools over the Model Context Protocol (streamable HTTP)";
    let operation = Operation::new("post", of_agent!("/mcp"), "mcpOfAgent", summary);
    api.add(operation.takes("application/json").gives("application/json"), any(mcp::of_agent));
    let summary = "The same for the agent that `cairn --agent NAME serve` names";
    let operation = Operation::new("post", "/mcp", "mcp", summary).needs(Needs::Agent);
    api.add(operation.takes("application/json").gives("application/json"), any(mcp::of_default));
}

/// What only an operator may.
fn operators(api: &mut Api, schemas: &mut Schemas) {
    let operator =
        |method, path, id, summary| Operation::new(method, path, id, summary).needs(Needs::Operator);
    let operation = operator("get", "/v1/agents", "agents", "The agents, by name");
    api.add(operation.with::<Page>().answers::<wire::Agents>(schemas), get(operate::agents));
    let summary = "Whether everything is in order, and if not, what to do";
    let operation = operator("get", of_agent!("/health"), "health", summary);
    api.add(operation.answers::<wire::Checkup>(schemas), get(operate::health));
    let operation = operator("post", of_agent!("/rebuild"), "rebuild", "Build everything derived anew");
    api.add(operation.answers::<wire::Rebuilt>(schemas), post(operate::rebuild));
    let operation = operator("post", of_agent!("/backup"), "backup", "Copy the agent as it is now");
    api.add(operation.answers::<wire::BackedUp>(schemas), post(operate::backup));
    let operation = operator("get", "/v1/keys", "keys", "The keys, without what they open with");
    api.add(operation.answers::<wire::Keys>(schemas), get(operate::keys));
    let operation = operator("post", "/v1/keys", "addKey", "Make a key; it is shown once");
    let operation = operation.asks::<wire::KeyRequest>(schemas).answers::<wire::NewKey>(schemas);
    api.add(operation, post(operate::add_key));
    let operation = operator("delete", "/v1/keys/{key}", "revokeKey", "Let a key open nothing any more");
    api.add(operation.answers::<wire::Key>(schemas), delete(operate::revoke_key));
}

/// What an operator decides about what is held true.
fn reviews(api: &mut Api, schemas: &mut Schemas) {
    let operator =
        |method, path, id, summary| Operation::new(method, path, id, summary).needs(Needs::Operator);
    let summary = "What waits for an operator, by what its evidence looks like";
    let operation = operator("get", of_agent!("/review"), "reviewQueue", summary);
    api.add(operation.with::<review::Queue>().answers::<wire::ReviewQueue>(schemas), get(review::queue));
    let summary = "A belief with what its sources say now, and what is recommended";
    let operation = operator("get", of_agent!("/review/{ref}"), "review", summary);
    api.add(operation.answers::<wire::ReviewPage>(schemas), get(review::page));
    let summary = "Verify a belief, reject it, put it off or take it back; leaves a receipt";
    let operation = operator("post", of_agent!("/review/{ref}/decide"), "decide", summary);
    let operation = operation.asks::<wire::DecideRequest>(schemas).answers::<wire::Decided>(schemas);
    api.add(operation, post(review::verdict));
    let summary = "Undo what a receipt tells of; leaves a receipt as well";
    let operation = operator("post", of_agent!("/receipts/{receipt}/rollback"), "rollback", summary);
    let operation = operation.asks::<wire::UndoRequest>(schemas).answers::<wire::Decided>(schemas);
    api.add(operation, post(review::undo));
}

/// How the server stands.
fn surroundings(api: &mut Api, schemas: &mut Schemas) {
    let operation =
        Operation::new("get", "/healthz", "alive", "Whether the server runs").needs(Needs::Nothing);
    api.add(operation.answers::<wire::Alive>(schemas), get(health::alive));
    let summary = "Whether it can do its work; what is wrong, and what to do, with 503 if it cannot";
    let operation = Operation::new("get", "/readyz", "ready", summary).needs(Needs::Nothing);
    api.add(operation.answers::<wire::Checkup>(schemas), get(health::ready));
    let summary = "Figures for Prometheus";
    let operation = Operation::new("get", "/metrics", "metrics", summary).needs(Needs::Agent);
    api.add(operation.gives("text/plain"), get(health::metrics));
}
