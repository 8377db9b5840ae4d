//! Routes: what the profile of the seeds does with a question for memories, by what the question is after.

use crate::rhythm::world::{World, about, day, memory, related};
use cairn_domain::{Category, Memory, RecordKind, RelationKind, Role};
use cairn_engine::{Effects, Hit, Profile, Question, Recall, intent::Route, score::Part};
use cairn_store::MemoryAttachments;
use cairn_testkit::{run, say};

async fn ask(world: &World, text: &str, route: Route) -> Recall {
    let kinds = vec![RecordKind::Memory];
    let question = Question { kinds, k: 40, profile: Profile::seed(), ..Question::new(text) };
    let recall = world.agent.answer(question, Effects::None).await.expect("an answer");
    assert_eq!(recall.intent.route, route, "{text}");
    recall
}

fn part(hit: &Hit, name: Part) -> f64 {
    hit.explanation.score.part(name)
}

fn texts(recall: &Recall) -> Vec<&str> {
    recall.hits.iter().map(|hit| hit.found.text()).collect()
}

fn hit<'r>(recall: &'r Recall, text: &str) -> &'r Hit {
    let found = recall.hits.iter().find(|hit| hit.found.text() == text);
    found.unwrap_or_else(|| panic!("“{text}” is no hit: {:?}", texts(recall)))
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

/// Memories about one thing, each a little more useful and a day newer than the one before it.
async fn fill(world: &World, count: i64) {
    let one = |at: i64| {
        let text = format!("The kiln in hall {at} fires at {} degrees.", 1_000 + at);
        let (valid_from, utility) = (day(at - count), 0.2 + at as f64 / 100.0);
        (Memory { valid_from, utility, ..memory(&text) }, MemoryAttachments::default())
    };
    world.make((0..count).map(one).collect()).await;
}

/// covers: C-137, C-142, C-191
#[test]
fn a_fact_and_anything_else_get_ten_hits_and_a_little_for_use() {
    run(async {
        let world = World::new().await;
        fill(&world, 30).await;
        for (text, route) in
            [("Which kiln fires in hall 7?", Route::Factual), ("kiln fires degrees hall", Route::General)]
        {
            let recall = ask(&world, text, route).await;
            assert_eq!(recall.hits.len(), 10, "{text}");
            for hit in &recall.hits {
                let utility = match &hit.found {
                    cairn_engine::Found::Memory(record, _) => record.memory.utility,
                    other => panic!("{other:?}"),
                };
                assert!(near(part(hit, Part::Utility), 0.2 * utility), "{hit:?}");
            }
        }
    });
}

/// covers: C-138, C-191
#[test]
fn a_question_for_a_time_gets_fifteen_the_newest_first_with_what_no_longer_holds() {
    run(async {
        let world = World::new().await;
        fill(&world, 30).await;
        let recall = ask(&world, "When did the kiln fire in the halls?", Route::Temporal).await;
        assert_eq!(recall.hits.len(), 15);
        assert!(recall.hits.is_sorted_by(|a, b| a.found.at() >= b.found.at()), "{:?}", texts(&recall));
        for (id, text) in [("1", "I live in Lisbon."), ("2", "I moved to Porto, I live in Porto now.")] {
            let kept = world.agent.remember(say(id, id, Role::User, text)).await.expect("kept");
            world.agent.form_message(kept.message).await.expect("formed");
            world.clock.pass_ms(86_400_000);
        }
        let recall = ask(&world, "When did I live in Lisbon?", Route::Temporal).await;
        let place = |word: &str| texts(&recall).iter().position(|text| text.contains(word));
        let (porto, lisbon) = (place("Porto"), place("Lisbon"));
        assert!(porto.is_some() && porto < lisbon, "{:?}", texts(&recall));
    });
}

/// covers: C-115, C-139, C-191, W-48
#[test]
fn a_question_for_a_reason_follows_causes_for_two_hops() {
    run(async {
        let world = World::new().await;
        let unrelated = related(MemoryAttachments::default(), 0, RelationKind::SameEntity);
        world
            .make(vec![
                (memory("The big kiln cracked on Monday."), MemoryAttachments::default()),
                (
                    memory("Damp clay stood in the shed."),
                    related(MemoryAttachments::default(), 0, RelationKind::Causes),
                ),
                (
                    memory("Rain came through the roof."),
                    related(MemoryAttachments::default(), 1, RelationKind::Elaborates),
                ),
                (
                    memory("A storm lifted two tiles."),
                    related(MemoryAttachments::default(), 2, RelationKind::Causes),
                ),
                (memory("Zoe paints the fence."), unrelated),
            ])
            .await;
        let recall = ask(&world, "Why did the big kiln crack?", Route::Causal).await;
        let far = |text: &str| part(hit(&recall, text), Part::Graph);
        let (one, two) = (far("Damp clay stood in the shed."), far("Rain came through the roof."));
        assert!(near(one, 0.4 * 0.9), "one sure step: {one}");
        assert!(near(two, 0.4 * 0.9 * 0.9 * 61.0 / 62.0), "two steps are worth less: {two}");
        let found = texts(&recall);
        assert!(!found.contains(&"A storm lifted two tiles."), "three hops are too far: {found:?}");
        assert!(!found.contains(&"Zoe paints the fence."), "not over any relation: {found:?}");
        let plain = ask(&world, "Which kiln cracked on Monday?", Route::Factual).await;
        assert_eq!(texts(&plain), ["The big kiln cracked on Monday."], "a fact is asked of its words");
    });
}

/// covers: C-42, C-140, C-191
#[test]
fn a_question_about_somebody_brings_all_that_names_them_the_useful_first() {
    run(async {
        let world = World::new().await;
        let useful = |text: &str, utility: f64| Memory { utility, ..memory(text) };
        world
            .make(vec![
                (useful("The bakery opens at six.", 0.3), about("bakery", &["Porto"])),
                (useful("The tram ends at the river.", 0.9), about("tram", &["Porto", "Lisbon"])),
                (useful("The kiln is cold.", 1.0), about("kiln", &["Braga"])),
            ])
            .await;
        let recall = ask(&world, "Tell me everything about Porto.", Route::EntityProfile).await;
        assert_eq!(texts(&recall), ["The tram ends at the river.", "The bakery opens at six."]);
        assert!(near(part(&recall.hits[0], Part::Utility), (0.2 + 0.3) * 0.9), "{:?}", recall.hits[0]);
        for (text, entities) in
            [("The tram in Porto, near Lisbon, ends?", 0.2), ("The tram in Porto ends?", 0.1)]
        {
            let recall = ask(&world, text, Route::General).await;
            let tram = part(hit(&recall, "The tram ends at the river."), Part::Entities);
            assert!(near(tram, entities), "{text}: {tram}");
        }
    });
}

/// covers: C-141, C-191
#[test]
fn a_question_for_wishes_gets_nothing_but_preferences_and_corrections() {
    run(async {
        let world = World::new().await;
        let of = |text: &str, category, utility| Memory { category, utility, ..memory(text) };
        world
            .make(vec![
                (of("User likes green tea.", Category::Preference, 0.4), MemoryAttachments::default()),
                (
                    of("User likes black tea, not green tea.", Category::Correction, 0.9),
                    MemoryAttachments::default(),
                ),
                (of("Green tea costs four euros.", Category::Fact, 1.0), MemoryAttachments::default()),
            ])
            .await;
        let recall = ask(&world, "Which tea do I like?", Route::Preference).await;
        assert_eq!(texts(&recall), ["User likes black tea, not green tea.", "User likes green tea."]);
    });
}

/// covers: C-206
#[test]
fn a_memory_that_feels_as_the_question_does_counts_a_tenth_more() {
    run(async {
        let world = World::new().await;
        let felt = |text: &str, valence| Memory { valence, ..memory(text) };
        world
            .make(vec![
                (felt("The kiln broke on the wedding day.", -0.6), MemoryAttachments::default()),
                (felt("The kiln won a prize that day.", 0.6), MemoryAttachments::default()),
            ])
            .await;
        let recall = ask(&world, "terrible awful kiln day", Route::General).await;
        let (sad, glad) = (
            hit(&recall, "The kiln broke on the wedding day."),
            hit(&recall, "The kiln won a prize that day."),
        );
        assert!(near(part(glad, Part::Mood), 0.0), "{glad:?}");
        let before: f64 =
            sad.explanation.score.parts.iter().take_while(|it| it.name != Part::Mood).map(|it| it.adds).sum();
        assert!(near(part(sad, Part::Mood), 0.1 * before), "{sad:?}");
    });
}

/// covers: C-196
#[test]
fn what_was_given_three_times_with_another_hit_counts_a_twentieth_more() {
    run(async {
        let world = World::new().await;
        world
            .make(vec![
                (memory("The kiln stands in the yard."), MemoryAttachments::default()),
                (memory("The kiln burns beech wood."), MemoryAttachments::default()),
                (memory("The kiln was built by Zoe."), MemoryAttachments::default()),
            ])
            .await;
        let together = vec![(0, 1)];
        for times in 0..3 {
            let recall = ask(&world, "kiln", Route::General).await;
            let lent = recall.hits.iter().filter(|hit| part(hit, Part::Together) > 0.0).count();
            assert_eq!(lent, 0, "given together {times} times");
            let given = [0, 1].map(|number| (number, memory("given")));
            world.store.give(given.to_vec(), together.clone(), day(0)).await.expect("given");
        }
        let recall = ask(&world, "kiln", Route::General).await;
        let lent: Vec<&str> = recall
            .hits
            .iter()
            .filter(|hit| near(part(hit, Part::Together), 0.05))
            .map(|hit| hit.found.text())
            .collect();
        assert_eq!(lent.len(), 2, "{lent:?}");
        assert!(!lent.contains(&"The kiln was built by Zoe."), "{lent:?}");
    });
}

/// covers: K-10, X-B13
#[test]
fn of_equal_scores_what_is_always_at_hand_comes_first() {
    run(async {
        let world = World::new().await;
        let pinned = Memory { pinned: true, ..memory("The kiln is red.") };
        let newer = Memory { valid_from: day(0), ..memory("The kiln is blue.") };
        world
            .make(vec![
                (Memory { valid_from: day(-9), ..pinned }, MemoryAttachments::default()),
                (newer, MemoryAttachments::default()),
            ])
            .await;
        let mut profile = Profile::seed();
        profile.memory.similarity = 0.0;
        (profile.memory.activation, profile.memory.importance, profile.memory.ranks) = (0.0, 0.0, 0.0);
        let question = Question {
            kinds: vec![RecordKind::Memory],
            session: Some("s1".to_owned()),
            profile,
            ..Question::new("kiln")
        };
        let recall = world.agent.answer(question.clone(), Effects::None).await.expect("an answer");
        assert!(near(recall.hits[0].score, recall.hits[1].score), "{:?}", recall.hits);
        assert_eq!(texts(&recall), ["The kiln is red.", "The kiln is blue."]);
        let red = world.memory("The kiln is red.").await.memory.id;
        world.agent.unpin_memory(red).await.expect("unpinned");
        let recall = world.agent.answer(question, Effects::None).await.expect("an answer");
        assert_eq!(texts(&recall), ["The kiln is blue.", "The kiln is red."], "otherwise the later does");
    });
}
