//! Prints what records are based on: `cairn why`, and the tables of beliefs.

use crate::show::{self, BOLD, CYAN, DIM, GREEN, RED, YELLOW};
use cairn_domain::{BeliefStatus, Consumer, Stance};
use cairn_engine::{BeliefEvidence, Cited, WhyBelief, WhyDigest, WhyMemory};
use cairn_store::BeliefRecord;

/// Prints a table of beliefs.
pub(crate) fn print_beliefs(found: &[BeliefRecord]) {
    let mut table = show::table(&["belief", "kind", "confidence", "freshness", "status", "ref"]);
    for BeliefRecord { belief, .. } in found {
        table.add_row([
            belief.summary.clone(),
            belief.kind.to_string(),
            plain_bar(belief.confidence),
            plain_bar(belief.freshness),
            format!("{} {}", belief.lane, belief.status),
            belief.id.to_string(),
        ]);
    }
    out!("{table}");
    if found.is_empty() {
        err!("there are no beliefs yet; `cairn rhythms run beliefs` forms them from memories");
    }
}

/// A bar without color codes, which would upset the width of a table.
fn plain_bar(share: f64) -> String {
    const WIDTH: usize = 10;
    let full = ((share.clamp(0.0, 1.0) * WIDTH as f64).round() as usize).min(WIDTH);
    format!("{}{} {share:.2}", "█".repeat(full), "░".repeat(WIDTH - full))
}

/// Prints what a belief is based on, and what would change it.
pub(crate) fn print_belief_evidence(why: &WhyBelief) {
    let belief = &why.record.belief;
    out!("{BOLD}{}{BOLD:#}", belief.summary);
    let color = match belief.status {
        BeliefStatus::Active => GREEN,
        BeliefStatus::Stale => YELLOW,
        BeliefStatus::Superseded | BeliefStatus::Invalidated | BeliefStatus::Retracted => RED,
    };
    out!("  {} {color}{} {}{color:#} {DIM}{}{DIM:#}", belief.kind, belief.lane, belief.status, belief.id);
    out!("  {DIM}{}{DIM:#}", belief.key);
    out!("  confidence {}  {}", show::bar(belief.confidence), why.in_words);
    out!("  freshness  {}  due {}", show::bar(why.freshness), belief.due_at.minute());
    if belief.allowed_consumers.len() < Consumer::ALL.len() {
        let allowed: Vec<&str> = belief.allowed_consumers.iter().map(|one| one.as_str()).collect();
        out!("  for        {} only", allowed.join(", "));
    }
    for (stance, title) in [
        (Stance::Support, "evidence for it"),
        (Stance::Contradict, "evidence against it"),
        (Stance::Context, "context"),
    ] {
        let of: Vec<&BeliefEvidence> =
            why.evidence.iter().filter(|one| one.link.evidence.stance == stance).collect();
        if !of.is_empty() {
            out!("{BOLD}{title}{BOLD:#}");
        }
        for one in of {
            print_evidence(one);
        }
    }
    if !why.before.is_empty() || why.after.is_some() {
        out!("{BOLD}history of this key{BOLD:#}");
        let chain = why.after.iter().chain([&why.record]).chain(&why.before);
        for record in chain {
            let mark = if record.number == why.record.number { "→" } else { " " };
            let BeliefRecord { belief, .. } = record;
            let since = belief.created_at.minute();
            out!("  {mark} {since} {} {}  {DIM}{}{DIM:#}", belief.status, belief.summary, belief.id);
        }
    }
    out!("{BOLD}receipts{BOLD:#}");
    for receipt in &why.receipts {
        let (at, told) = (receipt.at.minute(), &receipt.told);
        out!("  {at} {CYAN}{}{CYAN:#} by {}: {}", receipt.action, receipt.actor, told.reason);
    }
    out!("{BOLD}what would change it{BOLD:#}");
    for would in &why.would_change {
        out!("  {would}");
    }
}

fn print_evidence(one: &BeliefEvidence) {
    let link = &one.link;
    let (when, evidence) = (link.said_at.minute(), &link.evidence);
    out!("  {when} {} {DIM}weight {:.1}, {}{DIM:#}", evidence.role, evidence.weight, evidence.source);
    if let Some(record) = &one.memory {
        out!("    {}", record.memory.text);
    }
    for source in &one.sources {
        let (color, verdict) =
            if source.holds { (GREEN, "still says so") } else { (RED, "says something else now") };
        out!(
            "      “{}”  {DIM}{}{DIM:#} {color}{verdict}{color:#}",
            evidence.excerpt.trim(),
            source.evidence.source
        );
    }
}

/// Prints a memory, what it is based on, and the steps that led to it.
pub(crate) fn print_memory_evidence(why: &WhyMemory) {
    let (bold, dim) = (show::BOLD, show::DIM);
    show::memory(&why.record);
    if why.on_the_tip_of_the_tongue {
        out!("  {dim}on the tip of the tongue: well stored, and it hardly comes to mind{dim:#}");
    }
    if why.rehearsals > 0 {
        out!("  {dim}rehearsed {} time(s){dim:#}", why.rehearsals);
    }
    out!("{bold}based on{bold:#}");
    for source in &why.evidence {
        let (color, verdict) = if source.holds {
            (show::GREEN, "still says so")
        } else {
            (show::RED, "says something else now")
        };
        let said = source.message.as_ref().map_or(String::new(), |record| {
            format!("{} {}  ", record.message.at.minute(), record.message.shown_speaker())
        });
        out!("  {}  {said}{color}{verdict}{color:#}", source.evidence.source);
        out!("    “{}”", source.evidence.excerpt.trim());
        if let Some((file, record)) = source.archive_file.as_ref().zip(source.message.as_ref()) {
            out!("    {dim}archive {file} line {}{dim:#}", record.archive_line);
        }
    }
    show::reasons(&why.reasons);
    if why.revisions.len() > 1 {
        out!("{bold}revisions{bold:#}");
        for revision in &why.revisions {
            out!(
                "  {} {}  {dim}{}: {}{dim:#}",
                revision.written_at.minute(),
                revision.text,
                revision.verdict,
                revision.reason
            );
        }
    }
    if !why.relations.is_empty() {
        out!("{bold}related to{bold:#}");
        for related in &why.relations {
            let arrow = if related.outgoing { "→" } else { "←" };
            out!("  {} {arrow} {}  {dim}{}{dim:#}", related.kind, related.other.memory.text, related.reason);
            out!("    {dim}{}  found by {}{dim:#}", related.other.memory.id, finder(&related.made_by));
        }
    }
}

/// Who found a relation, for people.
fn finder(made_by: &str) -> &str {
    match made_by {
        "gate" => "comparing the two",
        "heuristic" => "a rule",
        "model" => "a language model",
        other => other,
    }
}

/// Prints a digest and its sources.
pub(crate) fn print_digest_sources(why: &WhyDigest) {
    let cites = |cited: &Cited| match cited {
        Cited::Memory(record) => show::memory_line(record),
        Cited::Message(record) => show::line(record),
        Cited::Digest(record) => out!(
            "{}  {} of {}  {DIM}{}{DIM:#}",
            record.digest.until.minute(),
            record.digest.kind,
            record.digest.condenses(),
            record.id
        ),
        Cited::Gone(reference) => out!("{DIM}{reference} is gone{DIM:#}"),
    };
    show::digest(&why.record);
    out!(
        "{BOLD}sources{BOLD:#}  {DIM}written by {}; a digest is no evidence itself{DIM:#}",
        why.record.digest.made_by
    );
    why.cites.iter().for_each(cites);
}
