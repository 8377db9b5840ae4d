//! Procedures: steps that worked in the same order in three exchanges or more, oftener than chance has it.

use super::step::{ToolOutcome, ToolStep};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

/// Exchanges in which a procedure worked, at least.
const MIN_USES: usize = 3;
/// Steps of a procedure.
const MAX_STEPS: usize = 8;
/// Steps that may stand between two of a procedure.
const MAX_STEPS_BETWEEN: usize = 2;
/// Steps of one exchange that are read, the last ones.
const MAX_EXCHANGE_STEPS: usize = 60;
/// Labels that are looked at, the most frequent, and orders that are tried out, so that no history takes for ever.
const MAX_LABELS: usize = 80;
const MAX_ORDERS: usize = 50_000;
/// A longer order takes the place of a shorter one in it if it worked in so many of its exchanges.
const MIN_SHARE_OF_LONGER: f64 = 0.8;
/// A step belongs to an order if it is done in it so often.
const MIN_BOUND_SHARE: f64 = 0.5;
/// The chance that one of the orders is there by chance, at most.
const MAX_CHANCE: f64 = 0.01;
/// The confidence that each failure since it last worked leaves.
const FAILURE_FACTOR: f64 = 0.5;

/// One step of a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureStep {
    /// The thing that is done: `cargo test`, `Edit CHANGELOG.md`.
    pub label: String,
    /// The command, if it was the same each time.
    pub written: Option<String>,
}

/// An exchange in which a procedure worked, as indexes of its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureUse {
    /// The number of the exchange.
    pub exchange: i64,
    /// Its steps, in order.
    pub steps: Vec<usize>,
}

/// Steps that worked in the same order again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// The steps, in order.
    pub steps: Vec<ProcedureStep>,
    /// The exchanges in which it worked, in order.
    pub uses: Vec<ProcedureUse>,
    /// The exchanges in which a step of it failed for good since it last worked.
    pub failed_since: u32,
    /// How sure it is that it works.
    pub confidence: f64,
}

/// How sure it is that a procedure works that worked so often and failed so often since.
/// c = w / (w + 1) · 0.5^f
pub fn procedure_confidence(worked: u32, failed_since: u32) -> f64 {
    let worked = f64::from(worked);
    worked / (worked + 1.0) * FAILURE_FACTOR.powi(failed_since.min(64) as i32)
}

/// The procedures of some steps, the surest first.
pub fn mined_procedures(steps: &[ToolStep]) -> Vec<Procedure> {
    let work = ExchangeWork::read(steps);
    let orders = likely_orders(&work, closed_orders(&work));
    let mut procedures: Vec<Procedure> =
        orders.into_iter().map(|order| procedure_of(steps, &work, &order)).collect();
    procedures.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then_with(|| Reverse(a.steps.len()).cmp(&Reverse(b.steps.len())))
    });
    procedures
}

/// What was done in each exchange: the label of every step that changed something and worked in the end.
struct ExchangeWork<'a> {
    exchanges: Vec<ExchangeSteps<'a>>,
    /// In how many exchanges a label stands.
    counts: HashMap<&'a str, usize>,
}

/// The steps of one exchange.
struct ExchangeSteps<'a> {
    exchange: i64,
    /// Those that worked.
    worked: Vec<LabeledStep<'a>>,
    /// The labels of those that failed and did not work after that.
    failed: HashSet<&'a str>,
}

/// A step by its label, with its index.
struct LabeledStep<'a> {
    label: &'a str,
    step: usize,
}

impl<'a> ExchangeWork<'a> {
    fn read(steps: &'a [ToolStep]) -> Self {
        let mut by_exchange: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (index, _) in steps.iter().enumerate().filter(|(_, step)| !step.looks) {
            by_exchange.entry(steps[index].exchange).or_default().push(index);
        }
        let exchanges: Vec<ExchangeSteps<'_>> = by_exchange
            .into_iter()
            .map(|(exchange, indexes)| ExchangeSteps::read(steps, exchange, &indexes))
            .collect();
        let mut counts = HashMap::new();
        for exchange in &exchanges {
            let labels: HashSet<&str> = exchange.worked.iter().map(|it| it.label).collect();
            for label in labels {
                *counts.entry(label).or_default() += 1;
            }
        }
        Self { exchanges, counts }
    }

    /// The labels that stand in enough exchanges, the most frequent first.
    fn frequent_labels(&self) -> Vec<&'a str> {
        let mut frequent: Vec<(&str, usize)> = self.counts.iter().map(|(label, count)| (*label, *count)).collect();
        frequent.retain(|(_, count)| *count >= MIN_USES);
        frequent.sort_unstable_by_key(|(label, count)| (Reverse(*count), *label));
        frequent.into_iter().take(MAX_LABELS).map(|(label, _)| label).collect()
    }
}

impl<'a> ExchangeSteps<'a> {
    fn read(steps: &'a [ToolStep], exchange: i64, indexes: &[usize]) -> Self {
        let indexes = &indexes[indexes.len().saturating_sub(MAX_EXCHANGE_STEPS)..];
        let (mut worked, mut failed) = (Vec::<LabeledStep<'_>>::new(), HashSet::new());
        for index in indexes.iter().copied() {
            let label = steps[index].label.as_str();
            match steps[index].outcome {
                ToolOutcome::Worked => {
                    failed.remove(label);
                    // Done again right after, it is one step.
                    worked.pop_if(|last| last.label == label);
                    worked.push(LabeledStep { label, step: index });
                }
                ToolOutcome::Failed => {
                    failed.insert(label);
                }
                ToolOutcome::Unknown => {}
            }
        }
        Self { exchange, worked, failed }
    }

    /// The places of the labels of an order, each at most so many steps behind the one before it.
    fn places_of(&self, order: &[&str]) -> Option<Vec<usize>> {
        (0..self.worked.len()).find_map(|start| {
            let mut places: Vec<usize> = Vec::with_capacity(order.len());
            for label in order {
                let from = places.last().map_or(start, |last| last + 1);
                let until = if places.is_empty() { from + 1 } else { from + 1 + MAX_STEPS_BETWEEN };
                let until = until.min(self.worked.len());
                places.push((from.min(until)..until).find(|at| self.worked[*at].label == *label)?);
            }
            Some(places)
        })
    }
}

/// An order of labels and in how many exchanges it worked.
struct LabelOrder<'a> {
    labels: Vec<&'a str>,
    uses: usize,
}

/// An order that may go on, and the exchanges in which it worked.
struct OpenOrder<'a> {
    labels: Vec<&'a str>,
    exchanges: Vec<usize>,
}

/// Every order that worked often enough, without those for which a longer one stands.
fn closed_orders<'a>(work: &ExchangeWork<'a>) -> Vec<LabelOrder<'a>> {
    let frequent = work.frequent_labels();
    let holding = |label: &str| {
        let exchanges = work.exchanges.iter().enumerate();
        exchanges.filter(|(_, it)| it.worked.iter().any(|step| step.label == label)).map(|(at, _)| at).collect()
    };
    let mut open: Vec<OpenOrder<'_>> =
        frequent.iter().map(|label| OpenOrder { labels: vec![*label], exchanges: holding(label) }).collect();
    let (mut found, mut tried) = (Vec::new(), 0);
    while let Some(order) = open.pop() {
        for label in frequent.iter().filter(|label| !order.labels.contains(label)) {
            tried += 1;
            if tried > MAX_ORDERS {
                return without_shorter(work, found);
            }
            let labels: Vec<&str> = order.labels.iter().chain([label]).copied().collect();
            let works = |at: &usize| work.exchanges[*at].places_of(&labels).is_some();
            let exchanges: Vec<usize> = order.exchanges.iter().copied().filter(works).collect();
            if exchanges.len() >= MIN_USES {
                found.push(LabelOrder { labels: labels.clone(), uses: exchanges.len() });
                if labels.len() < MAX_STEPS {
                    open.push(OpenOrder { labels, exchanges });
                }
            }
        }
    }
    without_shorter(work, found)
}

/// Of an order and a longer one that holds it: the longer alone if it worked nearly as often, both if the steps it has besides
/// are mostly done in it, else the shorter alone.
fn without_shorter<'a>(work: &ExchangeWork<'_>, mut orders: Vec<LabelOrder<'a>>) -> Vec<LabelOrder<'a>> {
    orders.sort_by_key(|order| (order.labels.len(), Reverse(order.uses)));
    let mut kept: Vec<LabelOrder<'_>> = Vec::new();
    for order in orders {
        let uses = order.uses as f64;
        let is_bound = |label: &&&str| uses >= work.counts[**label] as f64 * MIN_BOUND_SHARE;
        let stands_for = |shorter: &LabelOrder<'_>| uses >= shorter.uses as f64 * MIN_SHARE_OF_LONGER;
        let is_extended_by_chance = |shorter: &LabelOrder<'_>| {
            let besides = order.labels.iter().filter(|label| !shorter.labels.contains(label));
            holds(&order.labels, &shorter.labels)
                && !stands_for(shorter)
                && !besides.collect::<Vec<_>>().iter().all(is_bound)
        };
        if !kept.iter().any(is_extended_by_chance) {
            kept.retain(|shorter| !(holds(&order.labels, &shorter.labels) && stands_for(shorter)));
            kept.push(order);
        }
    }
    kept
}

/// Whether an order holds another one, in its order.
fn holds(longer: &[&str], shorter: &[&str]) -> bool {
    let mut rest = longer.iter();
    shorter.iter().all(|label| rest.any(|other| other == label))
}

/// Orders that are not there by chance.
fn likely_orders<'a>(work: &ExchangeWork<'a>, orders: Vec<LabelOrder<'a>>) -> Vec<LabelOrder<'a>> {
    let candidates = orders.len() as f64;
    let is_likely = |order: &LabelOrder<'_>| chance_of_order(work, order) * candidates <= MAX_CHANCE;
    orders.into_iter().filter(is_likely).collect()
}

/// The chance that an order of k labels is found in so many of N exchanges where nobody follows it: each label l is in an
/// exchange by itself, in n_l of N, and the labels stand in any order.
/// P(X ≥ u), X ~ Bin(N, Π(n_l / N) / k!)
fn chance_of_order(work: &ExchangeWork<'_>, order: &LabelOrder<'_>) -> f64 {
    let all = work.exchanges.len();
    let together: f64 = order.labels.iter().map(|label| work.counts[label] as f64 / all as f64).product();
    let orders: f64 = (1..=order.labels.len()).map(|number| number as f64).product();
    binomial_tail(all, order.uses, together / orders)
}

/// P(X ≥ least) of X ~ Bin(n, p).
fn binomial_tail(n: usize, least: usize, p: f64) -> f64 {
    if p >= 1.0 {
        return 1.0;
    }
    let mut term = (1.0 - p).powi(n as i32);
    let mut below = 0.0;
    for k in 0..least.min(n + 1) {
        below += term;
        term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
    }
    // What is left of one is no better than its last digit: then the first term of the tail is nearer.
    (1.0 - below).max(term)
}

fn procedure_of(steps: &[ToolStep], work: &ExchangeWork<'_>, order: &LabelOrder<'_>) -> Procedure {
    let mut uses: Vec<ProcedureUse> = Vec::new();
    let mut failed_since = 0;
    for exchange in &work.exchanges {
        if let Some(places) = exchange.places_of(&order.labels) {
            let used = places.iter().map(|place| exchange.worked[*place].step).collect();
            uses.push(ProcedureUse { exchange: exchange.exchange, steps: used });
            failed_since = 0;
        } else if breaks(exchange, &order.labels) {
            failed_since += 1;
        }
    }
    let step = |(place, label): (usize, &&str)| {
        let mut written = uses.iter().map(|used| steps[used.steps[place]].written.as_deref());
        let first = written.next().flatten();
        let is_same = first.is_some() && written.all(|other| other == first);
        let written = first.filter(|_| is_same).map(str::to_owned);
        ProcedureStep { label: (*label).to_owned(), written }
    };
    let named = order.labels.iter().enumerate().map(step).collect();
    let worked = uses.len() as u32;
    Procedure { steps: named, uses, failed_since, confidence: procedure_confidence(worked, failed_since) }
}

/// Whether somebody began an order in an exchange and a step of it failed for good.
fn breaks(exchange: &ExchangeSteps<'_>, order: &[&str]) -> bool {
    let Some(failed) = order.iter().position(|label| exchange.failed.contains(label)) else { return false };
    // A first step that failed tells nothing: nobody knows what was to follow.
    failed > 0 && exchange.places_of(&order[..failed]).is_some()
}
