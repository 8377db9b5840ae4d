//! Changes the provenance mode, the low-risk declaration, leases, the configuration and rules of a home and the identity of an agent. A plan
//! shows what would change and what would not. Applying it backs up what was there, changes that one thing and leaves a
//! receipt; rolling back restores it.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    interrupted::{self, FileLock},
    lease::{lease_name, lease_value},
    low_risk,
    reason::required_reason,
    setting_value::setting_value,
    training,
};
use cairn_domain::{
    AgentName, BeliefKind, Consumer, Invalid, MemoryShare, ProposalId, ProposalStatus, ProvenanceMode,
    ReceiptAction, ReceiptDetail, ResponsibilityLease, ReviewDecision, SharedSource, WriteGrant,
};
use cairn_engine::{
    Agent, CONFIG_FILE, Config, GOVERN_FILE, GateReceipt, GovernRules, Home, Missing, ReplaceAccess,
    ReplaceSync, ShardId, TrainingDecision, content_hash, limits::MAX_REPLACEMENT_FILE_BYTES, replace_file,
};
use cairn_store::{
    LOW_RISK, PROVENANCE_MODE, ProposalRecord, SHARE_PREFIX, SOURCE_PREFIX, WRITER_PREFIX,
    is_protected_setting, protected,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Begins what a receipt says of a file that was not there before.
const NO_FILE: &str = "no file, ";

/// A change that an operator wants: one thing at a time.
#[derive(Debug, Clone, PartialEq)]
pub enum WantedChange {
    /// How far beliefs are trusted.
    Mode(ProvenanceMode),
    /// The kinds of belief to verify without a review; empty for none.
    LowRisk(Vec<BeliefKind>),
    /// The configuration of the home, from this file.
    Config(PathBuf),
    /// A file of the agent's identity, from a file of the same name.
    Identity(PathBuf),
    /// The file of the agent's identity that a proposal is about, as it proposes.
    Proposal(ProposalId),
    /// The rules of the governor, from this file.
    Govern(PathBuf),
    /// A lease under this name; none to end it.
    Lease(String, Option<ResponsibilityLease>),
    /// The memories that another agent may read; none to end it.
    Share(AgentName, Option<MemoryShare>),
    /// How far another agent is trusted whose memories this one reads; none to read them no longer.
    Source(AgentName, Option<SharedSource>),
    /// That another agent may write into this memory; none to end it.
    Writer(AgentName, Option<WriteGrant>),
    /// Whether a shard of the agent's work may be exported for research; none to take a decision back.
    Training(ShardId, Option<TrainingDecision>),
}

/// A change before it is applied, with its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangePlan {
    /// Name of the thing: `provenance_mode`, `config.toml`, `identity/SOUL.md`.
    pub what: String,
    /// The current value.
    pub was: String,
    /// The new value.
    pub becomes: String,
    /// Sentences on what changes and what does not.
    pub boundary: Vec<String>,
    /// The beliefs that the gate lets through now, and would in `enforce`.
    pub gate: GateReceipt,
}

/// A change that was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedChange {
    /// The plan that was carried out.
    pub plan: ChangePlan,
    /// The backup of what was there before.
    pub backup: PathBuf,
    /// The receipt.
    pub receipt: u64,
}

/// Plans a change. Changes nothing.
pub async fn plan(home: &Home, agent: &AgentName, wanted: &WantedChange) -> Result<ChangePlan> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    plan_for(home, &opened, wanted).await
}

async fn plan_for(home: &Home, agent: &Agent, wanted: &WantedChange) -> Result<ChangePlan> {
    let gate = agent.trusted(Consumer::ContextInjection.into()).await?.receipt;
    let (what, was, becomes) = match wanted {
        WantedChange::Mode(mode) => (PROVENANCE_MODE.to_owned(), gate.mode.to_string(), mode.to_string()),
        WantedChange::LowRisk(kinds) => {
            let store = home.protected_store(agent.name()).await?;
            let set = store.read(|view| view.protected_setting(LOW_RISK)).await?;
            let was = set.map_or_else(|| low_risk::NONE.to_owned(), |(value, _)| value);
            (LOW_RISK.to_owned(), was, low_risk::declaration_value(kinds)?)
        }
        WantedChange::Config(from) => {
            let text = limited_text(from)?;
            // An invalid file is refused before anything is written.
            Config::read(from)?;
            (CONFIG_FILE.to_owned(), existing_text(&home.path().join(CONFIG_FILE))?, text)
        }
        WantedChange::Proposal(id) => {
            let review = agent.review_proposal(*id).await?;
            if let Some(problem) = review.refuses(ReviewDecision::AcceptVerified) {
                let hint = format!("`cairn review show {id}` shows where it stands; nothing was changed");
                return Err(OperatorError::Refused { problem, hint });
            }
            (format!("identity/{}", review.proposal.record.file), review.before, review.after?)
        }
        WantedChange::Govern(from) => {
            let text = limited_text(from)?;
            GovernRules::parse(&text, Some(home.path()))?;
            (GOVERN_FILE.to_owned(), existing_text(&home.path().join(GOVERN_FILE))?, text)
        }
        WantedChange::Lease(name, lease) => {
            let name = lease_name(name)?;
            let was = value_set(home, agent, &name).await?;
            (name, was, lease_value(lease.as_ref(), home.now())?)
        }
        WantedChange::Share(reader, share) => {
            share.as_ref().map_or(Ok(()), |share| share.validate(home.now()))?;
            let name = format!("{SHARE_PREFIX}{reader}");
            (name.clone(), value_set(home, agent, &name).await?, setting_value(share.as_ref())?)
        }
        WantedChange::Source(owner, source) => {
            let name = format!("{SOURCE_PREFIX}{owner}");
            (name.clone(), value_set(home, agent, &name).await?, setting_value(source.as_ref())?)
        }
        WantedChange::Writer(writer, grant) => {
            if grant.is_some_and(|grant| !grant.holds(home.now())) {
                let hint = "give a time to come with --until";
                return Err(Invalid::new("the permission has already ended", hint).into());
            }
            let name = format!("{WRITER_PREFIX}{writer}");
            (name.clone(), value_set(home, agent, &name).await?, setting_value(grant.as_ref())?)
        }
        WantedChange::Training(shard, decision) => {
            training::check(agent, shard, *decision).await?;
            let name = shard.setting();
            let becomes = decision.map_or_else(String::new, |decision| decision.as_str().to_owned());
            (name.clone(), value_set(home, agent, &name).await?, becomes)
        }
        WantedChange::Identity(from) => {
            let name = identity_name(from)?;
            let path = agent.folder().join("identity").join(&name);
            (format!("identity/{name}"), existing_text(&path)?, limited_text(from)?)
        }
    };
    if was == becomes {
        let hint = "there is nothing to change";
        let problem = format!("{what} already has this value");
        return Err(OperatorError::Unchanged(Invalid::new(problem, hint)));
    }
    Ok(ChangePlan { boundary: boundary(agent, &what, wanted, &gate), what, was, becomes, gate })
}

/// Applies a change: backs up what is there, changes it, and leaves a receipt.
pub async fn apply(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    wanted: &WantedChange,
    reason: &str,
) -> Result<AppliedChange> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    let plan = plan_for(home, &opened, wanted).await?;
    let accepted = match wanted {
        WantedChange::Proposal(id) => {
            // What was declared in advance says nothing about who the agent is.
            if grant.is_declared() {
                return Err(OperatorError::BeyondLimit);
            }
            let record = opened.proposal(*id).await?.record;
            let becomes = ProposalRecord { status: ProposalStatus::Accepted, ..record };
            Some(protected::ProposalMove { was: ProposalStatus::Pending, becomes })
        }
        WantedChange::Mode(_)
        | WantedChange::LowRisk(_)
        | WantedChange::Config(_)
        | WantedChange::Identity(_)
        | WantedChange::Govern(_)
        | WantedChange::Lease(..)
        | WantedChange::Share(..)
        | WantedChange::Source(..)
        | WantedChange::Writer(..)
        | WantedChange::Training(..) => None,
    };
    let planned = PlannedChange { plan, file: FilePresence::Present, proposal: accepted };
    apply_plan(grant, home, &opened, planned, reason).await
}

/// Whether a file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilePresence {
    Present,
    Absent,
}

/// A plan, whether its file is there after it, and the proposal that moves with it.
struct PlannedChange {
    plan: ChangePlan,
    file: FilePresence,
    proposal: Option<protected::ProposalMove>,
}

/// Restores what was there before the change that a receipt records, if it was the last one.
pub async fn undo(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    number: u64,
    reason: &str,
) -> Result<AppliedChange> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    let receipt = opened.receipt(number).await?.filter(|receipt| receipt.action == ReceiptAction::Configure);
    let receipt = receipt.ok_or_else(|| refused(number, "it does not record a change of a setting"))?;
    let store = home.protected_store(agent).await?;
    let subject = receipt.subject.clone();
    let set = store.read(|view| view.protected_setting(&subject)).await?;
    if set.is_none_or(|(_, by)| by != number) {
        return Err(refused(number, "there is a later change; roll that back first"));
    }
    let gate = opened.trusted(Consumer::ContextInjection.into()).await?.receipt;
    let mut file = FilePresence::Present;
    let (was, becomes) = if is_protected_setting(&receipt.subject) {
        (receipt.told.becomes.clone(), receipt.told.was.clone())
    } else {
        let kept = receipt.told.was.strip_prefix(NO_FILE);
        if kept.is_some() {
            file = FilePresence::Absent;
        }
        let kept = kept.unwrap_or(&receipt.told.was);
        let copy = kept.split_once(" kept as ").map(|(_, path)| PathBuf::from(path));
        let copy = copy.ok_or_else(|| refused(number, "it does not say where the backup is"))?;
        let text = limited_text(&copy)?;
        if !kept.starts_with(&content_hash(text.as_bytes())) {
            return Err(refused(number, "the backup has been changed"));
        }
        (existing_text(&protected_path(home, &opened, &receipt.subject))?, text)
    };
    let boundary = vec![format!(
        "{} is restored to its state before receipt {number}, and nothing else changes",
        receipt.subject
    )];
    let accepted = store.read(|view| view.proposal_accepted_by(number)).await?;
    let proposal = accepted.map(|record| {
        let becomes = ProposalRecord { status: ProposalStatus::RolledBack, ..record };
        protected::ProposalMove { was: ProposalStatus::Accepted, becomes }
    });
    let plan = ChangePlan { what: receipt.subject, was, becomes, boundary, gate };
    apply_plan(grant, home, &opened, PlannedChange { plan, file, proposal }, reason).await
}

async fn apply_plan(
    grant: &Grant,
    home: &Home,
    agent: &Agent,
    PlannedChange { plan, file, proposal }: PlannedChange,
    reason: &str,
) -> Result<AppliedChange> {
    let reaches = [agent.name().clone()];
    // The configuration and the rules are every agent's.
    grant.require_all((!is_home_file(&plan.what)).then_some(reaches.as_slice()))?;
    let reason = required_reason(reason, "a change", "changed")?;
    let store = home.protected_store(agent.name()).await?;
    let what = plan.what.clone();
    let set = store.read(|view| view.protected_setting(&what)).await?.map(|(value, _)| value);
    let is_setting = is_protected_setting(&plan.what);
    let path = protected_path(home, agent, &plan.what);
    let before = if path.exists() { FilePresence::Present } else { FilePresence::Absent };
    let backup = if is_setting { agent.backup(None).await? } else { back_up_file(home, &path, &plan)? };
    let (was, becomes, value) = if is_setting {
        (plan.was.clone(), plan.becomes.clone(), plan.becomes.clone())
    } else {
        let missing = if before == FilePresence::Absent { NO_FILE } else { "" };
        let was = format!("{missing}{} kept as {}", content_hash(plan.was.as_bytes()), backup.display());
        (was, content_hash(plan.becomes.as_bytes()), content_hash(plan.becomes.as_bytes()))
    };
    let undo = "cairn operator rollback {receipt}".to_owned();
    let told = ReceiptDetail { was, becomes, reason, undo };
    let _lock = proposal.is_some().then(|| FileLock::require(agent)).transpose()?;
    let change = protected::SettingChange { name: plan.what.clone(), was: set, value, told, proposal };
    interrupted::begin(&store, &change, grant.authority()).await?;
    // The file first: a receipt must never record something that did not happen.
    if !is_setting {
        put_file(&path, file, &plan.becomes)?;
    }
    let actor = grant.authority().to_owned();
    let receipt = protected::configure(&store, change.clone(), actor, home.now()).await;
    if receipt.is_err() && !is_setting {
        put_file(&path, before, &plan.was)?;
        interrupted::forget(&store, &change).await?;
    }
    Ok(AppliedChange { plan, backup, receipt: receipt? })
}

fn boundary(agent: &Agent, what: &str, wanted: &WantedChange, gate: &GateReceipt) -> Vec<String> {
    let mut said = vec![match wanted {
        WantedChange::Config(_) | WantedChange::Govern(_) => {
            format!("{what} of the home changes, and nothing else")
        }
        WantedChange::Mode(_)
        | WantedChange::LowRisk(_)
        | WantedChange::Identity(_)
        | WantedChange::Lease(..)
        | WantedChange::Share(..)
        | WantedChange::Source(..)
        | WantedChange::Writer(..)
        | WantedChange::Training(..)
        | WantedChange::Proposal(_) => {
            format!("{what} of agent {} changes, and nothing else", agent.name())
        }
    }];
    if is_about_beliefs(wanted) {
        said.push("no belief changes its lane or its status: 0 promotions, 0 retractions".to_owned());
        said.push(format!("this injects 0 beliefs; {} are given as true now", gate.let_through));
    }
    match wanted {
        WantedChange::Mode(mode) => said.push(match mode {
            ProvenanceMode::Enforce => format!(
                "from then on, {} verified, active and fresh belief(s) may be given to a model as true, and no candidate",
                gate.would_let_through
            ),
            ProvenanceMode::Observe | ProvenanceMode::Diagnostic => {
                "from then on, no belief is given to a model as true".to_owned()
            }
        }),
        WantedChange::LowRisk(kinds) if kinds.is_empty() => {
            said.push("from then on, only an operator verifies beliefs".to_owned());
        }
        WantedChange::LowRisk(_) => said.push(
            "from then on, beliefs of these kinds that are nearly ready, open and supported word for word by a source are \
             verified without a review, each with a receipt that can be rolled back"
                .to_owned(),
        ),
        WantedChange::Govern(_) => said.push(
            "from then on, `cairn hook pre-tool-use` and `cairn govern decide` follow these rules; nothing is done by them"
                .to_owned(),
        ),
        WantedChange::Lease(_, Some(lease)) => said.push(format!(
            "until {}, up to {} action(s) within this scope need no further word where a rule asks or wants approval; what a rule \
             refuses stays refused",
            lease.expires_at, lease.max_actions
        )),
        WantedChange::Lease(_, None) => said.push("from then on, it permits nothing".to_owned()),
        WantedChange::Share(reader, Some(_)) => said.push(format!(
            "from then on, {reader} finds these memories where they are, but for private ones; nothing is copied, and {reader} \
             changes none of them"
        )),
        WantedChange::Share(reader, None) => said.push(format!("from then on, {reader} finds none of its memories")),
        WantedChange::Source(owner, Some(source)) => said.push(format!(
            "from then on, {owner} is asked, too; it is trusted at most {:.0} %, and this permits nothing by itself",
            source.trust_at_most * 100.0
        )),
        WantedChange::Source(owner, None) => said.push(format!("from then on, {owner} is not asked")),
        WantedChange::Writer(writer, Some(_)) => said.push(format!(
            "from then on, {writer} may write here; what it writes is an agent's word, never the user's"
        )),
        WantedChange::Writer(writer, None) => said.push(format!("from then on, {writer} may not write here")),
        WantedChange::Training(_, decision) => said.push(training::boundary(*decision)),
        WantedChange::Config(_) | WantedChange::Identity(_) | WantedChange::Proposal(_) => {}
    }
    said
}

/// Whether a change could be thought to change what is held true, or given as true.
fn is_about_beliefs(wanted: &WantedChange) -> bool {
    match wanted {
        WantedChange::Config(_)
        | WantedChange::Mode(_)
        | WantedChange::LowRisk(_)
        | WantedChange::Identity(_)
        | WantedChange::Proposal(_) => true,
        WantedChange::Govern(_)
        | WantedChange::Lease(..)
        | WantedChange::Share(..)
        | WantedChange::Source(..)
        | WantedChange::Writer(..)
        | WantedChange::Training(..) => false,
    }
}

/// The value that is set under a name; empty if none is.
async fn value_set(home: &Home, agent: &Agent, name: &str) -> Result<String> {
    let store = home.protected_store(agent.name()).await?;
    let set = store.read(|view| view.protected_setting(name)).await?;
    Ok(set.map_or_else(String::new, |(value, _)| value))
}

/// Whether a protected file is the home's rather than the agent's.
fn is_home_file(what: &str) -> bool {
    [CONFIG_FILE, GOVERN_FILE].contains(&what)
}

/// The path of a protected file.
fn protected_path(home: &Home, agent: &Agent, what: &str) -> PathBuf {
    if is_home_file(what) { home.path().join(what) } else { agent.folder().join(what) }
}

fn identity_name(from: &Path) -> Result<String> {
    let name = from.file_name().and_then(|name| name.to_str());
    let name = name.filter(|_| from.extension().is_some_and(|end| end == "md"));
    let name = name.filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)));
    name.map(str::to_owned).ok_or_else(|| {
        let problem = format!("{} is not a valid identity file", from.display());
        Invalid::new(problem, "name a file such as SOUL.md").into()
    })
}

fn limited_text(path: &Path) -> Result<String> {
    let bytes = fs::metadata(path).map_err(OperatorError::file("read", path))?.len();
    if bytes > MAX_REPLACEMENT_FILE_BYTES {
        let problem = format!("{} has {bytes} bytes", path.display());
        return Err(
            Invalid::new(problem, format!("use a file of up to {MAX_REPLACEMENT_FILE_BYTES} bytes")).into()
        );
    }
    fs::read_to_string(path).map_err(OperatorError::file("read", path))
}

/// The text of a file; empty if it is missing.
fn existing_text(path: &Path) -> Result<String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(OperatorError::file("read", path)(error)),
    }
}

/// Saves the current text under the current time.
fn back_up_file(home: &Home, path: &Path, plan: &ChangePlan) -> Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(".")).join("before");
    fs::create_dir_all(&folder).map_err(OperatorError::file("make", &folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stamp = home.now().to_string().replace(':', "-");
    let mut to = folder.join(format!("{name}.{stamp}"));
    let mut again = 1;
    while to.exists() {
        to = folder.join(format!("{name}.{stamp}.{again}"));
        again += 1;
    }
    put_text(&to, &plan.was)?;
    Ok(to)
}

/// Writes a file, or removes it.
fn put_file(path: &Path, state: FilePresence, text: &str) -> Result<()> {
    match state {
        FilePresence::Present => put_text(path, text),
        FilePresence::Absent => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OperatorError::file("remove", path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        },
    }
}

/// Replaces a file, which may be the first of its folder.
fn put_text(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| OperatorError::file("write", path)(error);
    fs::create_dir_all(folder).map_err(failed)?;
    replace_file(path, text.as_bytes(), ReplaceSync::Durable, ReplaceAccess::Private).map_err(failed)
}

fn refused(number: u64, why: &str) -> OperatorError {
    OperatorError::Refused {
        problem: format!("receipt {number} cannot be rolled back: {why}"),
        hint: "`cairn operator log` lists the changes; nothing was changed now".to_owned(),
    }
}
