//! `cairn restart`: lets an interrupted session go on at a server, in phases whose calls are said before. Everything else hands back.

use super::invocation::{Invocation, set_variable};
use crate::{
    args::{RestartCommand, RestartRunArgs},
    failure::Failure,
    show,
};
use cairn_domain::{BoundedRestart, RestartAnswer, RestartExit, RestartPhase, SessionKey};
use cairn_engine::Missing;
use cairn_wire as wire;
use reqwest::{Client, Method, Url};
use serde_json::{Value, json};
use show::{BOLD, DIM, GREEN, RED};
use std::time::Duration;

/// Calls of a whole continuation: the message, and what the agent is told.
const PLANNED_CALLS: u32 = 2;
/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: usize = 4 << 20;

pub(crate) async fn restart(invocation: &Invocation, what: RestartCommand) -> Result<(), Failure> {
    match what {
        RestartCommand::Plan { session, calls } => plan(invocation, &session, calls).await,
        RestartCommand::Run(args) => run(invocation, &args).await,
    }
}

async fn plan(invocation: &Invocation, session: &str, calls: u32) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let key = agent.session_key(session).await?;
    let restart = BoundedRestart::new(key.to_string(), PLANNED_CALLS, calls);
    invocation.answer(
        || wire::RestartPlan::new(&key, &restart),
        || {
            out!("{BOLD}{key}{BOLD:#}");
            for phase in RestartPhase::ALL {
                out!("  {:<9} up to {} call(s)  {DIM}{}{DIM:#}", phase, restart.budget(phase), told(phase));
            }
        },
    );
    Ok(())
}

/// A phase, in a sentence.
fn told(phase: RestartPhase) -> &'static str {
    match phase {
        RestartPhase::Reach => "the server tells the session's key; the same failure twice hands back",
        RestartPhase::Identity => "the key is compared; another one hands back, and nothing is written",
        RestartPhase::Continue => "the message is stored, and the agent is told where the session stood",
    }
}

async fn run(invocation: &Invocation, args: &RestartRunArgs) -> Result<(), Failure> {
    let server = SessionServer::new(args)?;
    let mut restart = BoundedRestart::new(args.key.clone(), PLANNED_CALLS, args.calls);
    let mut context = None;
    let exit = loop {
        let (phase, place) = match restart.next_call() {
            Ok(call) => call,
            Err(exit) => break exit,
        };
        let answer = match phase {
            RestartPhase::Reach | RestartPhase::Identity => server.key().await,
            RestartPhase::Continue if place == 0 => server.say(&args.message).await,
            RestartPhase::Continue => server.context(&mut context).await,
        };
        restart.take_answer(answer);
    };
    let report = wire::RestartReport::new(&restart, exit, context);
    invocation.answer(|| &report, || print_report(&report));
    if report.exit == RestartExit::Continued {
        return Ok(());
    }
    let last = report.last_key.as_deref().unwrap_or("none");
    Err(Failure::new(
        format!("handed back: {}; the last key is {last}", report.exit),
        "look at the server, then plan again with `cairn restart plan`; nothing is tried by itself",
    ))
}

fn print_report(report: &wire::RestartReport) {
    for step in &report.steps {
        let (color, became) = match &step.failure {
            Some(failure) => (RED, failure.as_str()),
            None => (GREEN, "ok"),
        };
        out!("{:<9} call {}  {color}{became}{color:#}", step.phase, step.call);
    }
    if let Some(context) = &report.context {
        out!("{context}");
    }
}

/// A server, asked about one session.
struct SessionServer {
    client: Client,
    agent_url: Url,
    session: String,
    access_key: Option<String>,
}

impl SessionServer {
    fn new(args: &RestartRunArgs) -> Result<Self, Failure> {
        let key: SessionKey = args.key.parse()?;
        let hint = "give --server as http://127.0.0.1:7777";
        let mut agent_url: Url = args
            .server
            .parse()
            .map_err(|error| Failure::usage(format!("`{}` is not an address: {error}", args.server), hint))?;
        let name = key.agent.to_string();
        match agent_url.path_segments_mut() {
            Ok(mut path) => drop(path.pop_if_empty().extend(["v1", "agents", &name])),
            Err(()) => return Err(Failure::usage(format!("`{}` is not an address", args.server), hint)),
        }
        // An error means that a provider was installed before, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(Duration::from_millis(args.within_ms))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Failure::new(format!("the request cannot be built: {error}"), hint))?;
        let access_key = set_variable("CAIRN_KEY").and_then(|key| key.into_string().ok());
        Ok(Self { client, agent_url, session: key.session, access_key })
    }

    /// Asks for the session's key.
    async fn key(&self) -> RestartAnswer {
        let answer = self.call(Method::GET, &["sessions", &self.session, "key"], None).await;
        match answer.map(|body| body["key"].as_str().map(str::to_owned)) {
            Ok(Some(key)) => RestartAnswer::Key(key),
            Ok(None) => RestartAnswer::Failed("unreadable answer".to_owned()),
            Err(failure) => RestartAnswer::Failed(failure),
        }
    }

    /// Says the message with which the session goes on.
    async fn say(&self, message: &str) -> RestartAnswer {
        let body = json!({"text": message, "role": "assistant", "session": self.session});
        match self.call(Method::POST, &["remember"], Some(&body)).await {
            Ok(_) => RestartAnswer::Done,
            Err(failure) => RestartAnswer::Failed(failure),
        }
    }

    /// Asks for what the agent is told where the session goes on.
    async fn context(&self, told: &mut Option<String>) -> RestartAnswer {
        let body = json!({"session": self.session, "resume": true});
        match self.call(Method::POST, &["context"], Some(&body)).await {
            Ok(answer) => {
                *told = answer["text"].as_str().map(str::to_owned);
                RestartAnswer::Done
            }
            Err(failure) => RestartAnswer::Failed(failure),
        }
    }

    /// One call, and no other: its answer, or the shape of its failure.
    async fn call(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value, String> {
        let mut url = self.agent_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        let mut request = self.client.request(method, url);
        if let Some(key) = &self.access_key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let shape = |error: reqwest::Error| if error.is_timeout() { "timeout" } else { "unreachable" };
        let mut response = request.send().await.map_err(|error| shape(error).to_owned())?;
        let status = response.status();
        if !status.is_success() {
            return Err(format!("status {}", status.as_u16()));
        }
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| shape(error).to_owned())? {
            if body.len() + part.len() > MAX_ANSWER_BYTES {
                return Err("answer too long".to_owned());
            }
            body.extend_from_slice(&part);
        }
        serde_json::from_slice(&body).map_err(|_| "unreadable answer".to_owned())
    }
}
