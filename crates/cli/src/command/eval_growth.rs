//! `cairn eval growth`: questions about growth that figures can answer.

use super::{eval_cases::labeled_cases, invocation::Invocation};
use crate::{
    args::{GrowthArgs, GrowthQuestion},
    failure::Failure,
    show::{self, measured},
};
use cairn_eval::{
    growth_answers::{framing_figures, gate_figures, swap_figures, what_to_collect},
    growth_year::{YEAR_ARMS, YearArm, YearReport},
    labeled::KeepLine,
};
use serde_json::Value;

/// Turns that are timed.
const COST_TURNS: usize = 200;

pub(super) async fn growth(invocation: &Invocation, args: GrowthArgs) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    match args.question {
        GrowthQuestion::Entropy => {
            let cases: Vec<KeepLine> = labeled_cases(&args.data.unwrap_or_default())?;
            let report = cairn_eval::entropy_validity::run(&cases, &invocation.home, &mut on_stage).await?;
            invocation.answer(|| report.to_json(), || measured(report.rows()));
        }
        GrowthQuestion::Standing => {
            let report = cairn_eval::standing_independence::run(args.seed);
            invocation.answer(|| report.to_json(), || measured(report.rows()));
        }
        GrowthQuestion::Dynamics => {
            let report = cairn_eval::dynamics_learning::run(args.seed, &invocation.home).await?;
            invocation.answer(|| report.to_json(), || measured(report.rows()));
        }
        GrowthQuestion::Friction => {
            let report =
                cairn_eval::planted_friction::run(args.seed, &invocation.home, &mut on_stage).await?;
            invocation.answer(|| report.to_json(), || measured(report.rows()));
        }
        GrowthQuestion::Cost => {
            let report = cairn_eval::growth_cost::run(args.seed, COST_TURNS, &invocation.home).await?;
            let busy = || Failure::new("this process records times already", "run the command by itself");
            let report = report.ok_or_else(busy)?;
            invocation.answer(|| report.to_json(), || measured(report.rows()));
        }
        GrowthQuestion::Spacing => year(invocation, &args, "spacing", &[YEAR_ARMS[0], YEAR_ARMS[1]]).await?,
        GrowthQuestion::Gate => {
            if let Some(file) = &args.data {
                tell(invocation, &gate_figures(&labeled_cases(file)?));
            } else {
                year(invocation, &args, "gate", &[YEAR_ARMS[0], YEAR_ARMS[2]]).await?;
                err!("{}", what_to_collect("gate"));
            }
        }
        GrowthQuestion::Year => year(invocation, &args, "year", &YEAR_ARMS).await?,
        GrowthQuestion::Compaction => {
            let report = cairn_eval::compaction::run(args.seed, args.tokens, &invocation.home).await?;
            invocation.answer(|| report.to_json(), || print_table(&report.columns(), report.rows()));
        }
        GrowthQuestion::Swap => {
            let file = args.data.ok_or_else(|| nothing_collected("swap"))?;
            tell(invocation, &swap_figures(&labeled_cases(&file)?));
        }
        GrowthQuestion::Framing => {
            let file = args.data.ok_or_else(|| nothing_collected("framing"))?;
            tell(invocation, &framing_figures(&labeled_cases(&file)?, args.seed));
        }
    }
    Ok(())
}

/// Without answers of models there is no figure, and none is made up.
fn nothing_collected(question: &str) -> Failure {
    Failure::new("this question needs answers of real models, and none are given", what_to_collect(question))
}

async fn year(
    invocation: &Invocation,
    args: &GrowthArgs,
    question: &str,
    arms: &[YearArm],
) -> Result<(), Failure> {
    let mut on_stage = |stage: &str| err!("{stage} …");
    let (seed, home) = (args.seed, &invocation.home);
    let lived = cairn_eval::growth_year::run(seed, args.days, arms, home, &mut on_stage);
    let report: YearReport = Box::pin(lived).await?;
    if let Some(path) = &args.plot {
        std::fs::write(path, report.to_svg()).map_err(|error| {
            let problem = format!("cannot write {}: {error}", path.display());
            Failure::new(problem, "name a file that can be written")
        })?;
    }
    invocation.answer(|| report.to_json(question), || print_table(&report.columns(), report.rows()));
    Ok(())
}

fn print_table(columns: &[&str], rows: Vec<Vec<String>>) {
    let mut table = show::table(columns);
    for row in rows {
        table.add_row(row);
    }
    out!("{table}");
}

/// Figures of what was collected: as they are for programs, and a line each for people.
fn tell(invocation: &Invocation, figures: &Value) {
    let lines = || {
        let object = figures.as_object().into_iter().flatten();
        for (name, value) in object {
            match value {
                Value::Array(items) => items.iter().for_each(|item| out!("{name}  {item}")),
                other => out!("{name}  {other}"),
            }
        }
    };
    invocation.answer(|| figures.clone(), lines);
}
