//! `cairn erase`: deletes words with everything derived from them. Shows what would be deleted unless `--yes` is given.

use super::{invocation::Invocation, operator::sign_in_operator};
use crate::{args::EraseArgs, failure::Failure, show};
use cairn_domain::Ref;
use cairn_engine::Missing;
use cairn_operator::{Erased, Erasure, Words};
use serde_json::{Value, json};
use show::{BOLD, DIM, GREEN};

/// Refs listed for people; the rest are counted.
const MAX_LISTED_REFS: usize = 5;

pub(crate) async fn erase(invocation: &Invocation, args: EraseArgs) -> Result<(), Failure> {
    let words = words_to_erase(&args)?;
    let (home, agent) = (&invocation.home, &invocation.agent);
    if !args.yes {
        let plan = cairn_operator::plan_erasure(home, agent, words).await?;
        invocation.answer(|| erasure_json(&plan, Stage::Planned), || print_erasure(&plan, Stage::Planned));
        return Ok(());
    }
    let grant = sign_in_operator(invocation).await?;
    keep_spooled_words(invocation).await;
    let erased = cairn_operator::erase(&grant, home, agent, words, &args.reason.unwrap_or_default()).await?;
    invocation.answer(|| erasure_json(&erased, Stage::Done), || print_erasure(&erased, Stage::Done));
    Ok(())
}

/// Keeps what hooks left for later, so that the words of other sessions stay and those to erase are found. An agent that does
/// not open is erased all the same.
async fn keep_spooled_words(invocation: &Invocation) {
    if !cairn_hook::has_spooled_words(&invocation.home.folder(&invocation.agent)) {
        return;
    }
    let kept = match invocation.open(Missing::Refuse).await {
        Ok(agent) => cairn_hook::drain_spool(&agent).await.map_err(Failure::from),
        Err(failure) => Err(failure),
    };
    if let Err(failure) = kept {
        err!("what hooks had left for later could not be kept and is erased, too: {}", failure.one_line());
    }
}

fn words_to_erase(args: &EraseArgs) -> Result<Words, Failure> {
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
            Ref::Attachment(id) => words.attachments.push(id),
            Ref::Digest(id) => {
                return Err(Failure::new(
                    format!("{id} is a digest: it is erased with its sources"),
                    format!("`cairn why {id}` lists them: erase a message or a memory"),
                ));
            }
        }
    }
    Ok(words)
}

/// Whether something was erased or would be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Planned,
    Done,
}

fn erasure_json(erased: &Erased, stage: Stage) -> Value {
    let Erasure {
        messages,
        memories,
        beliefs,
        attachments,
        digests,
        entities,
        vectors,
        receipts,
        formed_again,
        receipt,
    } = &erased.erasure;
    json!({"done": stage == Stage::Done, "messages": messages, "memories": memories, "beliefs": beliefs, "attachments": attachments, "digests": digests,
        "entities": entities, "vectors": vectors, "receipts": receipts, "formed_again": formed_again,
        "copies": erased.copies, "receipt": receipt})
}

fn print_erasure(erased: &Erased, stage: Stage) {
    let erasure = &erased.erasure;
    let title = match stage {
        Stage::Done => "erased",
        Stage::Planned => "would be erased",
    };
    out!("{BOLD}{title}{BOLD:#}");
    print_refs("messages", &erasure.messages);
    print_refs("memories", &erasure.memories);
    print_refs("beliefs", &erasure.beliefs);
    if !erasure.attachments.is_empty() {
        print_refs("attachments", &erasure.attachments);
    }
    for (count, what) in [
        (erasure.digests, "digests that mention them"),
        (erasure.entities, "names that nothing else mentions"),
        (erasure.vectors, "vectors"),
        (erasure.receipts, "receipts lose the words they quote"),
        (erased.copies.len() as u64, "backups and other copies of this agent in the home"),
    ] {
        if count > 0 {
            out!("  {count:>5} {what}");
        }
    }
    if !erasure.formed_again.is_empty() {
        let count = erasure.formed_again.len();
        out!(
            "{DIM}{count} message(s) stay; memories are formed from them again, because an erased memory was also based on them{DIM:#}"
        );
    }
    match (stage, erasure.receipt) {
        (Stage::Done, Some(receipt)) => {
            out!("{GREEN}receipt {receipt}{GREEN:#}  the same words are refused from now on");
        }
        (Stage::Done, None) => out!("there was nothing to erase"),
        (Stage::Planned, _) => err!(
            "nothing was changed; add --yes --reason \"…\" to erase. This cannot be undone: copies in this home are erased, too"
        ),
    }
}

fn print_refs(what: &str, refs: &[impl ToString]) {
    let some: Vec<String> = refs.iter().take(MAX_LISTED_REFS).map(ToString::to_string).collect();
    let rest = if refs.len() > MAX_LISTED_REFS { " …" } else { "" };
    out!("  {:>5} {what} {DIM}{}{rest}{DIM:#}", refs.len(), some.join(" "));
}
