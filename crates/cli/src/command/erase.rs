//! `cairn erase`: words go, with all that was made of them. It shows what would go, and does it with `--yes`.

use super::{Setting, operator::grant};
use crate::{args::Erase, failure::Failure, show};
use cairn_domain::Ref;
use cairn_operator::{Erased, Erasure, Words};
use serde_json::{Value, json};
use show::{BOLD, DIM, GREEN};

/// Refs that are named to people.
const NAMED: usize = 5;

pub(crate) async fn erase(setting: &Setting, args: Erase) -> Result<(), Failure> {
    let words = words(&args)?;
    let (home, agent) = (&setting.home, &setting.agent);
    if !args.yes {
        let plan = cairn_operator::plan_erasure(home, agent, words).await?;
        setting.answer(|| told(&plan, false), || shown(&plan, false));
        return Ok(());
    }
    let grant = grant(setting)?;
    let erased = cairn_operator::erase(&grant, home, agent, words, &args.reason.unwrap_or_default()).await?;
    setting.answer(|| told(&erased, true), || shown(&erased, true));
    Ok(())
}

fn words(args: &Erase) -> Result<Words, Failure> {
    let mut words = Words {
        before: args.before,
        session: args.session.clone(),
        thread: args.thread.clone(),
        everything: args.all,
        ..Words::default()
    };
    for reference in &args.refs {
        match reference.parse()? {
            Ref::Message(id) => words.messages.push(id),
            Ref::Exchange(id) => words.exchanges.push(id),
            Ref::Memory(id) => words.memories.push(id),
            Ref::Belief(id) => words.beliefs.push(id),
            Ref::Digest(id) => {
                return Err(Failure::new(
                    format!("{id} is a digest: it goes with what it stands on"),
                    format!("`cairn why {id}` names that: erase the message or the memory"),
                ));
            }
        }
    }
    Ok(words)
}

fn told(erased: &Erased, done: bool) -> Value {
    let Erasure { messages, memories, beliefs, digests, entities, vectors, receipts, formed_again, receipt } =
        &erased.erasure;
    json!({"done": done, "messages": messages, "memories": memories, "beliefs": beliefs, "digests": digests,
        "entities": entities, "vectors": vectors, "receipts": receipts, "formed_again": formed_again,
        "backups": erased.backups, "receipt": receipt})
}

fn shown(erased: &Erased, done: bool) {
    let erasure = &erased.erasure;
    let title = if done { "erased" } else { "would be erased" };
    out!("{BOLD}{title}{BOLD:#}");
    named("messages", &erasure.messages);
    named("memories", &erasure.memories);
    named("beliefs", &erasure.beliefs);
    for (count, what) in [
        (erasure.digests, "digests that tell of them"),
        (erasure.entities, "names that nothing else mentions"),
        (erasure.vectors, "vectors"),
        (erasure.receipts, "receipts' words; the receipts stay"),
        (erased.backups.len() as u64, "backups of this agent"),
    ] {
        if count > 0 {
            out!("  {count:>5} {what}");
        }
    }
    if !erasure.formed_again.is_empty() {
        let count = erasure.formed_again.len();
        out!(
            "{DIM}{count} message(s) stay and are looked at again, because a memory rested on them as well{DIM:#}"
        );
    }
    match (done, erasure.receipt) {
        (true, Some(receipt)) => {
            out!("{GREEN}receipt {receipt}{GREEN:#}  the same words stay away when they come again");
        }
        (true, None) => out!("nothing was there to erase"),
        (false, _) => anstream::eprintln!(
            "nothing was changed; add --yes --reason \"…\" to do it. It cannot be undone, not from a backup of this home either"
        ),
    }
}

fn named(what: &str, refs: &[impl ToString]) {
    let some: Vec<String> = refs.iter().take(NAMED).map(ToString::to_string).collect();
    let rest = if refs.len() > NAMED { " …" } else { "" };
    out!("  {:>5} {what} {DIM}{}{rest}{DIM:#}", refs.len(), some.join(" "));
}
