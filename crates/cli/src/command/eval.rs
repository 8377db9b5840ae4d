//! `cairn eval`: figures that anyone can make again.

use super::Setting;
use crate::{failure::Failure, show};
use cairn_engine::Profile;
use cairn_eval::{dataset, perf::Plan, retrieval::Figures};
use std::path::Path;

pub(crate) async fn perf(
    setting: &Setting,
    messages: usize,
    questions: usize,
    seed: u64,
) -> Result<(), Failure> {
    let plan = Plan { messages, questions, seed };
    let figures = cairn_eval::perf::run(&plan, setting.home.path(), setting.home.config(), &mut |stage| {
        anstream::eprintln!("{stage} …");
    })
    .await?;
    setting.answer(
        || figures.to_json(),
        || {
            let mut table = show::table(&["what", "measured"]);
            for (what, measured) in figures.rows() {
                table.add_row([what, measured]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

pub(crate) async fn retrieval(
    setting: &Setting,
    data: &Path,
    pooled: bool,
    profile: &str,
) -> Result<(), Failure> {
    let profile = Profile::named(profile, setting.home.config().recall)?;
    let unreadable = |error| {
        let problem = format!("cannot read {}: {error}", data.display());
        Failure::new(problem, "`cairn eval retrieval --help` shows what a line looks like")
    };
    let mut conversations = dataset::read(data).map_err(unreadable)?;
    if pooled {
        conversations = vec![dataset::pooled(conversations)];
    }
    let mut on_stage = |stage: &str| anstream::eprintln!("{stage} …");
    let report =
        cairn_eval::retrieval::run(&conversations, setting.home.path(), profile, &mut on_stage).await?;
    setting.answer(
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

fn row(name: String, figures: &Figures) -> Vec<String> {
    let Figures { questions, turn, all_at_10, reciprocal_rank, session } = figures;
    let percent = [turn[0], turn[1], turn[2], *all_at_10, *reciprocal_rank, session[1], session[2]];
    [name, questions.to_string()]
        .into_iter()
        .chain(percent.iter().map(|figure| format!("{figure:.1}")))
        .collect()
}
