//! The table of operations. The routes and the OpenAPI document are both made from it, so that neither has what the other
//! lacks; each row also declares the access it requires.

use super::{
    api_table::{ApiTable, of_agent},
    openapi::{Operation, Schemas, assemble},
};
use crate::{
    operations::{
        administration, attachments, event_stream, govern, growth, health, import, intentions,
        lists::{
            self, DayParameters, GraphParameters, HandoffParameters, MemoryPageParameters, PageParameters,
        },
        mcp, proposals, review,
        rhythms::{self, DigestParameters},
        session, skills, verbs, websocket,
    },
    request::access::RequiredAccess,
};
use axum::{
    Router,
    http::header,
    response::IntoResponse,
    routing::{any, delete, get, post},
};
use cairn_wire as wire;
use std::sync::LazyLock;

/// The routes of every operation, each behind its access check.
pub(crate) fn routes() -> Router {
    let document =
        get(|| async { ([(header::CONTENT_TYPE, "application/json")], document()).into_response() });
    let mut api = operation_table(&mut Schemas::new());
    let described =
        Operation::new("get", "/openapi.json", "openapi", "This document").requires(RequiredAccess::Public);
    api.add(described.answers("application/json"), document);
    api.router
}

/// The OpenAPI document as it is served and committed.
pub fn document() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
        let mut schemas = Schemas::new();
        let api = operation_table(&mut schemas);
        let document = assemble(&api.operations, schemas);
        serde_json::to_string_pretty(&document).expect("a JSON value serializes") + "\n"
    });
    &DOCUMENT
}

fn operation_table(schemas: &mut Schemas) -> ApiTable {
    let mut api = ApiTable::default();
    add_verbs(&mut api, schemas);
    add_memory_operations(&mut api, schemas);
    add_lists(&mut api, schemas);
    add_rhythms(&mut api, schemas);
    add_governor(&mut api, schemas);
    add_events(&mut api);
    add_mcp(&mut api);
    add_session(&mut api, schemas);
    add_administration(&mut api, schemas);
    add_reviews(&mut api, schemas);
    add_proposals(&mut api, schemas);
    add_growth(&mut api, schemas);
    add_health(&mut api, schemas);
    api
}

/// The verbs of an agent.
fn add_verbs(api: &mut ApiTable, schemas: &mut Schemas) {
    let operation = Operation::new("post", of_agent!("/remember"), "remember", "Store one message");
    let operation =
        operation.takes_json::<wire::RememberRequest>(schemas).answers_json::<wire::Remembered>(schemas);
    api.add(operation.idempotent(), post(verbs::remember));
    let operation = Operation::new("post", of_agent!("/recall"), "recall", "Find what answers a question");
    let operation =
        operation.takes_json::<wire::RecallRequest>(schemas).answers_json::<wire::Recall>(schemas);
    api.add(operation, post(verbs::recall));
    let summary = "Context for a prompt, within a token budget";
    let operation = Operation::new("post", of_agent!("/context"), "context", summary);
    let operation =
        operation.takes_json::<wire::ContextRequest>(schemas).answers_json::<wire::Context>(schemas);
    api.add(operation, post(verbs::context));
    let summary = "Correct a record; the correction counts as the agent's word";
    let operation = Operation::new("post", of_agent!("/correct"), "correct", summary);
    let operation =
        operation.takes_json::<wire::CorrectRequest>(schemas).answers_json::<wire::Remembered>(schemas);
    api.add(operation.idempotent(), post(verbs::correct));
    let operation =
        Operation::new("post", of_agent!("/feedback"), "feedback", "Say whether something was helpful");
    let operation =
        operation.takes_json::<wire::FeedbackRequest>(schemas).answers_json::<wire::Feedback>(schemas);
    api.add(operation.idempotent(), post(verbs::feedback));
    let operation = Operation::new("post", of_agent!("/open"), "open", "Open records in full");
    let operation = operation.takes_json::<wire::OpenRequest>(schemas).answers_json::<wire::Records>(schemas);
    api.add(operation, post(verbs::open));
    let summary = "Messages in the order they were said: about a query, around a ref, or the newest";
    let operation = Operation::new("get", of_agent!("/timeline"), "timeline", summary);
    let operation = operation.takes_query::<wire::TimelineRequest>().answers_json::<wire::Timeline>(schemas);
    api.add(operation, get(verbs::timeline));
    let summary = "Days (UTC) on which something was said, the latest first";
    let operation = Operation::new("get", of_agent!("/days"), "days", summary);
    let operation = operation.takes_query::<DayParameters>().answers_json::<wire::Days>(schemas);
    api.add(operation, get(lists::days));
    let summary = "What a record is based on, down to the verbatim words";
    let operation = Operation::new("get", of_agent!("/why/{ref}"), "why", summary);
    api.add(operation.answers_json::<wire::Why>(schemas), get(verbs::why));
    let summary =
        "Import messages in bulk: JSON Lines, gzipped or not; sending them again adds nothing twice";
    let operation = Operation::new("post", of_agent!("/messages"), "import", summary);
    let operation = operation.takes_query::<import::ImportParameters>().takes("application/x-ndjson");
    api.add(operation.answers_json::<wire::Imported>(schemas), post(import::import));
}

/// Memories, and changing how they are kept.
fn add_memory_operations(api: &mut ApiTable, schemas: &mut Schemas) {
    let operation = Operation::new("get", of_agent!("/memories"), "memories", "Memories, newest first");
    let operation = operation.takes_query::<MemoryPageParameters>().answers_json::<wire::Memories>(schemas);
    api.add(operation, get(lists::memories));
    let operation = Operation::new("get", of_agent!("/memories/{ref}"), "memory", "One memory");
    api.add(operation.answers_json::<wire::Memory>(schemas), get(lists::memory));
    let summary = "How a memory fades, and how rhythms have changed it";
    let operation = Operation::new("get", of_agent!("/memories/{ref}/history"), "memoryHistory", summary);
    api.add(operation.answers_json::<wire::ExplainedMemory>(schemas), get(lists::memory_history));
    let summary = "Pin a memory, so that it never becomes dormant";
    let operation = Operation::new("post", of_agent!("/memories/{ref}/pin"), "pin", summary);
    api.add(operation.idempotent().answers_json::<wire::Memory>(schemas), post(verbs::pin));
    let operation = Operation::new("post", of_agent!("/memories/{ref}/unpin"), "unpin", "Unpin a memory")
        .requires(RequiredAccess::Operator);
    api.add(operation.idempotent().answers_json::<wire::Memory>(schemas), post(verbs::unpin));
    let summary = "Hide a memory and the message behind it; nothing is deleted";
    let operation = Operation::new("post", of_agent!("/memories/{ref}/forget"), "forget", summary);
    api.add(operation.idempotent().answers_json::<wire::Memory>(schemas), post(verbs::forget));
    let operation =
        Operation::new("post", of_agent!("/memories/{ref}/wake"), "wake", "Wake a dormant memory");
    api.add(operation.idempotent().answers_json::<wire::Memory>(schemas), post(verbs::wake));
    let summary = "Undo the last decision about a memory: a replacement, an expiry or a merge";
    let operation = Operation::new("post", of_agent!("/memories/{ref}/undo"), "undo", summary);
    let operation = operation.requires(RequiredAccess::Operator).idempotent();
    api.add(operation.answers_json::<wire::Memories>(schemas), post(verbs::undo));
}

/// Entities, threads and sessions.
fn add_lists(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary = "Entities that memories are about, most frequent first";
    let operation = Operation::new("get", of_agent!("/entities"), "entities", summary);
    api.add(
        operation.takes_query::<PageParameters>().answers_json::<wire::Entities>(schemas),
        get(lists::entities),
    );
    let summary = "Everything known about one entity: a name, or an address such as entity://place/lisbon";
    let operation = Operation::new("get", of_agent!("/entities/{name}"), "entity", summary);
    api.add(operation.answers_json::<wire::Hub>(schemas), get(lists::entity));
    let summary = "Entities and how they belong together, those with the most mentions first";
    let operation = Operation::new("get", of_agent!("/graph"), "graph", summary);
    let operation = operation.takes_query::<GraphParameters>().answers_json::<wire::EntityGraph>(schemas);
    api.add(operation, get(lists::graph));
    let summary = "Threads, most recent first";
    let operation = Operation::new("get", of_agent!("/threads"), "threads", summary);
    api.add(
        operation.takes_query::<PageParameters>().answers_json::<wire::Threads>(schemas),
        get(lists::threads),
    );
    let summary = "Sessions, most recent first";
    let operation = Operation::new("get", of_agent!("/sessions"), "sessions", summary);
    api.add(
        operation.takes_query::<PageParameters>().answers_json::<wire::Sessions>(schemas),
        get(lists::sessions),
    );
    let summary = "Messages of a session, newest first";
    let operation = Operation::new("get", of_agent!("/sessions/{session}/messages"), "session", summary);
    api.add(
        operation.takes_query::<PageParameters>().answers_json::<wire::Messages>(schemas),
        get(lists::session),
    );
    let summary = "The key of a session: the same wherever the session is the same";
    let operation = Operation::new("get", of_agent!("/sessions/{session}/key"), "sessionKey", summary);
    api.add(operation.answers_json::<wire::KeyOfSession>(schemas), get(lists::session_key));
    let summary = "Where the last session and each thread stood, the last written first";
    let operation = Operation::new("get", of_agent!("/handoffs"), "handoffs", summary);
    api.add(
        operation.takes_query::<HandoffParameters>().answers_json::<wire::Handoffs>(schemas),
        get(lists::handoffs),
    );
    let summary =
        "Attach files: a receipt for each that is taken, durable when this answers, or why it is not";
    let operation = Operation::new("post", of_agent!("/attachments"), "attach", summary);
    let operation = operation.takes_query::<attachments::AttachParameters>().takes_files();
    api.add(operation.answers_json::<wire::AttachedFiles>(schemas), post(attachments::attach));
    let summary = "Attached files and how they stand now, the last to appear first";
    let operation = Operation::new("get", of_agent!("/attachments"), "attachments", summary);
    let operation = operation.takes_query::<attachments::AttachmentListParameters>();
    api.add(operation.answers_json::<wire::Attachments>(schemas), get(attachments::attachments));
    let summary = "How far each exchange departs from what the agent knows and is, the newest first";
    let operation = Operation::new("get", of_agent!("/coherence"), "coherence", summary);
    let operation = operation.takes_query::<growth::CoherenceParameters>();
    api.add(operation.answers_json::<wire::Coherence>(schemas), get(growth::coherence));
    let summary = "Where the user stands in four dimensions, with the patterns that moved each";
    let operation = Operation::new("get", of_agent!("/standing"), "standing", summary);
    let operation = operation.takes_query::<growth::StandingParameters>();
    api.add(operation.answers_json::<wire::Standing>(schemas), get(growth::standing));
    let summary = "How work with tools went in each project, and the procedures that worked";
    let operation = Operation::new("get", of_agent!("/skills"), "skills", summary);
    let operation = operation.takes_query::<skills::SkillParameters>();
    api.add(operation.answers_json::<wire::Skills>(schemas), get(skills::skills));
    add_intentions(api, schemas);
    let operation = Operation::new("get", of_agent!("/stats"), "stats", "Counts and sizes");
    api.add(operation.answers_json::<wire::Stats>(schemas), get(lists::stats));
}

/// Intentions.
fn add_intentions(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary = "Intentions: what was asked to be told later, or promised; what is due first";
    let operation = Operation::new("get", of_agent!("/intentions"), "intentions", summary);
    let operation = operation.takes_query::<intentions::IntentionParameters>();
    api.add(operation.answers_json::<wire::Intentions>(schemas), get(intentions::intentions));
    let summary = "Set an intention: told on a day, or when a person, a file or a topic comes up";
    let operation = Operation::new("post", of_agent!("/intentions"), "intend", summary).idempotent();
    let operation = operation.takes_json::<wire::IntendRequest>(schemas);
    api.add(operation.answers_json::<wire::Intention>(schemas), post(intentions::intend));
    let summary = "Put an intention off until a day";
    let operation = Operation::new("post", of_agent!("/intentions/{ref}/snooze"), "snoozeIntention", summary);
    let operation = operation.idempotent().takes_json::<wire::SnoozeRequest>(schemas);
    api.add(operation.answers_json::<wire::Intention>(schemas), post(intentions::snooze));
    let summary = "Say that an intention is done";
    let operation = Operation::new("post", of_agent!("/intentions/{ref}/done"), "finishIntention", summary);
    api.add(operation.idempotent().answers_json::<wire::Intention>(schemas), post(intentions::done));
    let summary = "Drop an intention: it is not to be done";
    let operation = Operation::new("post", of_agent!("/intentions/{ref}/drop"), "dropIntention", summary);
    api.add(operation.idempotent().answers_json::<wire::Intention>(schemas), post(intentions::drop));
}

/// Rhythms, their runs, and digests.
fn add_rhythms(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary = "How every rhythm stands, and when it is due";
    let operation = Operation::new("get", of_agent!("/rhythms"), "rhythms", summary);
    api.add(operation.answers_json::<wire::Rhythms>(schemas), get(rhythms::standing));
    let summary = "Runs of all rhythms with their steps, the newest first";
    let operation = Operation::new("get", of_agent!("/rhythms/runs"), "rhythmRuns", summary);
    let operation = operation.takes_query::<PageParameters>().answers_json::<wire::PastRuns>(schemas);
    api.add(operation, get(rhythms::runs));
    let summary = "The first 500 changes that a run made, in order";
    let operation = Operation::new("get", of_agent!("/rhythms/runs/{run}/changes"), "runChanges", summary);
    api.add(operation.answers_json::<wire::Changes>(schemas), get(rhythms::changes));
    let summary = "The newest versions of the digests of a kind, the latest span first";
    let operation = Operation::new("get", of_agent!("/digests"), "digests", summary);
    let operation = operation.takes_query::<DigestParameters>().answers_json::<wire::Digests>(schemas);
    api.add(operation, get(rhythms::digests));
}

/// The governor.
fn add_governor(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary = "Ask how an action goes on by the operator's rules; records the answer, and does nothing";
    let operation = Operation::new("post", of_agent!("/govern/decide"), "governDecide", summary);
    let operation = operation
        .takes_json::<wire::GovernDecideRequest>(schemas)
        .answers_json::<wire::NumberedDecision>(schemas);
    api.add(operation, post(govern::decide));
    let summary = "The governor's decisions, the newest first";
    let operation = Operation::new("get", of_agent!("/govern/decisions"), "governDecisions", summary);
    let operation = operation
        .takes_query::<govern::GovernListParameters>()
        .answers_json::<wire::GovernorDecisions>(schemas);
    api.add(operation, get(govern::decisions));
    let summary = "Permissions that an operator gave this agent for a while";
    let operation = Operation::new("get", of_agent!("/govern/leases"), "governLeases", summary);
    api.add(operation.answers_json::<wire::Leases>(schemas), get(govern::leases));
    let summary = "Memories that this agent shares with others, and they with it, and who may write";
    let operation = Operation::new("get", of_agent!("/govern/sharing"), "governSharing", summary);
    api.add(operation.answers_json::<wire::Sharing>(schemas), get(govern::sharing));
    let summary = "Note that a memory of another agent was confirmed or contradicted; how far that agent is trusted then";
    let operation = Operation::new("post", of_agent!("/govern/trust"), "governTrust", summary);
    let operation =
        operation.takes_json::<wire::TrustRequest>(schemas).answers_json::<wire::SourceTrust>(schemas);
    api.add(operation, post(govern::judge));
    let summary = "Outcomes of actions that were decided about, the newest first";
    let operation = Operation::new("get", of_agent!("/govern/outcomes"), "governOutcomes", summary);
    let operation =
        operation.takes_query::<govern::GovernListParameters>().answers_json::<wire::Outcomes>(schemas);
    api.add(operation, get(govern::outcomes));
    let summary = "Record the outcome of an action that was decided about; it permits nothing";
    let operation = Operation::new("post", of_agent!("/govern/outcomes"), "recordOutcome", summary);
    let operation =
        operation.takes_json::<wire::OutcomeRequest>(schemas).answers_json::<wire::OutcomeReceipt>(schemas);
    api.add(operation, post(govern::record_outcome));
    let summary = "Who may be given which records, what each has to check, and what it never accepts";
    let operation = Operation::new("get", of_agent!("/govern/consumers"), "governConsumers", summary);
    api.add(operation.answers_json::<wire::Consumers>(schemas), get(govern::consumers));
}

/// Events.
fn add_events(api: &mut ApiTable) {
    let summary = "Events of the agent from now on, as server-sent events";
    let operation = Operation::new("get", of_agent!("/events"), "events", summary);
    api.add(operation.answers("text/event-stream"), get(event_stream::stream));
    let summary = "The same over a WebSocket; a browser sends its key as the subprotocol `bearer.cairn_…`";
    let operation = Operation::new("get", of_agent!("/socket"), "socket", summary);
    api.add(operation.answers("application/json"), get(websocket::open));
}

/// The Model Context Protocol.
fn add_mcp(api: &mut ApiTable) {
    let summary = "The agent's tools over the Model Context Protocol (streamable HTTP)";
    let operation = Operation::new("post", of_agent!("/mcp"), "mcpOfAgent", summary);
    api.add(operation.takes("application/json").answers("application/json"), any(mcp::of_agent));
    let summary = "The same for the agent that `cairn --agent NAME serve` names";
    let operation = Operation::new("post", "/mcp", "mcp", summary).requires(RequiredAccess::Agent);
    api.add(operation.takes("application/json").answers("application/json"), any(mcp::of_default));
}

/// Who is asking, and an operator's sign-in.
fn add_session(api: &mut ApiTable, schemas: &mut Schemas) {
    let path = "/v1/session";
    let summary = "Who is asking, and which server they reached";
    let operation = Operation::new("get", path, "currentSession", summary).requires(RequiredAccess::Agent);
    api.add(operation.answers_json::<wire::CallerSession>(schemas), get(session::current));
    let summary =
        "Sign an operator in with the passphrase, for a quarter of an hour: a cookie holds the session";
    let operation = Operation::new("post", path, "signIn", summary).requires(RequiredAccess::Agent);
    let operation =
        operation.takes_json::<wire::SignInRequest>(schemas).answers_json::<wire::CallerSession>(schemas);
    api.add(operation, post(session::begin));
    let operation =
        Operation::new("delete", path, "signOut", "End the sign-in").requires(RequiredAccess::Agent);
    api.add(operation.answers_json::<wire::CallerSession>(schemas), delete(session::end));
}

/// Administration, for operators.
fn add_administration(api: &mut ApiTable, schemas: &mut Schemas) {
    let operator = |method, path, id, summary| {
        Operation::new(method, path, id, summary).requires(RequiredAccess::Operator)
    };
    let operation = operator("get", "/v1/agents", "agents", "The agents, by name");
    api.add(
        operation.takes_query::<PageParameters>().answers_json::<wire::Agents>(schemas),
        get(administration::agents),
    );
    let summary = "Health checks, with what to do about failures";
    let operation = operator("get", of_agent!("/health"), "health", summary);
    api.add(operation.answers_json::<wire::Checkup>(schemas), get(administration::health));
    let operation = operator("get", "/v1/configuration", "configuration", "The configuration in force");
    api.add(operation.answers_json::<wire::Configuration>(schemas), get(administration::configuration));
    let operation =
        operator("post", of_agent!("/rebuild"), "rebuild", "Rebuild everything derived from the archive");
    api.add(operation.answers_json::<wire::Rebuilt>(schemas), post(administration::rebuild));
    let operation = operator("post", of_agent!("/backup"), "backup", "Back up the agent");
    api.add(operation.answers_json::<wire::BackedUp>(schemas), post(administration::backup));
    let operation =
        operator("get", of_agent!("/backups"), "backups", "The agent's own backups, newest first");
    api.add(operation.answers_json::<wire::Backups>(schemas), get(administration::backups));
    let operation =
        operator("get", "/v1/keys", "keys", "The keys within the limit of yours, without their secrets");
    api.add(operation.answers_json::<wire::Keys>(schemas), get(administration::keys));
    let operation = operator(
        "post",
        "/v1/keys",
        "addKey",
        "Create a key, at most as far-reaching as yours; it is shown once",
    );
    let operation = operation.takes_json::<wire::KeyRequest>(schemas).answers_json::<wire::NewKey>(schemas);
    api.add(operation, post(administration::create_key));
    let operation =
        operator("delete", "/v1/keys/{key}", "revokeKey", "Revoke a key within the limit of yours");
    api.add(operation.answers_json::<wire::Key>(schemas), delete(administration::delete_key));
}

/// Belief review, for operators.
fn add_reviews(api: &mut ApiTable, schemas: &mut Schemas) {
    let operator = |method, path, id, summary| {
        Operation::new(method, path, id, summary).requires(RequiredAccess::Operator)
    };
    let summary = "Beliefs, verified or not, the best supported first";
    let operation = operator("get", of_agent!("/beliefs"), "beliefs", summary);
    let operation =
        operation.takes_query::<review::BeliefParameters>().answers_json::<wire::Beliefs>(schemas);
    api.add(operation, get(review::beliefs));
    let summary =
        "Records that may shape behavior: where each comes from, how it stands, who may use and change it";
    let operation = operator("get", of_agent!("/govern/records"), "governRecords", summary);
    let operation =
        operation.takes_query::<govern::StateRecordParameters>().answers_json::<wire::StateRecords>(schemas);
    api.add(operation, get(govern::records));
    let summary = "Candidates for a change with their evidence, and what applying them would do";
    let operation = operator("get", of_agent!("/govern/candidates"), "governCandidates", summary);
    let operation = operation
        .takes_query::<govern::GovernListParameters>()
        .answers_json::<wire::MaturationCandidates>(schemas);
    api.add(operation, get(govern::candidates));
    let summary = "Entries of the ledger, the newest first";
    let operation = operator("get", of_agent!("/receipts"), "receipts", summary);
    let operation =
        operation.takes_query::<review::ReceiptParameters>().answers_json::<wire::Receipts>(schemas);
    api.add(operation, get(review::receipts));
    let summary = "Beliefs that wait for review, grouped by their evidence";
    let operation = operator("get", of_agent!("/review"), "reviewQueue", summary);
    api.add(
        operation.takes_query::<review::ReviewQueueParameters>().answers_json::<wire::ReviewQueue>(schemas),
        get(review::queue),
    );
    let summary = "A belief with what its sources say now, and a recommendation";
    let operation = operator("get", of_agent!("/review/{ref}"), "review", summary);
    api.add(operation.answers_json::<wire::ReviewPage>(schemas), get(review::page));
    let summary = "Verify, reject, postpone or retract a belief; leaves a receipt";
    let operation = operator("post", of_agent!("/review/{ref}/decide"), "decide", summary);
    let operation =
        operation.takes_json::<wire::DecideRequest>(schemas).answers_json::<wire::Decided>(schemas);
    api.add(operation, post(review::record_decision));
    let summary = "What a decision about a belief would change for a model; nothing is decided";
    let operation = operator("post", of_agent!("/review/{ref}/preview"), "previewDecision", summary);
    let operation = operation.takes_json::<wire::PreviewRequest>(schemas);
    api.add(operation.answers_json::<wire::DecisionPreview>(schemas), post(review::preview));
    let summary = "Undo the change that a receipt records; leaves a receipt as well";
    let operation = operator("post", of_agent!("/receipts/{receipt}/rollback"), "rollback", summary);
    let operation = operation.takes_json::<wire::UndoRequest>(schemas).answers_json::<wire::Decided>(schemas);
    api.add(operation, post(review::roll_back_receipt));
}

/// Changes of identity files: an agent proposes, an operator decides.
fn add_proposals(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary = "Propose a change of an identity file; it waits for an operator";
    let operation = Operation::new("post", of_agent!("/proposals"), "propose", summary);
    let operation =
        operation.takes_json::<wire::ProposeRequest>(schemas).answers_json::<wire::Proposal>(schemas);
    api.add(operation.idempotent(), post(proposals::propose));
    let summary = "Proposals about identity files, the newest first";
    let operation = Operation::new("get", of_agent!("/proposals"), "proposals", summary);
    let operation =
        operation.takes_query::<proposals::ProposalParameters>().answers_json::<wire::Proposals>(schemas);
    api.add(operation, get(proposals::proposals));
    let summary = "A proposal with the difference it makes, its evidence and how it stands to the principles";
    let operation = Operation::new("get", of_agent!("/proposals/{ref}"), "proposal", summary);
    api.add(operation.answers_json::<wire::ProposalPage>(schemas), get(proposals::proposal));
    let summary =
        "Accept, reject or postpone a proposal; accepting writes the file, and each leaves a receipt";
    let operation = Operation::new("post", of_agent!("/proposals/{ref}/decide"), "decideProposal", summary);
    let operation = operation.requires(RequiredAccess::Operator).takes_json::<wire::DecideRequest>(schemas);
    api.add(operation.answers_json::<wire::ProposalDecided>(schemas), post(proposals::record_decision));
    let summary =
        "Undo the last decision about a proposal; an accepted change is taken out of its file, to the byte";
    let operation =
        Operation::new("post", of_agent!("/proposals/{ref}/rollback"), "rollbackProposal", summary);
    let operation = operation.requires(RequiredAccess::Operator).takes_json::<wire::UndoRequest>(schemas);
    api.add(operation.answers_json::<wire::ProposalDecided>(schemas), post(proposals::roll_back));
}

/// Inquiries of an agent.
fn add_growth(api: &mut ApiTable, schemas: &mut Schemas) {
    let summary =
        "How work with tools goes, what makes it hard again and again, and what was proposed against it";
    let operation = Operation::new("get", of_agent!("/evolution"), "evolution", summary);
    let operation = operation.takes_query::<growth::EvolutionParameters>();
    api.add(operation.answers_json::<wire::Evolution>(schemas), get(growth::evolution));
    let summary = "Everything that belongs to one exchange: its calls of tools, files, handoffs and scores";
    let operation = Operation::new("get", of_agent!("/evolution/{ref}"), "exchangeSpine", summary);
    api.add(operation.answers_json::<wire::Spine>(schemas), get(growth::spine));
    let summary = "Shards of work as research may see them, redacted, with what was decided about each";
    let operation = Operation::new("get", of_agent!("/research"), "researchShards", summary);
    let operation = operation.takes_query::<growth::EvolutionParameters>();
    api.add(operation.answers_json::<wire::ResearchShards>(schemas), get(growth::shards));
    let summary = "One shard exactly as an export would write it, to be looked through before it is approved";
    let operation = Operation::new("get", of_agent!("/research/{ref}"), "researchShard", summary);
    let operation = operation.requires(RequiredAccess::Operator);
    api.add(operation.answers_json::<wire::ExportedShard>(schemas), get(growth::shard));
    let summary = "Approve a shard for research, exclude it, or take that back; leaves a receipt";
    let operation = Operation::new("post", of_agent!("/research/{ref}/decide"), "decideShard", summary);
    let operation = operation.requires(RequiredAccess::Operator).takes_json::<wire::TrainingRequest>(schemas);
    api.add(operation.answers_json::<wire::TrainingDecided>(schemas), post(growth::decide_shard));
    let summary = "How far each turn was from what was expected, newest first; a diagnostic without words";
    let operation = Operation::new("get", of_agent!("/dynamics"), "dynamics", summary);
    let operation = operation.takes_query::<proposals::ProposalParameters>();
    api.add(operation.answers_json::<wire::Dynamics>(schemas), get(growth::dynamics));
    let summary =
        "Whatever repeats: friction, procedures, lessons, the agent's thoughts, and what inquiries came to";
    let operation = Operation::new("get", of_agent!("/patterns"), "patterns", summary);
    let operation = operation.takes_query::<growth::EvolutionParameters>();
    api.add(operation.answers_json::<wire::Patterns>(schemas), get(growth::patterns));
    let summary = "Keep what the agent makes of some records: one memory, as its own word, that names them";
    let operation = Operation::new("post", of_agent!("/reflections"), "reflect", summary);
    let operation =
        operation.takes_json::<wire::ReflectRequest>(schemas).answers_json::<wire::Remembered>(schemas);
    api.add(operation.idempotent(), post(growth::reflect));
    let summary = "Inquiries with their passes, the newest first, and the patterns that came of them";
    let operation = Operation::new("get", of_agent!("/inquiries"), "inquiries", summary);
    let operation =
        operation.takes_query::<proposals::ProposalParameters>().answers_json::<wire::Inquiries>(schemas);
    api.add(operation, get(proposals::inquiries));
}

/// Health and metrics of the server.
fn add_health(api: &mut ApiTable, schemas: &mut Schemas) {
    let operation = Operation::new("get", "/healthz", "alive", "Whether the server is running")
        .requires(RequiredAccess::Public);
    api.add(operation.answers_json::<wire::Alive>(schemas), get(health::alive));
    let summary = "Whether the server can do its work, and what to do if not (with a key, if there are keys); 503 if it cannot";
    let operation = Operation::new("get", "/readyz", "ready", summary).requires(RequiredAccess::Public);
    api.add(operation.answers_json::<wire::Checkup>(schemas), get(health::ready));
    let summary = "Prometheus metrics";
    let operation = Operation::new("get", "/metrics", "metrics", summary).requires(RequiredAccess::Agent);
    api.add(operation.answers("text/plain"), get(health::metrics));
}
