//! Procedures: steps that worked in the same order in three spans of work or more, oftener than chance has it. A span is what
//! was done for one request, or a part of it if that was much.

use super::step::{ToolOutcome, ToolStep};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

/// Spans in which a procedure worked, at least.
const MIN_USES: usize = 3;
/// Steps of a procedure, at most.
const MAX_STEPS: usize = 8;
/// Other steps that may stand between two of a procedure.
const MAX_STEPS_BETWEEN: usize = 2;
/// Steps of one span; longer work for one request is several.
const MAX_SPAN_STEPS: usize = 30;
/// Orders that are tried out, so that no history takes for ever.
const MAX_ORDERS: usize = 1_000;
/// A longer order takes the place of a shorter one in it if it worked in so many of its spans.
const MIN_SHARE_OF_LONGER: f64 = 0.8;
/// A step belongs to an order if so many of its spans follow the order.
const MIN_BOUND_SHARE: f64 = 0.5;
/// The chance that steps which are done together stand in an order by chance, at most: three of three must be enough.
const MAX_CHANCE_TOGETHER: f64 = 0.005;
/// The chance that any order of so many labels is there by chance if each step is done for itself, at most.
const MAX_CHANCE_APART: f64 = 0.02;
/// Steps that no likelier procedure has in the same span, at least.
const MIN_OWN_STEPS: usize = 2;
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
    /// The steps of each time that it worked, as their indexes, in order.
    pub uses: Vec<Vec<usize>>,
    /// How often a step of it failed for good since it last worked.
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
    let history = WorkHistory::read(steps);
    let orders = own_orders(&history, standing_orders(&history, likely_orders(&history)));
    let mut procedures: Vec<Procedure> =
        orders.iter().map(|order| procedure_of(steps, &history, &order.labels)).collect();
    procedures.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then_with(|| b.steps.len().cmp(&a.steps.len()))
    });
    procedures
}

/// The number of a label.
type LabelNumber = usize;

/// The work of a project, span by span, in order.
struct WorkHistory<'a> {
    /// The labels, by their numbers.
    names: Vec<&'a str>,
    spans: Vec<WorkSpan>,
    /// In how many spans each label stands.
    counts: Vec<usize>,
    /// The steps of all spans.
    all_steps: usize,
}

/// The steps of one span that changed something.
#[derive(Default)]
struct WorkSpan {
    /// The labels of those that worked in the end.
    labels: Vec<LabelNumber>,
    /// Their indexes.
    steps: Vec<usize>,
    /// The labels of those that failed and did not work after that.
    failed: HashSet<LabelNumber>,
}

impl<'a> WorkHistory<'a> {
    fn read(steps: &'a [ToolStep]) -> Self {
        let mut numbers: HashMap<&str, LabelNumber> = HashMap::new();
        let mut names = Vec::new();
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut members: Vec<Vec<(usize, LabelNumber)>> = Vec::new();
        for (index, step) in steps.iter().enumerate().filter(|(_, step)| !step.looks) {
            let label = *numbers.entry(&step.label).or_insert_with(|| {
                names.push(step.label.as_str());
                names.len() - 1
            });
            let place = *places.entry(step.exchange).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[place].push((index, label));
        }
        let parts = members.iter().flat_map(|labeled| labeled.chunks(MAX_SPAN_STEPS));
        let spans: Vec<_> = parts.map(|labeled| WorkSpan::read(steps, labeled)).collect();
        let mut counts = vec![0; names.len()];
        for span in &spans {
            for label in span.labels.iter().collect::<HashSet<_>>() {
                counts[*label] += 1;
            }
        }
        let all_steps = spans.iter().map(|span| span.labels.len()).sum();
        Self { names, spans, counts, all_steps }
    }

    /// The chance that an order is there by chance if each step is done for itself, oftener where more is done; none if it may be
    /// because its steps are always done together.
    fn chance_apart(&self, order: &LabelOrder) -> Option<f64> {
        let uses = order.ends.len();
        let together: Vec<f64> =
            self.spans.iter().filter_map(|span| span.chance_of_order(&order.labels)).collect();
        if chance_of_uses(together.iter().copied(), uses) > MAX_CHANCE_TOGETHER {
            return None;
        }
        let in_order = together.iter().sum::<f64>() / together.len() as f64;
        let apart = self.spans.iter().map(|span| {
            let share = span.labels.len() as f64 / self.all_steps as f64;
            let held = order.labels.iter().map(|label| (self.counts[*label] as f64 * share).min(1.0));
            held.product::<f64>() * in_order
        });
        Some(chance_of_uses(apart, uses))
    }

    /// Whether steps that worked in this order did so oftener than chance has it.
    fn is_likely(&self, labels: Vec<LabelNumber>) -> bool {
        let spans = self.spans.iter().enumerate();
        let ends = spans.filter_map(|(number, span)| Some((number, vec![*span.places_of(&labels)?.last()?])));
        let order = LabelOrder { ends: ends.collect(), labels };
        let possible = self.possible_orders(order.labels.len());
        order.labels.len() > 1
            && self.chance_apart(&order).is_some_and(|chance| chance * possible <= MAX_CHANCE_APART)
    }

    /// How many orders of so many of the labels that are done often enough there may be.
    fn possible_orders(&self, length: usize) -> f64 {
        let labels = self.counts.iter().filter(|count| **count >= MIN_USES).count();
        (0..length).map(|taken| labels.saturating_sub(taken) as f64).product()
    }

    /// Whether an order that worked so often was begun in a span and a step of it failed for good. A first step that failed
    /// was to begin it only if it mostly does.
    fn breaks(&self, span: &WorkSpan, order: &[LabelNumber], uses: usize) -> bool {
        match order.iter().position(|label| span.failed.contains(label)) {
            None => false,
            Some(0) => uses as f64 >= self.counts[order[0]] as f64 * MIN_BOUND_SHARE,
            Some(failed) => span.places_of(&order[..failed]).is_some(),
        }
    }
}

impl WorkSpan {
    fn read(steps: &[ToolStep], labeled: &[(usize, LabelNumber)]) -> Self {
        let mut read = Self::default();
        for (index, label) in labeled.iter().copied() {
            match steps[index].outcome {
                ToolOutcome::Worked => {
                    read.failed.remove(&label);
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
                ToolOutcome::Unknown | ToolOutcome::Refused => {}
            }
        }
        read
    }

    /// The places that may follow one.
    fn following(&self, place: usize) -> std::ops::Range<usize> {
        place + 1..self.labels.len().min(place + 2 + MAX_STEPS_BETWEEN)
    }

    /// The places of an order, if it was followed.
    fn places_of(&self, order: &[LabelNumber]) -> Option<Vec<usize>> {
        let (first, rest) = order.split_first()?;
        let mut starts = (0..self.labels.len()).filter(|place| self.labels[*place] == *first);
        starts.find_map(|start| self.places_behind(start, rest))
    }

    /// A place with those of the labels that follow it.
    fn places_behind(&self, place: usize, order: &[LabelNumber]) -> Option<Vec<usize>> {
        let Some((next, rest)) = order.split_first() else { return Some(vec![place]) };
        let mut behind = self.following(place).filter(|at| self.labels[*at] == *next);
        let mut places = behind.find_map(|at| self.places_behind(at, rest))?;
        places.insert(0, place);
        Some(places)
    }

    /// The chance that a span of L steps follows an order of k labels if its steps stand in any order, label l being in it
    /// `c_l` times: at most that of each choice of k steps, added up. None if it does not hold all labels.
    /// `p = min(1, Π c_l · min(1 / k!, Π_{j=1..k−1} 3 / (L − j)))`
    fn chance_of_order(&self, order: &[LabelNumber]) -> Option<f64> {
        let mut choices = 1.0;
        for label in order {
            let count = self.labels.iter().filter(|other| *other == label).count();
            if count == 0 {
                return None;
            }
            choices *= count as f64;
        }
        let any_order: f64 = (1..=order.len()).map(|number| number as f64).product();
        let near = (1..order.len()).map(|j| (MAX_STEPS_BETWEEN + 1) as f64 / (self.labels.len() - j) as f64);
        Some((choices * near.product::<f64>().min(1.0 / any_order)).min(1.0))
    }
}

/// The chance that an order is followed u times or more in spans that follow it by chance with `p_s` each:
/// `P(Σ X_s ≥ u), X_s ~ Bernoulli(p_s)`
fn chance_of_uses(chances: impl Iterator<Item = f64>, uses: usize) -> f64 {
    let mut of_count = vec![0.0; uses + 1];
    of_count[0] = 1.0;
    for chance in chances {
        // Whoever has come to `uses` stays there.
        for count in (0..uses).rev() {
            of_count[count + 1] += of_count[count] * chance;
            of_count[count] *= 1.0 - chance;
        }
    }
    of_count[uses]
}

/// An order of labels.
struct LabelOrder {
    labels: Vec<LabelNumber>,
    /// The spans in which it worked, with the places where it ended.
    ends: BTreeMap<usize, Vec<usize>>,
}

impl LabelOrder {
    fn uses(&self) -> f64 {
        self.ends.len() as f64
    }
}

/// An order that is not there by chance.
struct LikelyOrder {
    order: LabelOrder,
    /// How likely any order of so many labels would be there if each step were done for itself, at most.
    chance: f64,
}

/// The orders of two labels or more that worked often enough, and oftener than chance has it.
fn likely_orders(history: &WorkHistory<'_>) -> Vec<LikelyOrder> {
    let mut single: BTreeMap<LabelNumber, LabelOrder> = BTreeMap::new();
    for (number, span) in history.spans.iter().enumerate() {
        let frequent =
            span.labels.iter().enumerate().filter(|(_, label)| history.counts[**label] >= MIN_USES);
        for (place, label) in frequent {
            let new = || LabelOrder { labels: vec![*label], ends: BTreeMap::new() };
            single.entry(*label).or_insert_with(new).ends.entry(number).or_default().push(place);
        }
    }
    let mut open: Vec<LabelOrder> = single.into_values().collect();
    let (mut tried, mut likely) = (0, Vec::new());
    while let Some(order) = open.pop().filter(|_| tried < MAX_ORDERS) {
        if order.labels.len() < MAX_STEPS {
            open.extend(longer_orders(history, &order));
        }
        if order.labels.len() > 1 {
            tried += 1;
            let possible = history.possible_orders(order.labels.len());
            let chance = history.chance_apart(&order).map(|chance| chance * possible);
            likely.extend(
                chance.filter(|it| *it <= MAX_CHANCE_APART).map(|chance| LikelyOrder { order, chance }),
            );
        }
    }
    likely
}

/// The orders with one label more.
fn longer_orders(history: &WorkHistory<'_>, order: &LabelOrder) -> Vec<LabelOrder> {
    let mut longer: BTreeMap<LabelNumber, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (number, ends) in &order.ends {
        let span = &history.spans[*number];
        let following: BTreeSet<usize> = ends.iter().flat_map(|end| span.following(*end)).collect();
        for place in following {
            let label = span.labels[place];
            if history.counts[label] >= MIN_USES && !order.labels.contains(&label) {
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
fn standing_orders(history: &WorkHistory<'_>, mut orders: Vec<LikelyOrder>) -> Vec<LikelyOrder> {
    orders.sort_by_key(|it| (it.order.labels.len(), Reverse(it.order.ends.len())));
    let mut kept: Vec<LikelyOrder> = Vec::new();
    for likely in orders {
        let order = &likely.order;
        let stands_for = |shorter: &LabelOrder| order.uses() >= shorter.uses() * MIN_SHARE_OF_LONGER;
        let is_bound = |label: &LabelNumber| order.uses() >= history.counts[*label] as f64 * MIN_BOUND_SHARE;
        let is_extended_by_chance = |shorter: &LabelOrder| {
            let mut besides = order.labels.iter().filter(|label| !shorter.labels.contains(label));
            holds(&order.labels, &shorter.labels) && !stands_for(shorter) && !besides.all(is_bound)
        };
        if !kept.iter().any(|it| is_extended_by_chance(&it.order)) {
            kept.retain(|it| !(holds(&order.labels, &it.order.labels) && stands_for(&it.order)));
            kept.push(likely);
        }
    }
    kept
}

/// The orders that have steps of their own, two in each of enough spans: the others are what else was done beside a likelier one.
fn own_orders(history: &WorkHistory<'_>, mut orders: Vec<LikelyOrder>) -> Vec<LabelOrder> {
    orders.sort_by(|a, b| {
        a.chance.total_cmp(&b.chance).then_with(|| b.order.labels.len().cmp(&a.order.labels.len()))
    });
    let mut taken: HashSet<(usize, usize)> = HashSet::new();
    let mut own = Vec::new();
    for LikelyOrder { order, .. } in orders {
        let followed = history.spans.iter().enumerate().filter_map(|(number, span)| {
            let places = span.places_of(&order.labels)?;
            Some(places.into_iter().map(|place| (number, place)).collect::<Vec<_>>())
        });
        let followed: Vec<_> = followed.collect();
        let is_own = |places: &&Vec<(usize, usize)>| {
            places.iter().filter(|place| !taken.contains(place)).count() >= MIN_OWN_STEPS
        };
        if followed.iter().filter(is_own).count() < MIN_USES {
            continue;
        }
        // What is left of it without the steps of a likelier one must not be there by chance either.
        let is_mostly_own = |at: &usize| {
            let own = followed.iter().filter(|places| !taken.contains(&places[*at])).count();
            own as f64 >= followed.len() as f64 * MIN_BOUND_SHARE
        };
        let left: Vec<LabelNumber> =
            (0..order.labels.len()).filter(is_mostly_own).map(|at| order.labels[at]).collect();
        if left.len() == order.labels.len() || history.is_likely(left) {
            taken.extend(followed.into_iter().flatten());
            own.push(order);
        }
    }
    own
}

/// Whether an order holds another one, in its order.
fn holds(longer: &[LabelNumber], shorter: &[LabelNumber]) -> bool {
    let mut rest = longer.iter();
    shorter.iter().all(|label| rest.any(|other| other == label))
}

fn procedure_of(steps: &[ToolStep], history: &WorkHistory<'_>, order: &[LabelNumber]) -> Procedure {
    let mut uses: Vec<Vec<usize>> = Vec::new();
    let mut failed_since = 0;
    for span in &history.spans {
        if let Some(places) = span.places_of(order) {
            uses.push(places.into_iter().map(|place| span.steps[place]).collect());
            failed_since = 0;
        } else if history.breaks(span, order, uses.len()) {
            failed_since += 1;
        }
    }
    let step = |(place, label): (usize, &LabelNumber)| {
        let mut written = uses.iter().map(|used| steps[used[place]].written.as_deref());
        let first = written.next().flatten();
        let same = first.filter(|_| written.all(|other| other == first));
        ProcedureStep { label: history.names[*label].to_owned(), written: same.map(str::to_owned) }
    };
    let named = order.iter().enumerate().map(step).collect();
    let confidence = procedure_confidence(uses.len() as u32, failed_since);
    Procedure { steps: named, uses, failed_since, confidence }
}
