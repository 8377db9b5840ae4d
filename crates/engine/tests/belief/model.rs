//! Random histories against a plain model: of a value that there is one of at a time, the last word of the user is held, and
//! whatever happens the invariants stand.

use crate::belief::world::World;
use cairn_domain::{BeliefStatus, Ref, Role};
use cairn_testkit::run;

const CITIES: [&str; 4] = ["Oslo", "Bergen", "Leeds", "Graz"];
const KEY: &str = "entity:user:identity:residence";

/// covers: K-115, K-116, K-117, X-K7, I1, I7
#[test]
fn random_histories_end_with_the_last_word() {
    for seed in 0..6_u64 {
        run(async {
            let mut random = fastrand::Rng::with_seed(seed);
            let world = World::new().await;
            let mut last: Option<&str> = None;
            for step in 0..24 {
                let city = CITIES[random.usize(..CITIES.len())];
                match random.u32(..6) {
                    0 | 1 => {
                        world.user(&format!("I live in {city} now.")).await;
                        last = Some(city);
                    }
                    2 => {
                        let standing = world.standing(KEY).await.filter(|_| last != Some(city));
                        if let Some(record) = standing
                            .filter(|record| last.is_some_and(|last| says(&record.belief.value, last)))
                        {
                            world
                                .correct(
                                    Ref::Belief(record.belief.id),
                                    Role::User,
                                    &format!("I live in {city}."),
                                )
                                .await;
                            last = Some(city);
                        }
                    }
                    3 => {
                        world.run("revalidation").await;
                    }
                    4 => {
                        world.run("dream").await;
                    }
                    _ => {
                        world.run("beliefs").await;
                    }
                }
                world.pass(random.i64(1..20));
                check(&world, &format!("seed {seed}, step {step}")).await;
            }
            world.run("beliefs").await;
            let held = world.standing(KEY).await.map(|record| record.belief.value);
            assert_eq!(held, last.map(str::to_lowercase), "seed {seed}: {:?}", world.story(KEY).await);
            check(&world, &format!("seed {seed}, at the end")).await;
        });
    }
}

fn says(value: &str, city: &str) -> bool {
    value == city.to_lowercase()
}

/// Invariants that hold after every step.
async fn check(world: &World, when: &str) {
    let mut all = world.all().await;
    all.sort_by_key(|record| record.number);
    let standing = all.iter().filter(|record| record.belief.status.stands() && record.belief.key == KEY);
    assert!(standing.count() <= 1, "{when}: one stands");
    let of_key: Vec<_> = all.iter().filter(|record| record.belief.key == KEY).collect();
    for pair in of_key.windows(2) {
        assert_eq!(pair[1].supersedes, Some(pair[0].number), "{when}: the chain has no gap");
        assert_ne!(pair[0].belief.status, BeliefStatus::Active, "{when}");
    }
    assert!(all.iter().all(|record| (0.0..=1.0).contains(&record.belief.confidence)), "{when}");
    let verification = world.agent.verify().await.expect("verified");
    assert_eq!(verification.findings, [], "{when}");
}
