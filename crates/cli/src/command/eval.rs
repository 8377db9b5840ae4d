//! `cairn eval`: figures that anyone can make again.

use super::Setting;
use crate::{failure::Failure, show};
use cairn_eval::perf::Plan;

pub(crate) async fn perf(setting: &Setting, messages: usize, questions: usize, seed: u64) -> Result<(), Failure> {
    let plan = Plan { messages, questions, seed };
    let figures = cairn_eval::perf::run(&plan, setting.home.path(), setting.home.config(), &mut |stage| anstream::eprintln!("{stage} …")).await?;
    setting.answer(
        || figures.to_json(),
        || {
            let mut table = show::table(&["what", "measured"]);
            for (what, measured) in figures.rows() {
                table.add_row([what, measured]);
            }
            anstream::println!("{table}");
        },
    );
    Ok(())
}
