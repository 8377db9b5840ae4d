//! Procedures: steps that worked in the same order in three exchanges or more, oftener than chance has it.

use super::step::{ToolOutcome, ToolStep};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

/// Exchanges in which a procedure worked, at least.
const MIN_USES: usize = 3;
/// Steps of a procedure, at most.
const MAX_STEPS: usize = 8;
/// Other steps that may stand between two of a procedure.
const MAX_STEPS_BETWEEN: usize = 2;
/// Steps of one exchange that are read, the last ones.
const MAX_EXCHANGE_STEPS: usize = 60;
/// Orders that are tried out, so that no history takes for ever.
const MAX_ORDERS: usize = 4_000;
/// A longer order takes the place of a shorter one in it if it worked in so many of its exchanges.
const MIN_SHARE_OF_LONGER: f64 = 0.8;
/// A step belongs to an order if so many of its exchanges follow the order.
const MIN_BOUND_SHARE: f64 = 0.5;
/// The chance that one of the orders is there by chance, at most.
const MAX_CHANCE: f64 = 0.01;
/// The part of the confidence that each failure since it last worked leaves.
const FAILURE_FACTOR: f64 = 0.5;

/// One step of a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureStep {
    /// The thing that is done: `cargo test`, `Edit CHANGELOG.md`.
    pub label: String,
    /// The command with its arguments, if it was the same each time.
    pub written: Option<String>,
}

/// Steps that worked in the same order again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// The steps, in order.
    pub steps: Vec<ProcedureStep>,
    /// The steps of each exchange in which it worked, as their indexes, in order.
    pub uses: Vec<Vec<usize>>,
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
    let orders = likely_orders(&work, standing_orders(&work, frequent_orders(&work)));
    let mut procedures: Vec<Procedure> =
        orders.iter().map(|order| procedure_of(steps, &work, &order.labels)).collect();
    procedures.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then_with(|| b.steps.len().cmp(&a.steps.len()))
    });
    procedures
}

/// The work of each exchange, in order.
struct ExchangeWork<'a> {
    exchanges: Vec<ExchangeSteps<'a>>,
    /// In how many exchanges a label stands.
    counts: HashMap<&'a str, usize>,
}

/// The steps of one exchange that changed something.
#[derive(Default)]
struct ExchangeSteps<'a> {
    /// The labels of those that worked in the end.
    labels: Vec<&'a str>,
    /// Their indexes.
    steps: Vec<usize>,
    /// The labels of those that failed and did not work after that.
    failed: HashSet<&'a str>,
}

impl<'a> ExchangeWork<'a> {
    fn read(steps: &'a [ToolStep]) -> Self {
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (index, step) in steps.iter().enumerate().filter(|(_, step)| !step.looks) {
            let place = *places.entry(step.exchange).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[place].push(index);
        }
        let exchanges: Vec<_> = members.iter().map(|indexes| ExchangeSteps::read(steps, indexes)).collect();
        let mut counts = HashMap::new();
        for exchange in &exchanges {
            for label in exchange.labels.iter().collect::<HashSet<_>>() {
                *counts.entry(*label).or_default() += 1;
            }
        }
        Self { exchanges, counts }
    }
}

impl<'a> ExchangeSteps<'a> {
    fn read(steps: &'a [ToolStep], indexes: &[usize]) -> Self {
        let mut read = Self::default();
        for index in indexes[indexes.len().saturating_sub(MAX_EXCHANGE_STEPS)..].iter().copied() {
            let label = steps[index].label.as_str();
            match steps[index].outcome {
                ToolOutcome::Worked => {
                    read.failed.remove(label);
                    // Done again right after, it is one step.
                    if read.labels.last() == Some(&label) {
                        read.labels.pop();
                        read.steps.pop();
                    }
                    read.labels.push(label);
                    read.steps.push(index);
                }
                ToolOutcome::Failed => {
                    read.failed.insert(label);
                }
                ToolOutcome::Unknown => {}
            }
        }
        read
    }

    /// The places that may follow one.
    fn following(&self, place: usize) -> std::ops::Range<usize> {
        place + 1..self.labels.len().min(place + 2 + MAX_STEPS_BETWEEN)
    }

    /// The places of an order, if it was followed.
    fn places_of(&self, order: &[&str]) -> Option<Vec<usize>> {
        let (first, rest) = order.split_first()?;
        let starts = (0..self.labels.len()).filter(|place| self.labels[*place] == *first);
        starts.into_iter().find_map(|start| self.places_behind(start, rest))
    }

    /// A place with those of the labels that follow it.
    fn places_behind(&self, place: usize, order: &[&str]) -> Option<Vec<usize>> {
        let Some((next, rest)) = order.split_first() else { return Some(vec![place]) };
        let behind = self.following(place).filter(|at| self.labels[*at] == *next);
        let mut places = behind.into_iter().find_map(|at| self.places_behind(at, rest))?;
        places.insert(0, place);
        Some(places)
    }
}

/// An order of labels.
struct LabelOrder<'a> {
    labels: Vec<&'a str>,
    /// The exchanges in which it worked, with the places where it ended.
    ends: BTreeMap<usize, Vec<usize>>,
}

impl LabelOrder<'_> {
    fn uses(&self) -> f64 {
        self.ends.len() as f64
    }
}

/// Every order of two labels or more that worked often enough.
fn frequent_orders<'a>(work: &ExchangeWork<'a>) -> Vec<LabelOrder<'a>> {
    let mut single: BTreeMap<&str, LabelOrder<'_>> = BTreeMap::new();
    for (number, exchange) in work.exchanges.iter().enumerate() {
        for (place, label) in
            exchange.labels.iter().enumerate().filter(|(_, it)| work.counts[*it] >= MIN_USES)
        {
            let new = || LabelOrder { labels: vec![*label], ends: BTreeMap::new() };
            single.entry(label).or_insert_with(new).ends.entry(number).or_default().push(place);
        }
    }
    let mut open: Vec<LabelOrder<'_>> = single.into_values().collect();
    let mut found = Vec::new();
    while let Some(order) = open.pop().filter(|_| found.len() < MAX_ORDERS) {
        if order.labels.len() < MAX_STEPS {
            open.extend(longer_orders(work, &order));
        }
        if order.labels.len() > 1 {
            found.push(order);
        }
    }
    found
}

/// The orders with one label more.
fn longer_orders<'a>(work: &ExchangeWork<'a>, order: &LabelOrder<'a>) -> Vec<LabelOrder<'a>> {
    let mut longer: BTreeMap<&str, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (number, ends) in &order.ends {
        let exchange = &work.exchanges[*number];
        let following: HashSet<usize> = ends.iter().flat_map(|end| exchange.following(*end)).collect();
        for place in following {
            let label = exchange.labels[place];
            if work.counts[label] >= MIN_USES && !order.labels.contains(&label) {
                longer.entry(label).or_default().entry(*number).or_default().push(place);
            }
        }
    }
    let frequent = longer.into_iter().filter(|(_, ends)| ends.len() >= MIN_USES);
    let with = |label| order.labels.iter().copied().chain([label]).collect();
    frequent.map(|(label, ends)| LabelOrder { labels: with(label), ends }).collect()
}

/// Of an order and a longer one that holds it: the longer alone if it worked nearly as often, both if the steps it has besides
/// are mostly done in it, else the shorter alone.
fn standing_orders<'a>(work: &ExchangeWork<'_>, mut orders: Vec<LabelOrder<'a>>) -> Vec<LabelOrder<'a>> {
    orders.sort_by_key(|order| (order.labels.len(), Reverse(order.ends.len())));
    let mut kept: Vec<LabelOrder<'_>> = Vec::new();
    for order in orders {
        let stands_for = |shorter: &LabelOrder<'_>| order.uses() >= shorter.uses() * MIN_SHARE_OF_LONGER;
        let is_bound = |label: &&str| order.uses() >= work.counts[label] as f64 * MIN_BOUND_SHARE;
        let is_extended_by_chance = |shorter: &LabelOrder<'_>| {
            let mut besides = order.labels.iter().filter(|label| !shorter.labels.contains(label));
            holds(&order.labels, &shorter.labels) && !stands_for(shorter) && !besides.all(is_bound)
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

/// The chance that an order of k labels is found in u of N exchanges where nobody follows it: each label l is in an exchange by
/// itself, in n_l of N, and the labels stand in any order.
/// P(X ≥ u), X ~ Bin(N, Π(n_l / N) / k!)
fn chance_of_order(work: &ExchangeWork<'_>, order: &LabelOrder<'_>) -> f64 {
    let all = work.exchanges.len();
    let together: f64 = order.labels.iter().map(|label| work.counts[label] as f64 / all as f64).product();
    let orders: f64 = (1..=order.labels.len()).map(|number| number as f64).product();
    binomial_tail(all, order.ends.len(), together / orders)
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
    // Of a small tail the difference to one has no digit left: then its first term is nearer.
    (1.0 - below).max(term)
}

fn procedure_of(steps: &[ToolStep], work: &ExchangeWork<'_>, order: &[&str]) -> Procedure {
    let mut uses: Vec<Vec<usize>> = Vec::new();
    let mut failed_since = 0;
    for exchange in &work.exchanges {
        if let Some(places) = exchange.places_of(order) {
            uses.push(places.into_iter().map(|place| exchange.steps[place]).collect());
            failed_since = 0;
        } else if breaks(exchange, order) {
            failed_since += 1;
        }
    }
    let step = |(place, label): (usize, &&str)| {
        let mut written = uses.iter().map(|used| steps[used[place]].written.as_deref());
        let first = written.next().flatten();
        let same = first.filter(|_| written.all(|other| other == first));
        ProcedureStep { label: (*label).to_owned(), written: same.map(str::to_owned) }
    };
    let named = order.iter().enumerate().map(step).collect();
    let confidence = procedure_confidence(uses.len() as u32, failed_since);
    Procedure { steps: named, uses, failed_since, confidence }
}

/// Whether an order was begun in an exchange and a step of it failed for good. Of a first step that failed nobody knows what was
/// to follow.
fn breaks(exchange: &ExchangeSteps<'_>, order: &[&str]) -> bool {
    let failed = order.iter().position(|label| exchange.failed.contains(label));
    failed.is_some_and(|at| at > 0 && exchange.places_of(&order[..at]).is_some())
}
