//! A simulated year of growth, three times over: inquiries that settle with an operator who accepts what fits the life, the same
//! without settling, and the same with a gate that always says yes. The life has habits that are worth a principle and episodes
//! that are not, so it is known what an identity should have taken in. Proposals are decided through the operator's own door.

use crate::{
    corpus::corrected_life::{BEGIN_MS, CorrectedLife, LifeEvent},
    harness::{clock::SettableClock, plain_home::plain_home, scratch::scratch_folder, share::Share},
};
use cairn_domain::{
    AgentName, Draft, InquirySource, MILLIS_PER_DAY, MILLIS_PER_HOUR, MemoryId, Ref, ReviewDecision, Role,
    Settling,
};
use cairn_engine::{
    Agent, Audience, Clock, CorrectedBy, CorrectionDraft, EngineError, GrowthConfig, Home, InquiryPage,
    Missing, StoredProposal,
};
use cairn_operator::{OperatorError, OperatorKey, ProposalVerdict, decide_proposal, sign_in};
use serde_json::{Value, json};
use std::{fmt::Write, sync::Arc};

/// The hours of a day at which inquiries are looked at.
const LOOKS: [i64; 4] = [9, 13, 17, 21];
/// Days after which nothing settles any more, and between looks on quiet days.
const SETTLED_AFTER_DAYS: u32 = 2;
const QUIET_LOOK_DAYS: u32 = 5;
const MAX_INQUIRIES: u32 = 10_000;
const PASSPHRASE: &str = "a scratch operator of a measurement";

/// Who opens the last gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YearGate {
    /// Somebody who knows which habits the life has, and rejects the rest.
    Knowing,
    /// Whatever is proposed is accepted.
    AlwaysYes,
}

/// One of the lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YearArm {
    /// Its name.
    pub name: &'static str,
    /// How inquiries settle.
    pub settle: Settling,
    /// Who decides.
    pub gate: YearGate,
}

/// The three lives.
pub const YEAR_ARMS: [YearArm; 3] = [
    YearArm { name: "spaced, a person decides", settle: Settling::Spaced, gate: YearGate::Knowing },
    YearArm { name: "immediate, a person decides", settle: Settling::Immediate, gate: YearGate::Knowing },
    YearArm { name: "spaced, always yes", settle: Settling::Spaced, gate: YearGate::AlwaysYes },
];

/// A passage that became part of SOUL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrownPassage {
    /// The day.
    pub day: u32,
    /// The passage.
    pub text: String,
    /// Whether a habit of the life is behind it.
    pub is_habit: bool,
    /// Days between the proposal and the first vector behind it.
    pub after_days: u32,
}

/// The figures of one life.
#[derive(Debug, Clone)]
pub struct YearFigures {
    /// The life.
    pub arm: YearArm,
    /// Inquiries that were opened.
    pub inquiries: usize,
    /// Growth vectors.
    pub vectors: usize,
    /// Records that a vector rests on, on average.
    pub evidence: f64,
    /// Vectors of corrections that hold the reason, which was told hours later.
    pub with_reason: Share,
    /// Hours from an inquiry to its vector, on average.
    pub hours: f64,
    /// Proposals.
    pub proposals: usize,
    /// Passages that became part of SOUL.md.
    pub grown: Vec<GrownPassage>,
}

/// The figures of every life.
#[derive(Debug, Clone)]
pub struct YearReport {
    /// Days that were lived.
    pub days: u32,
    /// Each life.
    pub lives: Vec<YearFigures>,
}

/// Lives some lives of a seed, in scratch agents beside those of `home`.
///
/// # Errors
/// If an agent cannot be made or told, or a proposal cannot be decided.
pub async fn run(
    seed: u64,
    days: u32,
    arms: &[YearArm],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<YearReport, OperatorError> {
    let mut lives = Vec::new();
    for arm in arms {
        on_stage(arm.name);
        lives.push(Box::pin(live(seed, days, *arm, home)).await?);
    }
    Ok(YearReport { days, lives })
}

struct Life {
    home: Home,
    name: AgentName,
    agent: Agent,
    clock: Arc<SettableClock>,
    reasons: Vec<MemoryId>,
    grown: Vec<GrownPassage>,
}

async fn live(seed: u64, days: u32, arm: YearArm, home: &Home) -> Result<YearFigures, OperatorError> {
    let folder = scratch_folder(home.path())?;
    let clock = Arc::new(SettableClock::at(BEGIN_MS));
    let growth = GrowthConfig { settle: arm.settle, ..GrowthConfig::default() };
    let home = plain_home(folder.path(), home, Arc::clone(&clock) as Arc<dyn Clock>, growth)?;
    let name: AgentName = "grown".parse().map_err(EngineError::from)?;
    let agent = home.agent(&name, Missing::Create).await?;
    OperatorKey::create(&home, PASSPHRASE).await?;
    let (mut events, mut last_event) = (CorrectedLife::new(seed), 0);
    let (reasons, grown) = Default::default();
    let mut life = Life { home, name, agent, clock, reasons, grown };
    for day in 0..days {
        let event = events.day(day);
        last_event = if event.is_some() { day } else { last_event };
        // What was opened has settled after two days; crystallization waits for longer.
        let is_quiet = day > last_event + SETTLED_AFTER_DAYS && !day.is_multiple_of(QUIET_LOOK_DAYS);
        for hour in LOOKS.into_iter().filter(|_| !is_quiet) {
            life.clock.set(BEGIN_MS + i64::from(day) * MILLIS_PER_DAY + hour * MILLIS_PER_HOUR);
            life.happen(event.as_ref(), hour).await?;
            life.agent.run_rhythm("contemplation", &mut |_| {}).await?;
        }
        life.decide(day, arm.gate).await?;
    }
    life.figures(arm).await
}

impl Life {
    /// The event at an hour of a day: something is said, set right, and explained.
    async fn happen(&mut self, event: Option<&LifeEvent>, hour: i64) -> Result<(), EngineError> {
        match (event, hour) {
            (Some(LifeEvent::Said(text)), 9) => {
                self.say(text).await?;
            }
            (Some(LifeEvent::Corrected { said, right, .. }), 9) => {
                if let Some(memory) = self.say(said).await? {
                    let correction = CorrectionDraft { text: right.clone(), by: CorrectedBy::User, at: None };
                    self.agent.correct_record(Ref::Memory(memory), correction, Audience::Operator).await?;
                }
            }
            (Some(LifeEvent::Corrected { reason, .. }), 13) => {
                let told = self.say(reason).await?;
                self.reasons.extend(told);
            }
            _ => {}
        }
        Ok(())
    }

    async fn say(&self, text: &str) -> Result<Option<MemoryId>, EngineError> {
        let kept = self.agent.remember(Draft::new(Role::User, text.to_owned())).await?;
        let formed = self.agent.form_message(kept.message).await?;
        Ok(formed.decisions.first().and_then(|decision| decision.memory))
    }

    /// The evening: what waits is decided.
    async fn decide(&mut self, day: u32, gate: YearGate) -> Result<(), OperatorError> {
        for StoredProposal { record, .. } in self.agent.pending_proposals().await? {
            let is_habit = is_habit(&record.text);
            let accepts = is_habit || gate == YearGate::AlwaysYes;
            let decision = if accepts { ReviewDecision::AcceptVerified } else { ReviewDecision::Reject };
            let verdict = ProposalVerdict {
                proposal: record.id,
                decision,
                reason: "measured".to_owned(),
                confirm: None,
                until: None,
            };
            let grant = sign_in(&self.home, PASSPHRASE).await?;
            decide_proposal(&grant, &self.home, &self.name, verdict).await?;
            if accepts {
                let after_days =
                    self.first_vector(&record.text).await?.map_or(0, |first| day.saturating_sub(first));
                self.grown.push(GrownPassage { day, text: record.text, is_habit, after_days });
            }
        }
        Ok(())
    }

    /// The day of the first vector that says a passage.
    async fn first_vector(&self, passage: &str) -> Result<Option<u32>, EngineError> {
        let pages = self.agent.inquiries(MAX_INQUIRIES).await?;
        let vectors = pages.iter().filter_map(|page| page.vector.as_ref());
        let said = vectors.filter(|vector| passage.trim_start_matches("- ") == vector.text);
        Ok(said.map(|vector| ((vector.made_at.millis() - BEGIN_MS) / MILLIS_PER_DAY) as u32).min())
    }

    async fn figures(self, arm: YearArm) -> Result<YearFigures, OperatorError> {
        let pages = self.agent.inquiries(MAX_INQUIRIES).await?;
        let reasons: Vec<String> = self.reasons.iter().map(ToString::to_string).collect();
        let mut with_reason = Share::default();
        let (mut evidence, mut hours, mut vectors) = (0, 0.0, 0);
        for InquiryPage { inquiry, vector, .. } in &pages {
            let Some(vector) = vector else { continue };
            vectors += 1;
            evidence += vector.evidence.matches("\"ref\"").count();
            hours += (vector.made_at.millis() - inquiry.opened_at.millis()) as f64 / MILLIS_PER_HOUR as f64;
            if inquiry.source == InquirySource::Correction {
                with_reason.count(reasons.iter().any(|reason| vector.evidence.contains(reason)));
            }
        }
        let proposals = self.agent.proposals(MAX_INQUIRIES).await?.len();
        let of = |sum: f64| sum / f64::from(u32::try_from(vectors).unwrap_or(u32::MAX).max(1));
        Ok(YearFigures {
            arm,
            inquiries: pages.len(),
            vectors,
            evidence: of(evidence as f64),
            with_reason,
            hours: of(hours),
            proposals,
            grown: self.grown,
        })
    }
}

/// Whether a habit of the life is behind a passage: figures and names were wrong all year; the rest are episodes.
fn is_habit(passage: &str) -> bool {
    passage.contains("dates and figures") || passage.contains("names and places")
}

impl YearReport {
    /// The columns of [`Self::rows`].
    pub fn columns(&self) -> Vec<&'static str> {
        std::iter::once("what").chain(self.lives.iter().map(|life| life.arm.name)).collect()
    }

    /// The figures for people, a column a life.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |what: &str, told: &dyn Fn(&YearFigures) -> String| {
            std::iter::once(what.to_owned()).chain(self.lives.iter().map(told)).collect()
        };
        let grown =
            |life: &YearFigures, is_habit| life.grown.iter().filter(|it| it.is_habit == is_habit).count();
        vec![
            row("inquiries", &|life| life.inquiries.to_string()),
            row("growth vectors", &|life| life.vectors.to_string()),
            row("hours from inquiry to vector", &|life| format!("{:.1}", life.hours)),
            row("records that a vector rests on", &|life| format!("{:.2}", life.evidence)),
            row("vectors of corrections that hold the later reason", &|life| life.with_reason.show()),
            row("proposals", &|life| life.proposals.to_string()),
            row("passages in SOUL.md of a habit", &|life| grown(life, true).to_string()),
            row("passages in SOUL.md of an episode", &|life| grown(life, false).to_string()),
            row("days from the first vector to SOUL.md", &|life| {
                let days: Vec<String> = life.grown.iter().map(|it| it.after_days.to_string()).collect();
                if days.is_empty() { "–".to_owned() } else { days.join(", ") }
            }),
            row("passages month by month", &|life| life.months(self.days)),
        ]
    }

    /// The figures for programs.
    pub fn to_json(&self, question: &str) -> Value {
        let grown = |it: &GrownPassage| json!({"day": it.day, "text": it.text, "habit": it.is_habit, "after_days": it.after_days});
        let life = |life: &YearFigures| {
            json!({"life": life.arm.name, "inquiries": life.inquiries, "vectors": life.vectors,
                "evidence": life.evidence, "hours": life.hours, "with_reason": life.with_reason.percent(),
                "proposals": life.proposals, "grown": life.grown.iter().map(grown).collect::<Vec<_>>()})
        };
        json!({"question": question, "days": self.days, "lives": self.lives.iter().map(life).collect::<Vec<_>>()})
    }

    /// A picture: passages in SOUL.md over the days, of habits and of episodes.
    pub fn to_svg(&self) -> String {
        const COLORS: [&str; 3] = ["#335c81", "#588157", "#c8553d"];
        let most = self.lives.iter().map(|life| life.grown.len()).max().unwrap_or(0).max(1);
        let (width, height) = (640.0, 200.0);
        let x = |day: u32| 60.0 + width * f64::from(day) / f64::from(self.days.max(1));
        let y = |count: usize| 40.0 + height * (1.0 - count as f64 / most as f64);
        let mut svg = String::from(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"340\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"16\" y=\"22\" font-size=\"16\">Passages in SOUL.md over a simulated year</text>\n",
        );
        for count in 0..=most {
            let _ = writeln!(
                svg,
                "<text x=\"50\" y=\"{:.0}\" text-anchor=\"end\">{count}</text>",
                y(count) + 4.0
            );
        }
        for (life, color) in self.lives.iter().zip(COLORS) {
            let mut points = format!("{:.1},{:.1}", x(0), y(0));
            for (count, grown) in life.grown.iter().enumerate() {
                let _ = write!(
                    points,
                    " {:.1},{:.1} {:.1},{:.1}",
                    x(grown.day),
                    y(count),
                    x(grown.day),
                    y(count + 1)
                );
                let fill = if grown.is_habit { color } else { "white" };
                let (cx, cy) = (x(grown.day), y(count + 1));
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{color}\"/>"
                );
            }
            let _ = write!(points, " {:.1},{:.1}", x(self.days), y(life.grown.len()));
            let _ = writeln!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
            );
        }
        for (place, (life, color)) in self.lives.iter().zip(COLORS).enumerate() {
            let top = 270 + 20 * place;
            let _ = writeln!(
                svg,
                "<rect x=\"60\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{color}\"/>",
                top - 11
            );
            let _ =
                writeln!(svg, "<text x=\"80\" y=\"{top}\">{} (hollow: of an episode)</text>", life.arm.name);
        }
        svg + "</svg>\n"
    }
}

impl YearFigures {
    /// How many passages SOUL.md had gained at the end of each month.
    fn months(&self, days: u32) -> String {
        let ends = (1..=days.div_ceil(30)).map(|month| month * 30);
        let counts = ends.map(|end| self.grown.iter().filter(|it| it.day < end).count().to_string());
        counts.collect::<Vec<_>>().join(" ")
    }
}
