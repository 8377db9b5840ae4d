//! `cairn diary`: what an agent writes for itself.

use super::{Setting, remember::read_stdin};
use crate::{args::DiaryCommand, failure::Failure, show};
use cairn_engine::{DiaryPage, Missing};
use cairn_wire as wire;
use show::{BOLD, DIM, GREEN};

pub(crate) async fn diary(setting: &Setting, what: DiaryCommand) -> Result<(), Failure> {
    match what {
        DiaryCommand::Write { text } => write(setting, text).await,
        DiaryCommand::List(limit) => list(setting, limit.limit as u32).await,
        DiaryCommand::Show { entry } => {
            let page = setting.open(Missing::Refuse).await?.open_diary(entry).await?;
            setting.answer(|| wire::DiaryPage::new(&page, None), || told(&page));
            Ok(())
        }
        DiaryCommand::Recall { query, k } => {
            let found = setting.open(Missing::Refuse).await?.recall_diary(&query, k).await?;
            let hit = |(page, score): &(DiaryPage, f64)| wire::DiaryPage::new(page, Some(*score));
            setting.answer(
                || wire::DiaryPages { hits: found.iter().map(hit).collect() },
                || {
                    for (page, _) in &found {
                        told(page);
                    }
                    if found.is_empty() {
                        anstream::eprintln!("no entry says anything about that");
                    }
                },
            );
            Ok(())
        }
    }
}

async fn write(setting: &Setting, text: String) -> Result<(), Failure> {
    let text = if text == "-" { read_stdin()? } else { text };
    let agent = setting.open(Missing::Create).await?;
    let (entry, made_a_key) = agent.write_diary(&text).await?;
    setting.answer(|| wire::DiaryEntry::from(&entry), || out!("{GREEN}sealed{GREEN:#}  {}", entry.id));
    if made_a_key {
        let key = agent.diary_key();
        anstream::eprintln!(
            "the key is {}; no backup has it: keep a copy, nothing else opens the diary",
            key.display()
        );
    }
    Ok(())
}

async fn list(setting: &Setting, limit: u32) -> Result<(), Failure> {
    let entries = setting.open(Missing::Refuse).await?.diary(limit).await?;
    setting.answer(
        || entries.iter().collect::<wire::DiaryEntries>(),
        || {
            let mut table = show::table(&["entry", "written", "came of it"]);
            for entry in &entries {
                let came = match entry.taken_at {
                    Some(_) => format!("{} memories", entry.memories),
                    None => "waits for intake".to_owned(),
                };
                table.add_row([entry.id.to_string(), entry.written_at.minute(), came]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

fn told(page: &DiaryPage) {
    out!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", page.entry.written_at.minute(), page.entry.id);
    out!("{}", page.text);
    for memory in &page.memories {
        out!("  {DIM}{}{DIM:#} {}", memory.category, memory.text);
    }
    out!("");
}
