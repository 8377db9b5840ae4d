//! Shards: the windows of one session, redacted, as research or training might use them one day. Derived whenever somebody asks;
//! stored is only what an operator decided about one, under the hash of everything in it: a session that goes on, or of which
//! something was erased, is another shard, about which nobody has decided.

use super::{
    material::{MaterialBounds, ProjectMaterial, material},
    redaction::redacted,
    window::{RefinerWindow, windows},
};
use crate::{Agent, EngineError, Result, quote, stored_json::to_stored_json, write::stored_name};
use cairn_cognition::{
    friction::Work,
    injection::{OrderSource, injected_order},
    skill::{ToolOutcome, ToolStep, argument_shape, failure_line},
};
use cairn_domain::{Invalid, MILLIS_PER_DAY, MessageId, Time};
use cairn_store::{TRAINING_PREFIX, View};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

/// Days for which a shard is hot, and warm.
const HOT_DAYS: i64 = 7;
const WARM_DAYS: i64 = 90;
/// Characters of a request and of a line that tells a failure.
const MAX_TOLD_CHARS: usize = 500;
/// Hexadecimal digits in the name of a shard.
const ID_DIGITS: usize = 24;
/// How the name of a shard begins.
const ID_PREFIX: &str = "shd_";

/// The name of a shard: a hash of everything in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ShardId(String);

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ShardId {
    type Err = Invalid;

    fn from_str(text: &str) -> std::result::Result<Self, Invalid> {
        let digits = text.strip_prefix(ID_PREFIX).unwrap_or_default();
        if digits.len() == ID_DIGITS
            && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        {
            return Ok(Self(text.to_owned()));
        }
        let name: String = text.chars().take(60).collect();
        let problem = format!("`{}` is not the name of a shard", name.escape_debug());
        Err(Invalid::new(problem, "`cairn research list` lists them"))
    }
}

impl ShardId {
    /// The name under which the decision about it stands.
    pub fn setting(&self) -> String {
        format!("{TRAINING_PREFIX}{self}")
    }
}

/// An operator's decision about a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingDecision {
    /// It may be exported.
    Approved,
    /// It is never exported.
    Excluded,
}

impl TrainingDecision {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Excluded => "excluded",
        }
    }

    fn read(word: &str) -> Option<Self> {
        [Self::Approved, Self::Excluded].into_iter().find(|decision| decision.as_str() == word)
    }
}

/// The class of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardClass {
    /// At most a week old.
    Hot,
    /// At most ninety days old.
    Warm,
    /// Older.
    Cold,
    /// An operator approved it.
    ResearchExport,
    /// It gives orders, or an operator does not want it to leave.
    Excluded,
}

impl ShardClass {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::ResearchExport => "research_export",
            Self::Excluded => "excluded",
        }
    }
}

/// One step, without the values of its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShardStep {
    /// The tool.
    pub tool: String,
    /// The thing that was done.
    pub kind: String,
    /// The arguments by name and kind.
    pub shape: String,
    /// How it ended.
    pub outcome: &'static str,
    /// How long it took, in milliseconds.
    pub took_ms: Option<i64>,
    /// The line that tells how it failed.
    pub failure: Option<String>,
}

/// The work of one exchange in a shard.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShardExchange {
    /// The message that opened it.
    pub opened_by: Option<MessageId>,
    /// The request.
    pub request: String,
    /// The steps.
    pub steps: Vec<ShardStep>,
    /// The scores of its windows.
    pub scores: Vec<Option<f64>>,
    /// By what its failures are known again.
    pub signatures: Vec<String>,
    /// The label that it should have instead.
    pub relabel: Option<&'static str>,
    /// The signal of the user afterwards.
    pub signal: Option<&'static str>,
}

/// The windows of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchShard {
    /// Its name.
    pub id: ShardId,
    /// Its class.
    pub class: ShardClass,
    /// Where it comes from: the posture and the models at work. A shard is of one session, so sources never mix.
    pub source: String,
    /// When its first and its last step were called.
    pub span: (Time, Time),
    /// The work, redacted.
    pub exchanges: Vec<ShardExchange>,
    /// Places that were masked.
    pub masked: usize,
    /// An operator's decision about it, and the receipt.
    pub decision: Option<(TrainingDecision, u64)>,
    /// Whether words in it give orders to whoever reads them.
    pub gives_orders: bool,
}

impl ResearchShard {
    /// Whether it may be exported.
    pub fn is_approved(&self) -> bool {
        self.class == ShardClass::ResearchExport
    }
}

impl Agent {
    /// The shards of a project or of all, the newest first.
    pub async fn research_shards(&self, thread: Option<&str>) -> Result<Vec<ResearchShard>> {
        let (wanted, now) = (thread.map(stored_name), self.now());
        let read = move |view: &mut View<'_>| {
            let mut shards = Vec::new();
            for project in material(view, wanted.as_deref(), MaterialBounds::ALL)? {
                for mut shard in project.look(|work| shards_of(&project, work))? {
                    let set = view.protected_setting(&shard.id.setting())?;
                    shard.decision =
                        set.and_then(|(word, receipt)| Some((TrainingDecision::read(&word)?, receipt)));
                    shard.class = class_of(&shard, now);
                    shards.push(shard);
                }
            }
            shards.sort_by_key(|shard| Reverse(shard.span.1));
            Ok(shards)
        };
        Ok(self.store.read(read).await?)
    }

    /// One shard by its name: what an operator looks through before approving it.
    pub async fn research_shard(&self, id: &ShardId) -> Result<ResearchShard> {
        let found = self.research_shards(None).await?.into_iter().find(|shard| shard.id == *id);
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// The shards that an operator approved; refused if none is.
    pub async fn research_export(&self) -> Result<Vec<ResearchShard>> {
        let mut shards = self.research_shards(None).await?;
        shards.retain(ResearchShard::is_approved);
        if shards.is_empty() {
            let hint = "`cairn research list` shows them, `cairn operator training SHARD --approve` approves one; nothing was written";
            return Err(Invalid::new("no shard is approved for research", hint).into());
        }
        Ok(shards)
    }
}

fn class_of(shard: &ResearchShard, now: Time) -> ShardClass {
    let decided = shard.decision.map(|(decision, _)| decision);
    let age_days = (now.millis() - shard.span.1.millis()) / MILLIS_PER_DAY;
    match decided {
        _ if shard.gives_orders => ShardClass::Excluded,
        Some(TrainingDecision::Excluded) => ShardClass::Excluded,
        Some(TrainingDecision::Approved) => ShardClass::ResearchExport,
        None if age_days <= HOT_DAYS => ShardClass::Hot,
        None if age_days <= WARM_DAYS => ShardClass::Warm,
        None => ShardClass::Cold,
    }
}

fn shards_of(project: &ProjectMaterial, work: &Work<'_>) -> cairn_store::Result<Vec<ResearchShard>> {
    let mut sessions: BTreeMap<i64, Vec<&ToolStep>> = BTreeMap::new();
    for step in work.steps {
        sessions.entry(step.session).or_default().push(step);
    }
    sessions
        .into_iter()
        .filter_map(|(session, steps)| shard(project, work, session, &steps).transpose())
        .collect()
}

/// Writes words into a shard, redacted, and counts what was masked.
#[derive(Default)]
struct Redaction {
    masked: usize,
    gives_orders: bool,
}

impl Redaction {
    fn told(&mut self, text: &str, source: OrderSource) -> String {
        self.gives_orders |= injected_order(text, source).is_some();
        let told = redacted(&quote::beginning(text, MAX_TOLD_CHARS));
        self.masked += told.masked;
        told.text
    }
}

fn shard(
    project: &ProjectMaterial,
    work: &Work<'_>,
    session: i64,
    steps: &[&ToolStep],
) -> cairn_store::Result<Option<ResearchShard>> {
    let times = || steps.iter().map(|step| step.at);
    let (Some(first), Some(begun), Some(ended)) = (steps.first(), times().min(), times().max()) else {
        return Ok(None);
    };
    let mut redaction = Redaction::default();
    let of_step = |step: &ToolStep| work.messages[step.call].exchange;
    let places: BTreeSet<i64> = steps.iter().map(|step| of_step(step)).collect();
    let mut exchanges = Vec::new();
    for place in places {
        let of: Vec<&ToolStep> = steps.iter().copied().filter(|step| of_step(step) == place).collect();
        exchanges.push(exchange(project, work, (session, place), &of, &mut redaction));
    }
    let models: BTreeSet<&str> =
        steps.iter().filter_map(|step| project.messages[step.call].model.as_deref()).collect();
    let mode = project.messages[first.call].mode;
    let source = std::iter::once(mode.as_str()).chain(models).collect::<Vec<_>>().join(" ");
    let hashed = to_stored_json("a research shard", &(&source, &exchanges))?;
    let hash = blake3::hash(hashed.as_bytes()).to_hex();
    let id = ShardId(format!("{ID_PREFIX}{}", &hash[..ID_DIGITS]));
    Ok(Some(ResearchShard {
        id,
        class: ShardClass::Hot,
        source,
        span: (begun, ended),
        exchanges,
        masked: redaction.masked,
        decision: None,
        gives_orders: redaction.gives_orders,
    }))
}

fn exchange(
    project: &ProjectMaterial,
    work: &Work<'_>,
    (session, place): (i64, i64),
    steps: &[&ToolStep],
    redaction: &mut Redaction,
) -> ShardExchange {
    let asked = project.requests.iter().find(|record| i64::from(record.exchange) == place);
    let signal = work.signal_after(session, place).map(|(signal, _)| signal);
    let windows: Vec<RefinerWindow> = windows(work.messages, steps, signal);
    let told = |step: &&ToolStep, redaction: &mut Redaction| ShardStep {
        tool: redaction.told(&step.tool, OrderSource::Other),
        kind: redaction.told(&step.kind, OrderSource::Other),
        shape: argument_shape(work.messages[step.call].text),
        outcome: step.outcome.as_str(),
        took_ms: step.took_ms,
        failure: (step.outcome == ToolOutcome::Failed)
            .then(|| redaction.told(failure_line(work.messages[step.result].text), OrderSource::Other)),
    };
    ShardExchange {
        opened_by: asked.map(|record| record.id),
        request: asked.map_or_else(String::new, |record| redaction.told(&record.text, OrderSource::User)),
        steps: steps.iter().map(|step| told(step, redaction)).collect(),
        scores: windows.iter().map(|window| window.score).collect(),
        signatures: windows
            .iter()
            .flat_map(|window| &window.signatures)
            .map(|signature| redaction.told(signature, OrderSource::Other))
            .collect(),
        relabel: windows.iter().find_map(|window| window.relabel).map(|relabel| relabel.as_str()),
        signal: signal.map(|signal| signal.as_str()),
    }
}
