//! `cairn diary`.

use super::{invocation::Invocation, remember::read_stdin};
use crate::{args::DiaryCommand, failure::Failure, show};
use cairn_engine::{DiaryPage, Missing};
use cairn_wire as wire;
use show::{BOLD, DIM, GREEN};

pub(crate) async fn diary(invocation: &Invocation, what: DiaryCommand) -> Result<(), Failure> {
    match what {
        DiaryCommand::Write { text } => write(invocation, text).await,
        DiaryCommand::List(limit) => list(invocation, limit.limit as u32).await,
        DiaryCommand::Show { entry } => {
            let page = invocation.open(Missing::Refuse).await?.open_diary(entry).await?;
            invocation.answer(|| wire::DiaryPage::new(&page, None), || print_page(&page));
            Ok(())
        }
        DiaryCommand::Recall { query, k } => {
            let found = invocation.open(Missing::Refuse).await?.recall_diary(&query, k).await?;
            let hit = |(page, score): &(DiaryPage, f64)| wire::DiaryPage::new(page, Some(*score));
            invocation.answer(
                || wire::DiaryPages { hits: found.iter().map(hit).collect() },
                || {
                    for (page, _) in &found {
                        print_page(page);
                    }
                    if found.is_empty() {
                        err!("no entry matches");
                    }
                },
            );
            Ok(())
        }
    }
}

async fn write(invocation: &Invocation, text: String) -> Result<(), Failure> {
    let text = if text == "-" { read_stdin()? } else { text };
    let agent = invocation.open(Missing::Create).await?;
    let (entry, made_a_key) = agent.write_diary(&text).await?;
    invocation.answer(|| wire::DiaryEntry::from(&entry), || out!("{GREEN}sealed{GREEN:#}  {}", entry.id));
    if made_a_key {
        let key = agent.diary_key();
        err!(
            "the key is {}; it is in no backup, and nothing else opens the diary: keep a copy",
            key.display()
        );
    }
    Ok(())
}

async fn list(invocation: &Invocation, limit: u32) -> Result<(), Failure> {
    let entries = invocation.open(Missing::Refuse).await?.diary(limit).await?;
    invocation.answer(
        || entries.iter().collect::<wire::DiaryEntries>(),
        || {
            let mut table = show::table(&["entry", "written", "result"]);
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

fn print_page(page: &DiaryPage) {
    out!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", page.entry.written_at.minute(), page.entry.id);
    out!("{}", page.text);
    for memory in &page.memories {
        out!("  {DIM}{}{DIM:#} {}", memory.category, memory.text);
    }
    out!("");
}
