use super::*;
use cairn_domain::{BeliefKind, ConfidenceParts, Privacy, SubjectType};

/// covers: W-167
#[test]
fn the_shape_of_evidence_is_told_before_any_conclusion() {
    let belief = |confidence: f64, sources: u32, against: f64, status: BeliefStatus| Belief {
        id: BeliefId::of("entity:user:identity:residence", "oslo", None),
        kind: BeliefKind::Identity,
        subject_type: SubjectType::Entity,
        subject_id: "user".into(),
        key: "entity:user:identity:residence".into(),
        value: "oslo".into(),
        summary: "User lives in Oslo.".into(),
        detail: String::new(),
        tags: Vec::new(),
        lane: BeliefLane::Candidate,
        status,
        confidence,
        parts: ConfidenceParts {
            source_count: sources,
            contradiction_weight: against,
            ..ConfidenceParts::default()
        },
        freshness: 1.0,
        last_supported_at: Time::from_millis(0),
        last_contradicted_at: None,
        due_at: Time::from_millis(0),
        privacy: Privacy::Open,
        allowed_consumers: Consumer::ALL.to_vec(),
        created_at: Time::from_millis(0),
    };
    let active = BeliefStatus::Active;
    for (belief, freshness, expected) in [
        (belief(0.9, 5, 0.5, active), 1.0, "conflicting"),
        (belief(0.9, 5, 0.0, BeliefStatus::Stale), 1.0, "decayed"),
        (belief(0.9, 5, 0.0, active), 0.0, "decayed"),
        (belief(0.6, 1, 0.0, active), 1.0, "near_ready"),
        (belief(0.5, RECURS_FROM, 0.0, active), 1.0, "recurring"),
        (belief(0.5, 1, 0.0, active), 1.0, "single"),
    ] {
        assert_eq!(evidence_shape(&belief, freshness).as_str(), expected, "{belief:?}");
    }
}
