//! Random lives: whatever happens in them and however often they dream, what is pinned, immutable or a flashbulb stays, no
//! memory is lost, and no text is.

use crate::rhythm::world::{World, about, assert_same, day, memory, related};
use cairn_domain::{Category, Memory, RelationKind, Status, TemporalType, Tier};
use cairn_testkit::run;
use fastrand::Rng;

/// A memory of a random life.
fn any(rng: &mut Rng, at: u32, today: i64) -> Memory {
    let from = day(rng.i64(0..=today));
    let tiers = [Tier::Working, Tier::Episodic, Tier::Semantic, Tier::Dormant];
    let bounded = rng.u8(..4) == 0;
    Memory {
        category: Category::ALL[rng.usize(..Category::ALL.len())],
        tier: tiers[rng.usize(..tiers.len())],
        status: if rng.bool() { Status::New } else { Status::Current },
        temporal_type: if bounded { TemporalType::TimeBounded } else { TemporalType::Persistent },
        valid_from: from,
        recorded_at: from,
        accessed_at: from,
        valid_until: bounded.then(|| day(today + rng.i64(-40..40))),
        importance: rng.f64(),
        utility: rng.f64(),
        stability: 0.5 + 30.0 * rng.f64() * rng.f64(),
        accesses: rng.u32(..6),
        arousal: rng.f64(),
        pinned: rng.u8(..6) == 0,
        immutable: rng.u8(..6) == 0,
        flashbulb: rng.u8(..6) == 0,
        ..memory(&format!("Tulip {at} grows in bed {} by the wall.", at % 7))
    }
}

/// covers: C-97, C-161, C-231, C-233, X-C19, I8
#[test]
fn whatever_is_held_survives_every_life() {
    for seed in 0..12 {
        run(async move {
            let mut rng = Rng::with_seed(seed);
            let world = World::new().await;
            let (mut made, mut today) = (0_u32, 0);
            for _ in 0..4 {
                let mut some = Vec::new();
                for _ in 0..25 {
                    let memory = any(&mut rng, made, today);
                    let names = ["Wall", "Bed", "Garden", "Ana"];
                    let mut bound = about(&memory.text, &names[..rng.usize(..3)]);
                    if made > 0 && rng.bool() {
                        let kinds = RelationKind::ALL;
                        bound = related(bound, rng.u32(..made), kinds[rng.usize(..kinds.len())]);
                    }
                    made += 1;
                    some.push((memory, bound));
                }
                world.make(some).await;
                let before = world.all().await;
                let days = rng.i64(1..120);
                (today, ()) = (today + days, world.pass_days(days));
                world.dream().await;
                let after = world.all().await;
                assert!(after.len() >= before.len(), "seed {seed}: none is taken away");
                for was in &before {
                    let is = after.iter().find(|is| is.number == was.number).expect("still there");
                    let (then, now) = (&was.memory, &is.memory);
                    assert!(then.text == now.text || !now.immutable, "seed {seed}: {now:?}");
                    assert!(now.storage >= then.storage && now.accesses == then.accesses);
                    if then.pinned || then.immutable || then.flashbulb {
                        let fixed = (now.status, now.valid_until, &now.text);
                        assert_eq!(
                            fixed,
                            (then.status, then.valid_until, &then.text),
                            "seed {seed}: {now:?}"
                        );
                        assert!(now.tier == then.tier || now.tier == Tier::Semantic, "seed {seed}: {now:?}");
                    }
                    if then.pinned || then.immutable {
                        assert_eq!(now.tier, then.tier, "seed {seed}");
                        assert!(now.stability >= then.stability, "seed {seed}: {now:?}");
                    }
                }
                let settled = world.memories().await;
                world.dream().await;
                assert_same(&settled, &world.memories().await, &format!("seed {seed}"));
            }
        });
    }
}
