//! A plan: what was found, counted by product, before anything is stored. Carrying it out gives the same counts, since both
//! look through the same eyes: a thing that two files say is counted, and stored, once.

use crate::{
    error::Result,
    gather::gather,
    gathered::{Gathered, GatheredKind, IdentityProposal},
    product::Product,
    recognize::Source,
};
use cairn_domain::{Draft, Role, Time};
use jiff::tz::TimeZone;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::PathBuf,
};

/// The findings of one product.
#[derive(Debug, Clone, Default)]
pub struct ProductPlan {
    /// Files and folders of it.
    pub paths: Vec<PathBuf>,
    /// Counts by kind and by what the product calls it.
    pub counts: BTreeMap<String, u64>,
    /// Messages of each person or agent that shares the store.
    pub tenants: BTreeMap<String, u64>,
    /// Messages of nobody in particular.
    pub nobodys: u64,
    /// Reasons why something is left behind, each with how many.
    pub left_out: BTreeMap<String, u64>,
    /// Texts for identity files.
    pub proposals: Vec<IdentityProposal>,
    /// Files and folders to be read as knowledge.
    pub knowledge: BTreeSet<PathBuf>,
    /// The earliest time that something was said.
    pub first: Option<Time>,
    /// The latest.
    pub last: Option<Time>,
}

impl ProductPlan {
    /// Counts one piece.
    pub fn count(&mut self, piece: &Gathered) {
        match piece {
            Gathered::Words { draft, kind, tenant, marks } => {
                self.add(kind.plural(), 1);
                for mark in marks {
                    self.add(mark, 1);
                }
                if *kind == GatheredKind::Message {
                    self.add(of_which(draft.role), 1);
                    self.add("of_which_on_a_left_branch", u64::from(draft.metadata.contains_key("branch")));
                }
                match tenant {
                    Some(tenant) => *self.tenants.entry(tenant.clone()).or_default() += 1,
                    None => self.nobodys += 1,
                }
                self.first = self.first.into_iter().chain(draft.at).min();
                self.last = self.last.into_iter().chain(draft.at).max();
            }
            Gathered::Proposal(proposal) => {
                if !self.proposals.contains(proposal) {
                    self.proposals.push(proposal.clone());
                }
            }
            Gathered::Knowledge { path, .. } => drop(self.knowledge.insert(path.clone())),
            Gathered::LeftOut { why, count } => *self.left_out.entry(why.clone()).or_default() += count,
            Gathered::Counted { what, count } => self.add(what, *count),
        }
    }

    fn add(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.counts.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Whether several people or agents share it, so that somebody has to say whose is meant.
    pub fn is_shared(&self) -> bool {
        self.tenants.len() > 1
    }
}

fn of_which(role: Role) -> &'static str {
    match role {
        Role::User => "of_which_user",
        Role::Assistant => "of_which_assistant",
        Role::Tool => "of_which_tool",
        Role::System => "of_which_system",
    }
}

/// Messages that were seen on the way, so that none is taken twice.
#[derive(Debug, Default)]
pub struct SeenMessages(HashSet<[u8; 16]>);

impl SeenMessages {
    /// Whether it is new. The same id, session, role and words are the same message.
    pub fn is_new(&mut self, product: Product, draft: &Draft) -> bool {
        let mut hasher = blake3::Hasher::new();
        let parts = [
            product.name(),
            draft.source_id.as_deref().unwrap_or_default(),
            draft.session.as_deref().unwrap_or_default(),
        ];
        for part in parts.into_iter().chain([draft.role.as_str(), draft.text.as_str()]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        self.0.insert(key)
    }
}

/// Everything that was found, by product.
pub type Plan = BTreeMap<Product, ProductPlan>;

/// Reads every source once and counts it. Transcripts of the engine's own are only listed.
pub fn plan(sources: &[Source], zone: &TimeZone) -> Result<Plan> {
    let (mut plan, mut seen) = (Plan::new(), SeenMessages::default());
    for source in sources {
        let product = source.form.product();
        let of = plan.entry(product).or_default();
        of.paths.push(source.path.clone());
        gather_new(source, sources, zone, &mut seen, &mut |piece| of.count(&piece))?;
    }
    Ok(plan)
}

/// The same as [`gather`], without what was seen before.
pub fn gather_new(
    source: &Source,
    beside: &[Source],
    zone: &TimeZone,
    seen: &mut SeenMessages,
    take: &mut dyn FnMut(Gathered),
) -> Result<()> {
    let product = source.form.product();
    gather(source, beside, zone, &mut |piece| match &piece {
        Gathered::Words { draft, .. } if !seen.is_new(product, draft) => {}
        _ => take(piece),
    })
}
