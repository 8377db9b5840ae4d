//! `cairn eval`: figures that anyone can make again.

use super::{eval_cases::labeled_cases, eval_growth::growth, invocation::Invocation};
use crate::{
    args::{self, EvalCommand},
    failure::Failure,
    show::{self, measured},
};
use cairn_eval::{
    dataset,
    figures::RetrievalFigures,
    fleet::FleetPlan,
    hooks, judges,
    labeled::{ChangeLine, IntentionLine, KeepLine, PoisonLine, SecretLine, Split},
    perf::{PerfPlan, VectorSource},
    plot,
    proxy::ProxyPlan,
    retrieval,
    runs::RunHalf,
    tool_work::WorkLine,
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) async fn eval(invocation: &Invocation, what: EvalCommand) -> Result<(), Failure> {
    match what {
        EvalCommand::Perf(args) => Box::pin(perf(invocation, args)).await,
        EvalCommand::Forming { memories, exchanges } => forming(invocation, memories, exchanges).await,
        EvalCommand::Dreaming { memories, questions } => dreaming(invocation, memories, questions).await,
        EvalCommand::Load { clients, seconds, memories, kill } => {
            load(invocation, clients, seconds, memories, kill).await
        }
        EvalCommand::Fleet { agents, messages, clients, noisy, seconds } => {
            let time = Duration::from_secs(seconds.max(1));
            let program = program()?;
            fleet(invocation, &FleetPlan { agents: agents.max(1), messages, clients, noisy, time, program })
                .await
        }
        EvalCommand::Hooks { messages, memories, sessions } => {
            let plan = hooks::HookPlan { messages, memories, sessions: sessions.max(1), program: program()? };
            hooks(invocation, &plan).await
        }
        EvalCommand::Proxy { requests, history } => {
            let plan = ProxyPlan { requests: requests.max(1), history, program: program()? };
            proxy(invocation, &plan)
        }
        EvalCommand::Coverage { data, budget } => coverage(invocation, &data, budget).await,
        EvalCommand::Updates(args) => updates(invocation, args).await,
        EvalCommand::Life(args) => life(invocation, args).await,
        EvalCommand::Train(args) => train(invocation, args).await,
        EvalCommand::FormingQuality(args) => forming_quality(invocation, args).await,
        EvalCommand::Growth(args) => growth(invocation, args).await,
        EvalCommand::Handoffs(args) => handoffs(invocation, args).await,
        EvalCommand::Poisoning(args) => poisoning(invocation, args).await,
        EvalCommand::Intentions(args) => intentions(invocation, &args),
        EvalCommand::Skills(args) => skills(invocation, &args).await,
        EvalCommand::Secrets(args) => secrets(invocation, &args),
        EvalCommand::Capture { data } => capture(invocation, &data).await,
        EvalCommand::Runs(args) => runs(invocation, args).await,
        EvalCommand::Retrieval(args) => retrieval(invocation, args).await,
    }
}

async fn perf(invocation: &Invocation, args: args::PerfArgs) -> Result<(), Failure> {
    let args::PerfArgs { messages, memories, questions, seed, vectors } = args;
    let vectors = match vectors {
        args::VectorsArg::None => VectorSource::None,
        args::VectorsArg::Synthetic => VectorSource::Synthetic,
        args::VectorsArg::Real => VectorSource::Real,
    };
    let plan =
        PerfPlan { messages, memories, questions, seed, vectors, program: std::env::current_exe().ok() };
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = Box::pin(cairn_eval::perf::run(&plan, &invocation.home, &mut on_stage)).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    Ok(())
}

async fn dreaming(invocation: &Invocation, memories: u64, questions: usize) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = cairn_eval::dreaming::run(memories, questions, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    Ok(())
}

async fn forming(invocation: &Invocation, memories: u64, exchanges: usize) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = cairn_eval::forming::run(memories, exchanges, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    Ok(())
}

async fn load(
    invocation: &Invocation,
    clients: usize,
    seconds: u64,
    memories: u64,
    kill: bool,
) -> Result<(), Failure> {
    let program = program()?;
    let plan =
        cairn_eval::load::LoadPlan { clients, time: Duration::from_secs(seconds), memories, kill, program };
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = cairn_eval::load::run(&plan, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    if figures.is_good() {
        return Ok(());
    }
    Err(Failure::new("not every request was answered, or something acknowledged is gone", "see the figures"))
}

async fn fleet(invocation: &Invocation, plan: &FleetPlan) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = Box::pin(cairn_eval::fleet::run(plan, &invocation.home, &mut on_stage)).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    if figures.is_good() {
        return Ok(());
    }
    Err(Failure::new("not every request was answered, or with another agent's words", "see the figures"))
}

async fn hooks(invocation: &Invocation, plan: &hooks::HookPlan) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = hooks::run(plan, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    if figures.is_good() {
        return Ok(());
    }
    Err(Failure::new(
        "some hooks exceeded their budget",
        "see the figures; the budget does not apply to a debug build",
    ))
}

fn proxy(invocation: &Invocation, plan: &ProxyPlan) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let figures = cairn_eval::proxy::run(plan, &invocation.home, &mut on_stage)?;
    invocation.answer(|| figures.to_json(), || measured(figures.rows()));
    if figures.is_good() {
        return Ok(());
    }
    let hint = "see the figures; the limit does not apply to a debug build or a busy machine";
    Err(Failure::new("the first byte came too late, or not everything was recorded", hint))
}

/// This program, for what is measured in a process of its own.
fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::new(format!("this program cannot be found: {error}"), "install it again"))
}

async fn retrieval(invocation: &Invocation, args: args::RetrievalArgs) -> Result<(), Failure> {
    let profile = invocation.home.config().ranking_profile(&args.profile)?;
    let data = &args.data;
    let mut conversations = read(data)?;
    if args.pooled {
        conversations = vec![dataset::pooled(conversations)];
    }
    let mut on_stage = |stage: &str| err!("{stage} …");
    let mut beside = if args.ablate { retrieval::ablations(profile) } else { Vec::new() };
    for name in &args.beside {
        beside.push((name.clone(), invocation.home.config().ranking_profile(name)?));
    }
    let plan = retrieval::RetrievalPlan { profile, beside };
    let report = retrieval::run(&conversations, &invocation.home, &plan, &mut on_stage).await?;
    if let Some(path) = &args.plot {
        let title = data.file_name().unwrap_or_default().to_string_lossy();
        std::fs::write(path, plot::svg(&report, &title)).map_err(|error| {
            Failure::new(
                format!("cannot write {}: {error}", path.display()),
                "name a file that can be written",
            )
        })?;
    }
    invocation.answer(
        || report.to_json(),
        || {
            let columns =
                ["questions", "asked", "turn R@1", "R@5", "R@10", "all@10", "MRR", "session R@5", "R@10"];
            let mut table = show::table(&columns);
            for (name, figures) in report.rows() {
                table.add_row(row(name, &figures));
            }
            out!("{table}\n{}", report.latency());
        },
    );
    Ok(())
}

async fn runs(invocation: &Invocation, args: args::RunsArgs) -> Result<(), Failure> {
    let half = match args.half {
        args::HalfArg::All => RunHalf::All,
        args::HalfArg::Tuned => RunHalf::Tuned,
        args::HalfArg::Held => RunHalf::Held,
    };
    let conversations = read(&args.data)?;
    let profile = invocation.home.config().ranking_profile("default")?;
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::runs::run(conversations, half, profile, &invocation.home, &mut on_stage).await?;
    invocation.answer(
        || report.to_json(),
        || {
            let mut table = show::table(&report.columns());
            for row in report.rows() {
                table.add_row(row);
            }
            out!("{table}");
        },
    );
    Ok(())
}

pub(crate) async fn simulate(invocation: &Invocation, args: args::SimulateArgs) -> Result<(), Failure> {
    let args::SimulateArgs { days, seed, exchanges, questions, no_rhythms, compare, report } = args;
    let plan = |rhythms| cairn_eval::simulate::SimulationPlan { days, seed, exchanges, questions, rhythms };
    let all = u64::from(days) * if compare { 2 } else { 1 };
    let progress = indicatif::ProgressBar::new(all).with_message("days lived");
    let mut on_day = |_| progress.inc(1);
    let lived = cairn_eval::simulate::run(&plan(!no_rhythms), &invocation.home, &mut on_day).await?;
    let without = if compare {
        Some(cairn_eval::simulate::run(&plan(false), &invocation.home, &mut on_day).await?)
    } else {
        None
    };
    progress.finish_and_clear();
    if let Some(path) = &report {
        let title = format!("{days} days, seed {seed}");
        std::fs::write(path, lived.to_html(&title, without.as_ref())).map_err(|error| {
            let problem = format!("cannot write {}: {error}", path.display());
            Failure::new(problem, "name a file that can be written")
        })?;
    }
    invocation.answer(
        || {
            let mut told = lived.to_json();
            if let Some(without) = &without {
                told["without_rhythms"] = without.to_json();
            }
            told
        },
        || match &without {
            None => measured(lived.rows()),
            Some(without) => beside(lived.rows(), without.rows()),
        },
    );
    Ok(())
}

/// The same figures of two lives.
fn beside(with: Vec<(String, String)>, without: Vec<(String, String)>) {
    let mut table = show::table(&["what", "with rhythms", "without"]);
    for ((what, one), (_, other)) in with.into_iter().zip(without) {
        table.add_row([what, one, other]);
    }
    out!("{table}");
}

async fn updates(invocation: &Invocation, args: args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<ChangeLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::updates::run(&cases, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn life(invocation: &Invocation, args: args::LifeArgs) -> Result<(), Failure> {
    let path = args.questions.as_ref().unwrap_or(&args.life);
    let unreadable = |problem: String| {
        Failure::new(
            format!("cannot read {}: {problem}", path.display()),
            "`cairn eval life --help` shows what a question looks like",
        )
    };
    let questions = dataset::read_questions(path).map_err(|error| unreadable(error.to_string()))?;
    if questions.is_empty() {
        return Err(unreadable("no line of it is a question".to_owned()));
    }
    let mut on_stage = |stage: &str| anstream::eprintln!("{stage} …");
    let report = cairn_eval::life::run(&args.life, &questions, &invocation.home, &mut on_stage).await?;
    invocation.answer(
        || report.to_json(),
        || {
            let mut table =
                show::table(&["questions", "asked", "first hit", "first three", "old value first"]);
            for row in report.rows() {
                table.add_row(row);
            }
            out!("{table}");
        },
    );
    Ok(())
}

async fn train(invocation: &Invocation, args: args::TrainArgs) -> Result<(), Failure> {
    let args::TrainArgs { changes, messages, sets, only, out } = args;
    let (mut cases, mut lines) = (Vec::new(), Vec::new());
    for path in &changes {
        cases.extend(labeled_cases::<ChangeLine>(path)?);
    }
    for path in &messages {
        lines.extend(labeled_cases::<KeepLine>(path)?);
    }
    lines.retain(|line| sets.is_empty() || sets.contains(&line.set));
    let mut on_stage = |stage: &str| err!("{stage} …");
    let mut judges = Vec::new();
    if only != Some(args::TrainedJudgeArg::Worth) {
        judges.push(judges::train_change(&cases, &lines, &invocation.home, &mut on_stage).await?);
    }
    if only != Some(args::TrainedJudgeArg::Change) {
        on_stage("fitting the worth judge");
        judges.extend(judges::train_worth(&cases, &lines));
    }
    let unwritable = |error: std::io::Error| {
        let problem = format!("cannot write to {}: {error}", out.display());
        Failure::new(problem, "name a folder that can be written to")
    };
    std::fs::create_dir_all(&out).map_err(unwritable)?;
    for judge in &judges {
        std::fs::write(out.join(judge.file), &judge.weights).map_err(unwritable)?;
    }
    let files: Vec<&str> = judges.iter().map(|judge| judge.file).collect();
    invocation.answer(
        || serde_json::json!({"folder": out, "files": files}),
        || {
            measured(
                judges.iter().map(|it| (it.file.to_owned(), format!("from {} cases", it.cases))).collect(),
            );
        },
    );
    Ok(())
}

async fn forming_quality(invocation: &Invocation, args: args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<KeepLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::forming_quality::run(&cases, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn handoffs(invocation: &Invocation, args: args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<KeepLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::handoffs::run(&cases, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn poisoning(invocation: &Invocation, args: args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<PoisonLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let mut on_stage = |_: &str| {};
    let report = cairn_eval::poisoning::run(&cases, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

fn secrets(invocation: &Invocation, args: &args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<SecretLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let report = cairn_eval::secret_masking::run(&cases);
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

fn intentions(invocation: &Invocation, args: &args::LabeledArgs) -> Result<(), Failure> {
    let mut cases: Vec<IntentionLine> = labeled_cases(&args.data)?;
    cases.retain(|case| !args.held || case.split == Some(Split::Held));
    let report = cairn_eval::intentions::run(&cases);
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn skills(invocation: &Invocation, args: &args::LabeledArgs) -> Result<(), Failure> {
    let mut lines: Vec<WorkLine> = labeled_cases(&args.data)?;
    lines.retain(|line| (line.split == Split::Held) == args.held);
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::skills::run(&lines, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn capture(invocation: &Invocation, data: &Path) -> Result<(), Failure> {
    let conversations = read(data)?;
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::capture::run(&conversations, &invocation.home, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || measured(report.rows()));
    Ok(())
}

async fn coverage(invocation: &Invocation, data: &Path, budget: usize) -> Result<(), Failure> {
    let conversations = read(data)?;
    let mut on_stage = |stage: &str| err!("{stage} …");
    let report = cairn_eval::coverage::run(&conversations, &invocation.home, budget, &mut on_stage).await?;
    invocation.answer(|| report.to_json(), || covered(&report));
    Ok(())
}

fn covered(report: &cairn_eval::coverage::CoverageReport) {
    let mut table = show::table(&["questions", "asked", "covered %", "blind %", "above", "tokens", "most"]);
    let categories = report.categories.iter().map(|(name, covered)| (name.as_str(), covered));
    for (name, it) in categories.chain([("all", &report.all)]) {
        let percent = |value: f64| format!("{value:.1}");
        let above = percent(it.context() - it.blind());
        let tokens = [format!("{:.0}", it.tokens()), it.most_tokens.to_string()];
        let figures = [it.questions.to_string(), percent(it.context()), percent(it.blind()), above];
        table.add_row([name.to_owned()].into_iter().chain(figures).chain(tokens));
    }
    out!("{table}");
    let newest = report.newest;
    out!(
        "newest value: there for {} of {} questions, and older ones marked for {}",
        newest.there,
        newest.questions,
        newest.told_apart
    );
    let sides = report.contradicted;
    out!(
        "contradictions: all sides there for {} of {} questions, and marked for {}",
        sides.there,
        sides.questions,
        sides.marked
    );
    let mut table = show::table(&["confidence", "hits", "evidence", "share", "at even odds", "foreign hits"]);
    for (from, step, even) in report.steps() {
        let share = step.evidence as f64 / step.own.max(1) as f64;
        table.add_row([
            format!("{from:.1}"),
            step.own.to_string(),
            step.evidence.to_string(),
            format!("{share:.2}"),
            even.map_or("–".to_owned(), |even| format!("{even:.2}")),
            step.foreign.to_string(),
        ]);
    }
    out!("{table}");
}

/// The conversations in a file.
fn read(data: &Path) -> Result<Vec<dataset::DatasetConversation>, Failure> {
    dataset::read(data).map_err(|error| {
        let problem = format!("cannot read {}: {error}", data.display());
        Failure::new(problem, "`cairn eval retrieval --help` shows what a line looks like")
    })
}

fn row(name: String, figures: &RetrievalFigures) -> Vec<String> {
    let RetrievalFigures { questions, turn, all_at_10, reciprocal_rank, session } = figures;
    let percent = [turn[0], turn[1], turn[2], *all_at_10, *reciprocal_rank, session[1], session[2]];
    [name, questions.to_string()]
        .into_iter()
        .chain(percent.iter().map(|figure| format!("{figure:.1}")))
        .collect()
}
