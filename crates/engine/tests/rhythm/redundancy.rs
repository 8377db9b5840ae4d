//! Duplicates: in the same words, and near each other according to the real model.

use crate::rhythm::world::{CONFIG, START, World, about, assert_same, memory};
use cairn_domain::{Memory, Tier};
use cairn_engine::models::{ModelSource, ModelStatus, install, installed};
use cairn_store::MemoryAttachments;
use cairn_testkit::run;
use std::{
    env,
    path::{Path, PathBuf},
};

/// A folder with the real model, if it can be had.
async fn models() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("CAIRN_TEST_MODELS").map(PathBuf::from) {
        assert_eq!(installed(&folder), ModelStatus::Installed, "{}", folder.display());
        return Some(folder);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("test-models");
    let installed = install(&folder, &ModelSource::defaults()[..1], &|_| ()).await;
    installed.inspect_err(|error| println!("SKIPPED: {error}")).is_ok().then_some(folder)
}

async fn resting(world: &World) -> Vec<String> {
    let all = world.all().await.into_iter().filter(|record| record.memory.tier == Tier::Dormant);
    let mut texts: Vec<String> = all.map(|record| record.memory.text).collect();
    texts.sort();
    texts
}

fn lasting(text: &str, utility: f64) -> (Memory, MemoryAttachments) {
    (Memory { stability: 400.0, utility, ..memory(text) }, about(text, &[]))
}

/// covers: C-85, C-95, X-C21
#[test]
fn of_two_in_the_same_words_the_less_useful_rests_and_what_is_held_stays() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let world = World::with(folder.path(), START, &format!("{CONFIG}batch = 2\n"), |home| home).await;
        let mut made = Vec::new();
        for at in 0..5 {
            made.push(lasting(&format!("The kiln fires at {at}010 degrees."), 0.6));
            made.push(lasting(&format!("The  KILN fires at {at}010 degrees"), 0.5));
        }
        let pinned =
            |text: &str| (Memory { pinned: true, ..lasting(text, 0.1).0 }, MemoryAttachments::default());
        made.extend([pinned("Ana likes tulips."), lasting("ana likes tulips", 0.9)]);
        made.extend([lasting("User likes C++.", 0.5), lasting("User likes C.", 0.4)]);
        world.make(made).await;
        world.pass_days(1);
        let report = world.dream().await;
        let step = report.steps.iter().find(|step| step.name == "redundancy").expect("a step");
        assert_eq!((step.changed, step.note.as_str()), (5, "no memory has a vector"), "{step:?}");
        let expected: Vec<String> = (0..5).map(|at| format!("The  KILN fires at {at}010 degrees")).collect();
        assert_eq!(resting(&world).await, expected);
        let before = world.memories().await;
        world.dream().await;
        assert_same(&before, &world.memories().await, "a second time");
    });
}

/// covers: C-85, C-86, C-95, C-211
#[test]
fn by_the_real_model_what_says_the_same_rests_and_what_only_sounds_alike_stays() {
    run(async {
        let Some(models) = models().await else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let config = "[rhythms]\njitter_seconds = 0\n";
        let world =
            World::with(folder.path(), START, config, |home| home.with_models(models, |_| None)).await;
        world
            .make(vec![
                lasting("User lives in Lisbon.", 0.6),
                lasting("User currently lives in Lisbon.", 0.5),
                lasting("User always drinks coffee after lunch.", 0.6),
                lasting("User never drinks coffee after lunch.", 0.5),
                lasting("The billing service runs on 16 servers.", 0.6),
                lasting("The billing service runs on 17 servers.", 0.5),
            ])
            .await;
        world.agent.embed(&mut |_| {}).await.expect("embedded");
        world.pass_days(60);
        let report = world.dream().await;
        let step = report.steps.iter().find(|step| step.name == "redundancy").expect("a step");
        assert_eq!((step.looked_at >= 6, step.changed), (true, 1), "{step:?}");
        let resting = resting(&world).await;
        assert!(resting.contains(&"User currently lives in Lisbon.".to_owned()), "{resting:?}");
        let why = report.changes.iter().find(|change| change.step == "redundancy").expect("a change");
        assert!(why.reason.contains("cosine 0.9"), "{}", why.reason);
    });
}
