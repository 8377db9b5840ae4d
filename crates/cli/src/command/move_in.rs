//! `cairn move-in`: what other products left, recognized, planned and then taken in. `cairn ingest` does the same without
//! a plan.

use super::{
    invocation::Invocation,
    taken_in::{catch_up, print_report},
};
use crate::{
    args::{MoveInArgs, TakingArgs},
    clock::machine_zone,
    failure::Failure,
    show,
};
use cairn_domain::AgentName;
use cairn_engine::{IngestReport, Missing};
use cairn_importer::{
    Form, GatheredKind, IdentityTarget, ImporterError, Moved, Plan, Product, ProductPlan, Source,
    TenantChoice, carry_out, plan, survey, survey_home,
};
use indicatif::ProgressBar;
use jiff::tz::TimeZone;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
    time::{Duration, Instant},
};

/// Files that are shown of one product.
const MAX_SHOWN_PATHS: usize = 3;
/// Unknown files that are shown.
const MAX_SHOWN_UNKNOWN: usize = 5;

pub(crate) async fn move_in(invocation: &Invocation, args: MoveInArgs) -> Result<(), Failure> {
    let sources = match &args.path {
        Some(path) => surveyed(path)?,
        None => surveyed_home()?,
    };
    let moving = Move::new(sources, args.taking)?;
    if !args.yes {
        if invocation.json || !io::stdin().is_terminal() {
            invocation.answer(|| moving.told(None), || moving.print());
            if !invocation.json {
                err!("this is a plan: pass --yes to carry it out");
            }
            return Ok(());
        }
        moving.print();
        if !confirmed() {
            return Ok(());
        }
    }
    moving.check_tenants()?;
    let begun = Instant::now();
    let moved = moving.carry_out(invocation).await?;
    if let Some(folder) = &args.proposals {
        moving.write_proposals(folder)?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    invocation.answer(
        || moving.told(Some((&moved, seconds))),
        || {
            moving.print();
            print_moved(&moved, seconds);
        },
    );
    Ok(())
}

/// The things at a path; refused if nothing of it is known.
pub(crate) fn surveyed(path: &Path) -> Result<Vec<Source>, Failure> {
    if !path.exists() {
        let problem = format!("there is nothing at {}", path.display());
        return Err(Failure::new(problem, "name a file or folder of another product, or a transcript"));
    }
    let survey = survey(path)?;
    if survey.sources.is_empty() {
        return Err(ImporterError::Unknown { path: path.to_owned() }.into());
    }
    for unknown in survey.unknown.iter().take(MAX_SHOWN_UNKNOWN) {
        err!("not known, left where it is: {}", unknown.display());
    }
    if survey.unknown.len() > MAX_SHOWN_UNKNOWN {
        err!("… and {} more files that are not known", survey.unknown.len() - MAX_SHOWN_UNKNOWN);
    }
    Ok(survey.sources)
}

fn surveyed_home() -> Result<Vec<Source>, Failure> {
    let home = std::env::home_dir().ok_or_else(|| {
        Failure::new("there is no home folder", "name a file or folder: cairn move-in PATH")
    })?;
    let survey = survey_home(&home)?;
    if survey.sources.is_empty() {
        let problem = format!("nothing that is known lies in the usual places of {}", home.display());
        return Err(Failure::new(
            problem,
            "name a file or folder: cairn move-in PATH; --help lists what is known",
        ));
    }
    Ok(survey.sources)
}

/// A move that is planned.
pub(crate) struct Move {
    sources: Vec<Source>,
    plan: Plan,
    zone: TimeZone,
    taking: TakingArgs,
}

impl Move {
    pub(crate) fn new(sources: Vec<Source>, taking: TakingArgs) -> Result<Self, Failure> {
        let zone = match &taking.timezone {
            Some(name) => TimeZone::get(name).map_err(|_| {
                Failure::usage(format!("`{name}` is not a time zone"), "write it as Europe/Istanbul")
            })?,
            None => machine_zone(),
        };
        let plan = plan(&sources, &zone)?;
        Ok(Self { sources, plan, zone, taking })
    }

    /// Everything at once, as `cairn ingest` does it.
    pub(crate) async fn ingest(self, invocation: &Invocation) -> Result<(), Failure> {
        self.check_tenants()?;
        let begun = Instant::now();
        let moved = self.carry_out(invocation).await?;
        let seconds = begun.elapsed().as_secs_f64();
        invocation.answer(
            || self.told(Some((&moved, seconds))),
            || {
                print_moved(&moved, seconds);
                self.print_left_out();
            },
        );
        Ok(())
    }

    /// Whose things are taken must be said where several share a store.
    fn check_tenants(&self) -> Result<(), Failure> {
        let hint = "take one with --user NAME, or make an agent of each with --split";
        let shared: Vec<(&Product, &ProductPlan)> =
            self.plan.iter().filter(|(_, of)| of.is_shared()).collect();
        let Some((product, of)) = shared.first() else { return Ok(()) };
        match &self.taking.user {
            None if !self.taking.split => {
                let problem = format!("several share this {} store: {}", product.title(), shown_tenants(of));
                Err(Failure::usage(problem, hint))
            }
            Some(user) if shared.iter().all(|(_, of)| !of.tenants.contains_key(user)) => {
                let shown: Vec<String> = shared.iter().map(|(_, of)| shown_tenants(of)).collect();
                Err(Failure::usage(format!("`{user}` is not one of {}", shown.join(", ")), hint))
            }
            _ => Ok(()),
        }
    }

    async fn carry_out(&self, invocation: &Invocation) -> Result<Moved, Failure> {
        let choice = match &self.taking.user {
            Some(user) => TenantChoice::User(user.clone()),
            None if self.taking.split => TenantChoice::Unshared,
            None => TenantChoice::Everything,
        };
        let mut moved = self.carry_to(invocation, &invocation.agent, &choice).await?;
        if self.taking.split {
            moved.others = 0;
            let shared = self.plan.values().filter(|of| of.is_shared());
            let tenants: BTreeMap<&String, AgentName> = shared
                .flat_map(|of| of.tenants.keys())
                .map(|tenant| Ok((tenant, agent_name(tenant)?)))
                .collect::<Result<_, Failure>>()?;
            for (tenant, agent) in tenants {
                let only = TenantChoice::Only(tenant.clone());
                let theirs = self.carry_to(invocation, &agent, &only).await?;
                moved.messages += theirs.messages;
            }
        }
        Ok(moved)
    }

    async fn carry_to(
        &self,
        invocation: &Invocation,
        agent: &AgentName,
        choice: &TenantChoice,
    ) -> Result<Moved, Failure> {
        let agent = invocation.home.agent(agent, Missing::Create).await?;
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(100));
        let mut on_progress = |moved: &Moved| bar.set_message(format!("{} messages", moved.messages.read));
        let moved = carry_out(&agent, &self.sources, &self.plan, choice, &self.zone, &mut on_progress).await;
        bar.finish_and_clear();
        let moved = moved?;
        if self.taking.wait {
            catch_up(&agent).await?;
        }
        show::notes(&agent.take_notes());
        show::notes(&moved.knowledge.notes());
        Ok(moved)
    }

    /// The plan, and what came of it, for programs.
    fn told(&self, moved: Option<(&Moved, f64)>) -> cairn_wire::MoveIn {
        let products = self.plan.iter().map(|(product, of)| told_product(*product, of)).collect();
        let report = moved.map(|(moved, seconds)| cairn_wire::Ingest::new(&moved.messages, seconds));
        let ingest = report.unwrap_or_else(|| cairn_wire::Ingest::new(&IngestReport::default(), 0.0));
        cairn_wire::MoveIn {
            done: moved.is_some(),
            products,
            ingest,
            knowledge: moved.map(|(moved, _)| cairn_wire::Knowledge::from(&moved.knowledge)),
            others: moved.map_or(0, |(moved, _)| moved.others),
        }
    }

    fn print(&self) {
        let (bold, dim) = (show::BOLD, show::DIM);
        for (product, of) in &self.plan {
            out!("{bold}{}{bold:#}", product.title());
            for path in of.paths.iter().take(MAX_SHOWN_PATHS) {
                out!("  {dim}{}{dim:#}", path.display());
            }
            if of.paths.len() > MAX_SHOWN_PATHS {
                out!("  {dim}… and {} more{dim:#}", of.paths.len() - MAX_SHOWN_PATHS);
            }
            for kind in GatheredKind::ALL {
                if let Some(count) = of.counts.get(kind.plural()) {
                    out!("  {count} {} → {}", kind.plural(), becomes(kind));
                }
            }
            let transcripts = self.sources.iter().filter(|source| source.form == Form::Transcript).count();
            if *product == Product::Transcript {
                out!("  {transcripts} transcripts → messages, word for word");
            }
            if !of.knowledge.is_empty() {
                out!("  {} files or folders → knowledge that cites their lines", of.knowledge.len());
            }
            if let (Some(first), Some(last)) = (of.first, of.last) {
                out!("  said from {} to {}", first.day(), last.day());
            }
            if of.is_shared() {
                out!("  shared by {}", shown_tenants(of));
            }
        }
        self.print_left_out();
    }

    fn print_left_out(&self) {
        let yellow = show::YELLOW;
        for (product, of) in &self.plan {
            for (why, count) in &of.left_out {
                out!("{yellow}left behind:{yellow:#} {}: {count} × {why}", product.title());
            }
            for proposal in &of.proposals {
                let opening: String =
                    proposal.text.lines().next().unwrap_or_default().chars().take(80).collect();
                let file = proposal.target.file_name();
                out!("{yellow}proposed for {file}:{yellow:#} {}: {opening}", proposal.origin);
            }
        }
        if self.plan.values().any(|of| !of.proposals.is_empty()) {
            out!(
                "only an operator writes identity files: `cairn move-in PATH --yes --proposals FOLDER`, then `cairn operator plan --identity FOLDER/SOUL.md`"
            );
        }
    }

    /// Each identity file as it would be: what is proposed, under where it came from.
    fn write_proposals(&self, folder: &Path) -> Result<(), Failure> {
        let mut files: BTreeMap<IdentityTarget, String> = BTreeMap::new();
        for proposal in self.plan.values().flat_map(|of| &of.proposals) {
            let file = files.entry(proposal.target).or_default();
            file.extend(["## ", &proposal.origin, "\n\n", &proposal.text, "\n\n"]);
        }
        let failed = |path: &Path, error: io::Error| {
            Failure::new(
                format!("{} cannot be written: {error}", path.display()),
                "name a folder that you may write to",
            )
        };
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        for (target, text) in files {
            let path = folder.join(target.file_name());
            fs::write(&path, text.trim_end().to_owned() + "\n").map_err(|error| failed(&path, error))?;
        }
        Ok(())
    }
}

/// The name of the agent that a person or agent of another store becomes.
fn agent_name(tenant: &str) -> Result<AgentName, Failure> {
    let plain = tenant.to_lowercase();
    let name: String = plain.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    Ok(name.parse()?)
}

fn shown_tenants(of: &ProductPlan) -> String {
    let shown: Vec<String> = of.tenants.iter().map(|(tenant, count)| format!("{tenant} ({count})")).collect();
    shown.join(", ")
}

fn becomes(kind: GatheredKind) -> &'static str {
    match kind {
        GatheredKind::Message => "messages, word for word, of whoever said them",
        GatheredKind::Memory => "fed messages, said by nobody; memories of little weight form from them",
        GatheredKind::Digest => "fed messages, marked as derived",
        GatheredKind::Relation => "fed messages, a sentence each",
        GatheredKind::Document => "fed messages that name their file",
    }
}

fn told_product(product: Product, of: &ProductPlan) -> cairn_wire::MovedProduct {
    cairn_wire::MovedProduct {
        product: product.name(),
        paths: of.paths.iter().map(|path| path.display().to_string()).collect(),
        counts: of.counts.clone(),
        tenants: of.tenants.clone(),
        left_out: of.left_out.clone(),
        proposals: of
            .proposals
            .iter()
            .map(|proposal| cairn_wire::ProposedIdentity {
                file: proposal.target.file_name(),
                origin: proposal.origin.clone(),
                text: proposal.text.clone(),
            })
            .collect(),
        first: of.first,
        last: of.last,
    }
}

fn print_moved(moved: &Moved, seconds: f64) {
    print_report(&moved.messages, seconds);
    let knowledge = &moved.knowledge;
    if knowledge.files > 0 {
        let (added, there) = (knowledge.added, knowledge.unchanged);
        out!("{added} paragraphs added, {there} there already, from {} file(s)", knowledge.files);
    }
    if moved.others > 0 {
        out!("{} left out: they are another's", moved.others);
    }
}

fn confirmed() -> bool {
    eprint!("move in? [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}
