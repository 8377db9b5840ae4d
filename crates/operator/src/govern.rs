//! Governing: how far beliefs are trusted, the configuration of a home, who an agent is. A plan tells what would change and
//! what would not; applying it copies what was there, changes that one thing and leaves a receipt; rolling back puts it back.

use crate::{Grant, OperatorError, Result, low_risk};
use cairn_domain::{AgentName, BeliefKind, Consumer, Invalid, ProvenanceMode, ReceiptAction, ReceiptDetail};
use cairn_engine::{Agent, Config, GateReceipt, Home, Missing};
use cairn_store::{LOW_RISK, PROVENANCE_MODE, protected};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Bytes of a file that is put in the place of another.
const MOST_BYTES: u64 = 1 << 20;

/// What an operator wants to change: one thing at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// How far beliefs are trusted.
    Mode(ProvenanceMode),
    /// The kinds of belief that may be verified without a look; none at all if it is empty.
    LowRisk(Vec<BeliefKind>),
    /// The configuration of the home, from this file.
    Config(PathBuf),
    /// A file of the agent's identity, from a file of the same name.
    Identity(PathBuf),
}

/// What would change, and what would not.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What: `provenance_mode`, `config.toml`, `identity/SOUL.md`.
    pub what: String,
    /// As it is.
    pub was: String,
    /// As it would be.
    pub becomes: String,
    /// What is touched and what is not, in sentences.
    pub boundary: Vec<String>,
    /// What the gate lets through now, and would in `enforce`.
    pub gate: GateReceipt,
}

/// What was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The plan that was carried out.
    pub plan: Plan,
    /// Where what was there before is kept.
    pub backup: PathBuf,
    /// The receipt.
    pub receipt: u64,
}

/// What would change. Changes nothing.
pub async fn plan(home: &Home, agent: &AgentName, wanted: &Wanted) -> Result<Plan> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    plan_for(home, &opened, wanted).await
}

async fn plan_for(home: &Home, agent: &Agent, wanted: &Wanted) -> Result<Plan> {
    let gate = agent.trusted(Consumer::ContextInjection.into()).await?.receipt;
    let (what, was, becomes) = match wanted {
        Wanted::Mode(mode) => (PROVENANCE_MODE.to_owned(), gate.mode.to_string(), mode.to_string()),
        Wanted::LowRisk(kinds) => {
            let store = home.protected_store(agent.name()).await?;
            let set = store.read(|view| view.protected_setting(LOW_RISK)).await?;
            let was = set.map_or_else(|| low_risk::NONE.to_owned(), |(value, _)| value);
            (LOW_RISK.to_owned(), was, low_risk::declared(kinds)?)
        }
        Wanted::Config(from) => {
            let text = read(from)?;
            // Refused before anything is written, as it would be when it is read.
            Config::read(from)?;
            ("config.toml".to_owned(), kept(&home.path().join("config.toml"))?, text)
        }
        Wanted::Identity(from) => {
            let name = identity_name(from)?;
            let path = agent.folder().join("identity").join(&name);
            (format!("identity/{name}"), kept(&path)?, read(from)?)
        }
    };
    if was == becomes {
        let hint = "nothing would change; nothing was changed";
        return Err(Invalid::new(format!("{what} is that already"), hint).into());
    }
    Ok(Plan { boundary: boundary(agent, &what, wanted, &gate), what, was, becomes, gate })
}

/// Carries a plan out: copies what is there, changes it, and leaves a receipt.
pub async fn apply(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    wanted: &Wanted,
    reason: &str,
) -> Result<Applied> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    let plan = plan_for(home, &opened, wanted).await?;
    carry_out(grant, home, &opened, plan, reason).await
}

/// Puts back what was there before the change that a receipt tells, if it was the last one.
pub async fn undo(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    number: u64,
    reason: &str,
) -> Result<Applied> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    let receipt = opened.receipt(number).await?.filter(|receipt| receipt.action == ReceiptAction::Configure);
    let receipt = receipt.ok_or_else(|| refused(number, "it is not about something that was set"))?;
    let store = home.protected_store(agent).await?;
    let subject = receipt.subject.clone();
    let set = store.read(|view| view.protected_setting(&subject)).await?;
    if set.is_none_or(|(_, by)| by != number) {
        return Err(refused(number, "something was changed since; roll that back first"));
    }
    let gate = opened.trusted(Consumer::ContextInjection.into()).await?.receipt;
    let (was, becomes) = if is_setting(&receipt.subject) {
        (receipt.told.becomes.clone(), receipt.told.was.clone())
    } else {
        let copy = receipt.told.was.split_once(" kept as ").map(|(_, path)| PathBuf::from(path));
        let copy = copy.ok_or_else(|| refused(number, "it does not tell where the copy is"))?;
        let text = read(&copy)?;
        if !receipt.told.was.starts_with(&hash(&text)) {
            return Err(refused(number, "the copy has been changed"));
        }
        (kept(&place(home, &opened, &receipt.subject))?, text)
    };
    let boundary =
        vec![format!("{} is put back as it was before receipt {number}, and nothing else", receipt.subject)];
    carry_out(grant, home, &opened, Plan { what: receipt.subject, was, becomes, boundary, gate }, reason)
        .await
}

async fn carry_out(grant: &Grant, home: &Home, agent: &Agent, plan: Plan, reason: &str) -> Result<Applied> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(
            Invalid::new("a change needs a reason", "tell it with --reason; nothing was changed").into()
        );
    }
    let store = home.protected_store(agent.name()).await?;
    let what = plan.what.clone();
    let set = store.read(|view| view.protected_setting(&what)).await?.map(|(value, _)| value);
    let is_setting = is_setting(&plan.what);
    let backup = if is_setting {
        agent.backup(None).await?
    } else {
        copy(home, &place(home, agent, &plan.what), &plan)?
    };
    let (was, becomes, value) = if is_setting {
        (plan.was.clone(), plan.becomes.clone(), plan.becomes.clone())
    } else {
        let was = format!("{} kept as {}", hash(&plan.was), backup.display());
        (was, hash(&plan.becomes), hash(&plan.becomes))
    };
    let undo = "cairn operator rollback {receipt}".to_owned();
    let told = ReceiptDetail { was, becomes, reason: reason.to_owned(), undo };
    // First the file: a receipt never tells of something that did not happen.
    if !is_setting {
        write(&place(home, agent, &plan.what), &plan.becomes)?;
    }
    let by = (grant.authority().to_owned(), told);
    let receipt = protected::configure(&store, (plan.what.clone(), set), value, by, home.now()).await;
    if receipt.is_err() && !is_setting {
        write(&place(home, agent, &plan.what), &plan.was)?;
    }
    Ok(Applied { plan, backup, receipt: receipt? })
}

fn boundary(agent: &Agent, what: &str, wanted: &Wanted, gate: &GateReceipt) -> Vec<String> {
    let mut said = vec![
        match wanted {
            Wanted::Config(_) => format!("{what} of the home changes, and nothing else"),
            Wanted::Mode(_) | Wanted::LowRisk(_) | Wanted::Identity(_) => {
                format!("{what} of agent {} changes, and nothing else", agent.name())
            }
        },
        "no belief changes its lane or its status: 0 promotions, 0 retractions".to_owned(),
        format!("0 beliefs are injected by this; {} are given as true now", gate.let_through),
    ];
    match wanted {
        Wanted::Mode(mode) => said.push(match mode {
            ProvenanceMode::Enforce => format!(
                "from then on {} verified, active and fresh belief(s) may be given to a model as true, and no candidate",
                gate.would_let_through
            ),
            ProvenanceMode::Observe | ProvenanceMode::Diagnostic => {
                "from then on no belief is given to a model as true".to_owned()
            }
        }),
        Wanted::LowRisk(kinds) if kinds.is_empty() => {
            said.push("from then on nothing is verified but by an operator".to_owned());
        }
        Wanted::LowRisk(_) => said.push(
            "from then on what is of these kinds, near ready, open and says what a source says word for word is verified \
             without a look, each with a receipt that can be rolled back"
                .to_owned(),
        ),
        Wanted::Config(_) | Wanted::Identity(_) => {}
    }
    said
}

/// Whether something that is protected is a setting, and no file.
fn is_setting(what: &str) -> bool {
    [PROVENANCE_MODE, LOW_RISK].contains(&what)
}

/// Where something that is protected and a file lies.
fn place(home: &Home, agent: &Agent, what: &str) -> PathBuf {
    match what {
        "config.toml" => home.path().join(what),
        _ => agent.folder().join(what),
    }
}

fn identity_name(from: &Path) -> Result<String> {
    let name = from.file_name().and_then(|name| name.to_str());
    let name = name.filter(|_| from.extension().is_some_and(|end| end == "md"));
    let name = name.filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)));
    name.map(str::to_owned).ok_or_else(|| {
        let problem = format!("{} cannot be a file of an identity", from.display());
        Invalid::new(problem, "name a file such as SOUL.md").into()
    })
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::metadata(path).map_err(OperatorError::file("read", path))?.len();
    if bytes > MOST_BYTES {
        let problem = format!("{} has {bytes} bytes", path.display());
        return Err(Invalid::new(problem, format!("use a file of up to {MOST_BYTES} bytes")).into());
    }
    fs::read_to_string(path).map_err(OperatorError::file("read", path))
}

/// What a file says; nothing if it is missing.
fn kept(path: &Path) -> Result<String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(OperatorError::file("read", path)(error)),
    }
}

/// Keeps what is there under the time.
fn copy(home: &Home, path: &Path, plan: &Plan) -> Result<PathBuf> {
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
    write(&to, &plan.was)?;
    Ok(to)
}

/// Puts a file in the place of another, whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| OperatorError::file("write", path)(error);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

fn refused(number: u64, why: &str) -> OperatorError {
    OperatorError::Refused {
        problem: format!("receipt {number} cannot be rolled back: {why}"),
        hint: "`cairn operator log` lists what was changed; nothing was changed now".to_owned(),
    }
}
