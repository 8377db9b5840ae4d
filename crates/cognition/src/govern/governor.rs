//! The governor: of everything that asks for friction, the strongest decides. Authority lowers what waits for somebody's word and
//! nothing else; the agent's own state only raises.
//!
//! mode = max(minimum of every rule that is about the action, minimum of the agent's state), `proceed` if there is none

use super::{
    action::ProposedAction,
    pattern::{CommandPattern, PathPattern, RuleMatch, ToolPattern},
    touched::PathAccess,
};
use cairn_domain::{
    AuthorityKind, AuthorityStanding, DecisionReason, Friction, GovernorDecision, ResponsibilityLease, Time,
};

/// Check that is owed by whoever goes on under `verify`.
const CHECK_AFTERWARDS: &str = "check the effect afterwards and say what you saw";

/// A rule that an operator wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct GovernRule {
    /// Its name, for reasons.
    pub name: String,
    /// Tools it is about; any if none is named.
    pub tool: Option<ToolPattern>,
    /// Commands it is about.
    pub command: Option<CommandPattern>,
    /// Paths it is about …
    pub path: Option<PathPattern>,
    /// … if they are touched at least in this way.
    pub access: PathAccess,
    /// The least friction that it asks for.
    pub mode: Friction,
    /// Why.
    pub reason: String,
    /// A safe thing to do instead.
    pub instead: Option<String>,
    /// How the effect is taken back.
    pub rollback: Option<String>,
}

/// Something that the action is said to stand on.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimedAuthority {
    /// An operator's lease.
    Lease {
        /// Its name.
        name: String,
        /// Its terms.
        terms: Box<LeaseTerms>,
    },
    /// Anything else; it authorizes nothing.
    Other {
        /// As it was named.
        reference: String,
        /// Its kind.
        kind: AuthorityKind,
    },
}

/// A lease with its patterns read, and how much of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaseTerms {
    /// The lease.
    pub lease: ResponsibilityLease,
    /// Commands it covers.
    pub commands: Vec<CommandPattern>,
    /// Tools it covers.
    pub tools: Vec<ToolPattern>,
    /// Actions that were done under it.
    pub used: u32,
    /// The outcome that ended it, and the condition that it met.
    pub stopped: Option<String>,
}

/// Everything else that a decision depends on.
#[derive(Debug, Clone, Default)]
pub struct GovernorState<'a> {
    /// The rules.
    pub rules: &'a [GovernRule],
    /// Reasons in the agent's own state.
    pub self_state: Vec<DecisionReason>,
    /// Whether the same was asked in this session and nobody answered.
    pub asked_before: bool,
}

/// Decides how an action goes on.
pub fn decide(
    action: &ProposedAction,
    authority: &[ClaimedAuthority],
    state: &GovernorState<'_>,
    now: Time,
) -> GovernorDecision {
    let authority: Vec<AuthorityStanding> =
        authority.iter().map(|claimed| standing(claimed, action, now)).collect();
    let lease =
        authority.iter().find(|standing| standing.authorizes).map(|standing| standing.reference.clone());
    let about: Vec<(&GovernRule, RuleMatch)> = state
        .rules
        .iter()
        .map(|rule| (rule, rule.matches(action)))
        .filter(|(rule, matched)| *matched != RuleMatch::No && rule.mode > Friction::Proceed)
        .collect();
    let mut reasons: Vec<DecisionReason> =
        about.iter().map(|(rule, matched)| reason_of(rule, *matched, lease.as_ref())).collect();
    reasons.extend(state.self_state.iter().cloned());
    let strongest = reasons.iter().map(|reason| reason.minimum).max().unwrap_or_default();
    let mode = if strongest == Friction::Ask && state.asked_before {
        reasons.push(DecisionReason {
            reference: "session#asked".to_owned(),
            minimum: Friction::Defer,
            reason: "this was asked in this session and not answered with yes; it is not asked again"
                .to_owned(),
            lease: None,
        });
        Friction::Defer
    } else {
        strongest
    };
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.minimum));
    let first = |of: fn(&GovernRule) -> Option<&String>| {
        let by_friction = reasons.iter().filter_map(|reason| {
            about.iter().find(|(rule, _)| reason.reference == rule.reference()).and_then(|(rule, _)| of(rule))
        });
        by_friction.into_iter().next().cloned()
    };
    let (instead, rollback_plan) =
        (first(|rule| rule.instead.as_ref()), first(|rule| rule.rollback.as_ref()));
    let required_checks = match mode {
        Friction::Proceed | Friction::Refuse | Friction::Pause => Vec::new(),
        Friction::Verify => vec![CHECK_AFTERWARDS.to_owned()],
        Friction::Ask => vec!["whoever the agent works for has to say yes, to this one action".to_owned()],
        Friction::Defer => vec!["do it later, or run it in a way that changes nothing first".to_owned()],
        Friction::Approve => {
            vec!["it needs an operator's lease that covers it (`cairn operator lease`)".to_owned()]
        }
    };
    GovernorDecision {
        action: action.text(),
        action_class: action.class().to_owned(),
        mode,
        reasons,
        authority,
        required_checks,
        instead,
        rollback_plan,
        at: now,
    }
}

fn reason_of(rule: &GovernRule, matched: RuleMatch, lease: Option<&String>) -> DecisionReason {
    let hidden = matched == RuleMatch::Perhaps;
    let minimum = if hidden { rule.mode.min(Friction::Ask) } else { rule.mode };
    let lowers = match minimum {
        Friction::Ask | Friction::Approve => lease.cloned().filter(|_| !hidden),
        Friction::Proceed | Friction::Verify | Friction::Defer | Friction::Refuse | Friction::Pause => None,
    };
    let minimum = if lowers.is_some() { Friction::Verify } else { minimum };
    let reason = if hidden {
        format!(
            "{} (this may be such an action: what it runs or touches is only known when it runs)",
            rule.reason
        )
    } else {
        rule.reason.clone()
    };
    DecisionReason { reference: rule.reference(), minimum, reason, lease: lowers }
}

/// Whether something that an action is said to stand on counts.
fn standing(claimed: &ClaimedAuthority, action: &ProposedAction, now: Time) -> AuthorityStanding {
    match claimed {
        ClaimedAuthority::Other { reference, kind } => AuthorityStanding {
            reference: reference.clone(),
            kind: *kind,
            authorizes: false,
            why: kind.limit().to_owned(),
        },
        ClaimedAuthority::Lease { name, terms } => {
            let refusal = terms.refusal(action, now);
            AuthorityStanding {
                reference: format!("lease/{name}"),
                kind: AuthorityKind::Lease,
                authorizes: refusal.is_none() && AuthorityKind::Lease.can_authorize(),
                why: refusal.unwrap_or_else(|| terms.lease.objective.clone()),
            }
        }
    }
}

impl LeaseTerms {
    /// Why the lease does not cover an action; none if it does.
    fn refusal(&self, action: &ProposedAction, now: Time) -> Option<String> {
        let lease = &self.lease;
        if now >= lease.expires_at {
            return Some(format!("it expired at {}", lease.expires_at));
        }
        if let Some(stopped) = &self.stopped {
            return Some(format!("it was {stopped}"));
        }
        if self.used >= lease.max_actions {
            return Some(format!("its budget of {} action(s) is spent", lease.max_actions));
        }
        (!self.covers(action)).then(|| "its scope does not cover this action".to_owned())
    }

    /// Every command of the action has to be in the scope; of an action without commands the tool.
    fn covers(&self, action: &ProposedAction) -> bool {
        if action.commands.is_empty() {
            return self.tools.iter().any(|tool| tool.matches(action) == RuleMatch::Yes);
        }
        let plain = action.commands.iter().filter(|command| !command.is_reading);
        let covered = |command: &super::shell::ShellCommand| {
            command.writes_to.is_empty()
                && self.commands.iter().any(|pattern| pattern.matches(command) == RuleMatch::Yes)
        };
        plain.into_iter().all(covered)
    }
}

impl GovernRule {
    /// Where it stands.
    fn reference(&self) -> String {
        format!("govern.toml#{}", self.name)
    }

    /// Whether it is about an action: every condition of it has to hold.
    pub fn matches(&self, action: &ProposedAction) -> RuleMatch {
        let mut matched = RuleMatch::Yes;
        if let Some(tool) = &self.tool {
            matched = matched.min(tool.matches(action));
        }
        if let Some(command) = &self.command {
            let best = action.commands.iter().map(|one| command.matches(one)).max();
            matched = matched.min(best.unwrap_or(RuleMatch::No));
        }
        if let Some(path) = &self.path {
            let touched = action.paths.iter().map(|one| path.matches(one, self.access));
            let code =
                action.commands.iter().filter_map(|one| one.code.as_deref()).map(|code| path.stands_in(code));
            matched = matched.min(touched.chain(code).max().unwrap_or(RuleMatch::No));
        }
        matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::govern::shell::commands;
    use proptest::prelude::*;

    const LINES: [&str; 6] =
        ["rm -rf x", "git push origin main", "ls", "$X y", "git push origin dev && rm -rf /", "make deploy"];
    const PATTERNS: [&str; 5] = ["rm -rf", "git push", "git push *main", "ls", "make deploy"];

    fn action(line: &str) -> ProposedAction {
        let (tool, words) = ("Bash".to_owned(), line.to_owned());
        ProposedAction { tool, words, commands: commands(line), paths: Vec::new() }
    }

    fn rule(pattern: &str, mode: Friction) -> GovernRule {
        GovernRule {
            name: format!("{pattern} {mode}"),
            tool: None,
            command: Some(CommandPattern::parse(pattern).expect("a pattern")),
            path: None,
            access: PathAccess::Write,
            mode,
            reason: "because".to_owned(),
            instead: None,
            rollback: None,
        }
    }

    fn lease(pattern: &str, expires: i64, used: u32) -> ClaimedAuthority {
        let lease = ResponsibilityLease {
            owner: "main".into(),
            objective: "release".into(),
            commands: vec![pattern.into()],
            tools: Vec::new(),
            expires_at: Time::from_millis(expires),
            max_actions: 2,
            stop_conditions: Vec::new(),
            notify: None,
        };
        let commands = vec![CommandPattern::parse(pattern).expect("a pattern")];
        let terms = Box::new(LeaseTerms { lease, commands, tools: Vec::new(), used, stopped: None });
        ClaimedAuthority::Lease { name: "release".into(), terms }
    }

    fn mode(line: &str, authority: &[ClaimedAuthority], rules: &[GovernRule]) -> Friction {
        let state = GovernorState { rules, ..GovernorState::default() };
        decide(&action(line), authority, &state, Time::from_millis(10)).mode
    }

    /// covers: W-183, W-184, W-187, W-189, W-191, W-193, X-W15
    #[test]
    fn the_strongest_rule_decides_and_a_lease_lowers_only_what_waits_for_a_word() {
        let (ask, approve, refuse) = (Friction::Ask, Friction::Approve, Friction::Refuse);
        for (line, pattern, rule_mode, authority, expected) in [
            ("ls", "rm -rf", refuse, None, Friction::Proceed),
            ("rm -rf x", "rm -rf", refuse, None, refuse),
            ("git push origin dev", "git push", approve, None, approve),
            ("git push origin dev", "git push", approve, Some(lease("git push", 20, 0)), Friction::Verify),
            ("git push origin dev", "git push", ask, Some(lease("git push", 20, 0)), Friction::Verify),
            ("git push origin dev", "git push", refuse, Some(lease("git push", 20, 0)), refuse),
            ("git push origin dev", "git push", approve, Some(lease("git push", 10, 0)), approve),
            ("git push origin dev", "git push", approve, Some(lease("git push", 20, 2)), approve),
            ("git push origin dev; ls", "git push", approve, Some(lease("git push", 20, 0)), approve),
            ("git push origin $B", "git push *main", approve, Some(lease("git push", 20, 0)), ask),
            ("$X origin main", "git push", refuse, None, ask),
        ] {
            let held: Vec<ClaimedAuthority> = authority.into_iter().collect();
            assert_eq!(
                mode(line, &held, &[rule(pattern, rule_mode)]),
                expected,
                "{line} {rule_mode} {held:?}"
            );
        }
        let state =
            GovernorState { rules: &[rule("ls", ask)], asked_before: true, ..GovernorState::default() };
        let decision = decide(&action("ls"), &[], &state, Time::from_millis(10));
        assert_eq!((decision.mode, decision.reasons.len()), (Friction::Defer, 2), "asked once");
    }

    fn some_rules() -> impl Strategy<Value = Vec<GovernRule>> {
        let one = (0..PATTERNS.len(), 0..Friction::ALL.len());
        prop::collection::vec(one.prop_map(|(at, mode)| rule(PATTERNS[at], Friction::ALL[mode])), 0..5)
    }

    fn some_authority() -> impl Strategy<Value = Vec<ClaimedAuthority>> {
        let one = (0..PATTERNS.len(), 0_i64..20, 0_u32..4, 0..AuthorityKind::ALL.len());
        let made = one.prop_map(|(at, expires, used, kind)| match AuthorityKind::ALL[kind] {
            AuthorityKind::Lease => lease(PATTERNS[at], expires, used),
            kind => ClaimedAuthority::Other { reference: "x".into(), kind },
        });
        prop::collection::vec(made, 0..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: W-187, W-190, W-198, W-199, W-200, W-201, W-202, W-203, X-W15
        #[test]
        fn another_rule_or_worse_state_or_less_authority_never_lowers_friction(
            line in 0..LINES.len(), rules in some_rules(), more in some_rules(),
            authority in some_authority(), lost in 0_usize..5, asked: bool, raised in 0..Friction::ALL.len(),
        ) {
            let (action, now) = (action(LINES[line]), Time::from_millis(10));
            let decided = |rules: &[GovernRule], authority: &[ClaimedAuthority], self_state: Vec<DecisionReason>| {
                decide(&action, authority, &GovernorState { rules, self_state, asked_before: asked }, now)
            };
            let base = decided(&rules, &authority, Vec::new());
            let both: Vec<GovernRule> = rules.iter().chain(&more).cloned().collect();
            prop_assert!(decided(&both, &authority, Vec::new()).mode >= base.mode);
            let mut less = authority.clone();
            less.truncate(lost);
            prop_assert!(decided(&rules, &less, Vec::new()).mode >= base.mode);
            let strain = DecisionReason {
                reference: "self_state#repeats".into(), minimum: Friction::ALL[raised], reason: "again".into(), lease: None,
            };
            prop_assert!(decided(&rules, &authority, vec![strain]).mode >= base.mode);
            // What is no lease changes nothing at all.
            let others: Vec<ClaimedAuthority> =
                authority.iter().filter(|it| !matches!(it, ClaimedAuthority::Lease { .. })).cloned().collect();
            prop_assert_eq!(decided(&rules, &others, Vec::new()).mode, decided(&rules, &[], Vec::new()).mode);
        }
    }
}
