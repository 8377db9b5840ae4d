use crate::common::{FILES, ID, copied_models, cosine, test_model};
use cairn_models::{
    ClauseInMessage, ClauseSpeaker, Embedder, LocalEmbedder, ModelError, RivalAnswers, TextPair, local_spec,
};
use serde::Deserialize;
use std::{fs, path::Path, time::Instant};

#[derive(Deserialize)]
struct Reference {
    name: String,
    text: String,
    tokens: usize,
    int8: Vec<f32>,
}

/// The references come from ONNX Runtime and the tokenizers of Python on the same file.
#[tokio::test]
async fn vectors_are_those_of_an_independent_implementation() {
    let Some(model) = test_model().await else { return };
    let references: Vec<Reference> =
        serde_json::from_str(include_str!("reference.json")).expect("references");
    assert_eq!(references.len(), 6);
    for Reference { name, text, tokens, int8 } in references {
        let vectors = model.embed_blocking(&[&text]).expect(&name);
        let cosine = cosine(&vectors[0], &int8);
        println!("{name}: {cosine}");
        assert!(cosine >= 0.98, "{name}: {cosine}");
        assert_eq!(model.count_tokens(&text).min(model.spec().max_tokens), tokens, "{name}");
    }
}

#[tokio::test]
async fn paraphrases_are_nearer_than_unrelated_texts() {
    let Some(model) = test_model().await else { return };
    for (text, paraphrase, unrelated) in [
        (
            "The server ran out of memory.",
            "The machine had no RAM left.",
            "We planted tomatoes in the garden.",
        ),
        ("When is the release?", "On which date do we ship the version?", "The cat sleeps on the sofa."),
        ("She likes her coffee black.", "He takes coffee without milk.", "The build fails on Windows."),
    ] {
        let vectors = model.embed_blocking(&[text, paraphrase, unrelated]).expect("vectors");
        let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
        assert!(near > far + 0.2, "{text}: {near} {far}");
    }
}

/// covers: X-W4
#[tokio::test]
async fn unrelated_texts_have_about_the_cosine_the_calibration_says() {
    let Some(model) = test_model().await else { return };
    let texts = [
        "The server ran out of memory.",
        "We planted tomatoes in the garden.",
        "The cat sleeps on the sofa.",
        "Her flight to Lisbon was late again.",
        "The invoice of March is still unpaid.",
        "A fugue has several voices.",
        "The left knee hurts after running.",
        "Parliament voted on the new tax.",
    ];
    let vectors = model.embed_blocking(&texts).expect("vectors");
    let pairs = (0..texts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let cosines: Vec<f32> = pairs.map(|(a, b)| cosine(&vectors[a], &vectors[b])).collect();
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    assert!((mean - model.spec().calibration.unrelated).abs() < 0.03, "{mean}");
}

#[tokio::test]
async fn a_text_has_the_same_vector_alone_and_among_others_in_the_order_of_the_texts() {
    let Some(model) = test_model().await else { return };
    let texts: Vec<String> =
        (0..70).map(|n| format!("note {n} says {}", "word ".repeat(n * 13 % 90))).collect();
    let together = model.embed(&texts).await.expect("vectors");
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5, "{text}: {length}");
        let alone = model.embed_blocking(&[text]).expect("a vector");
        let off = alone[0].iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-6, "{text}: {off}");
    }
    assert!(model.embed(&[]).await.expect("nothing").is_empty());
}

#[tokio::test]
async fn odd_texts_have_vectors_too() {
    let Some(model) = test_model().await else { return };
    let (long, word) = ("all work and no play ".repeat(500_000), "x".repeat(10_000_000));
    let spaces = " ".repeat(10_000_000);
    let marks = "[CLS] [SEP] [MASK] [PAD] [UNK]";
    for text in ["", " ", "\0", "a\0b", "\n\r\t", "🎉🚀😀", "\u{200d}\u{fe0f}", "ﷺ", "e\u{301}", marks]
    {
        let vectors = model.embed_blocking(&[text]).expect(text);
        assert_eq!(vectors[0].len(), 384, "{text:?}");
        assert!(model.count_tokens(text) >= 2, "{text:?}");
    }
    for text in [&long, &word, &spaces] {
        let begin = Instant::now();
        assert_eq!(model.embed_blocking(&[text]).expect("a vector")[0].len(), 384);
        assert!(model.count_tokens(text) >= 2);
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }
    assert!(model.count_tokens(&long) > 2_400_000, "a long text is counted by its beginning");
    assert_eq!(model.count_tokens("hello world"), 4);
    assert!(model.count_tokens(marks) > 7, "marks of the model are plain words in a text");
}

#[tokio::test]
async fn a_long_text_is_cut_at_256_tokens() {
    let Some(model) = test_model().await else { return };
    let (long, longer) = ("word ".repeat(254), "word ".repeat(254) + &"other ".repeat(90));
    assert_eq!(model.count_tokens(&long), 256);
    assert_eq!(model.spec().max_tokens, 256);
    assert_eq!(
        model.embed_blocking(&[&long]).expect("a vector"),
        model.embed_blocking(&[&longer]).expect("a vector")
    );
}

/// covers: W-214
#[tokio::test]
async fn an_exchange_is_embedded_within_a_tenth_of_a_second() {
    let Some(model) = test_model().await else { return };
    let said = "We decided to move the pottery class to Thursday because the kiln is fired on Wednesdays. "
        .repeat(3);
    let exchange = [said.clone(), said.to_uppercase()];
    let mut quickest = std::time::Duration::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        model.embed(&exchange).await.expect("vectors");
        quickest = quickest.min(begun.elapsed());
    }
    assert!(quickest.as_millis() < 100, "it took {quickest:?}");
}

fn load_damaged(folder: &Path) -> ModelError {
    let error = LocalEmbedder::load(folder, local_spec()).err().expect("damage is noticed");
    assert_eq!(error.hint(), "run `cairn init` to install it again", "{error}");
    error
}

fn noise(size: u64) -> Vec<u8> {
    fastrand::seed(7);
    (0..size).map(|_| fastrand::u8(..)).collect()
}

#[tokio::test]
async fn a_damaged_file_is_told_and_named() {
    for file in FILES {
        let Some(models) = copied_models().await else { return };
        let (folder, path) = (models.path().join(ID), models.path().join(ID).join(file));
        let size = fs::metadata(&path).expect("there").len();
        fs::write(&path, noise(size)).expect("written");
        let error = load_damaged(&folder);
        assert!(error.to_string().contains(file), "garbage: {error}");
        fs::write(&path, vec![0; size as usize]).expect("written");
        let error = load_damaged(&folder);
        assert!(error.to_string().contains(file), "zeros: {error}");
        fs::write(&path, noise(size / 2)).expect("written");
        let error = load_damaged(&folder).to_string();
        assert!(error.contains(file) && error.contains(&size.to_string()), "half: {error}");
        fs::remove_file(&path).expect("removed");
        let error = load_damaged(&folder);
        assert!(error.to_string().contains(file), "gone: {error}");
    }
}

#[tokio::test]
async fn a_model_with_a_few_wrong_bytes_loads_or_is_told_and_never_panics() {
    let Some(models) = copied_models().await else { return };
    let path = models.path().join(ID).join(FILES[0]);
    let whole = fs::read(&path).expect("read");
    fastrand::seed(11);
    for round in 0..12 {
        let mut bytes = whole.clone();
        for _ in 0..4 {
            let reach = if round % 2 == 0 { 100_000 } else { bytes.len() };
            bytes[fastrand::usize(..reach)] = fastrand::u8(..);
        }
        fs::write(&path, bytes).expect("written");
        if let Err(error) = LocalEmbedder::load(&models.path().join(ID), local_spec()) {
            println!("{round}: {error}");
        }
    }
}

#[tokio::test]
async fn a_model_of_another_dimension_is_refused() {
    let Some(models) = copied_models().await else { return };
    let mut spec = local_spec();
    spec.dimension = 768;
    let error = LocalEmbedder::load(&models.path().join(ID), spec).err().expect("refused");
    assert!(matches!(error, ModelError::WrongDimension { expected: 768, found: 384, .. }), "{error}");
    assert_eq!(error.hint(), "run `cairn init` to install it again");
}

#[test]
fn a_model_that_is_not_there_is_not_installed() {
    let empty = tempfile::tempdir().expect("a folder");
    let error = LocalEmbedder::load(&empty.path().join("nothing"), local_spec()).err().expect("refused");
    assert!(matches!(error, ModelError::NotInstalled { .. }), "{error}");
    assert_eq!(error.hint(), "run `cairn init` to install it");
}

/// Prints figures: `cargo test --release -p cairn-models -- --ignored --nocapture figures`.
#[tokio::test]
#[ignore = "figures, not a proof"]
async fn figures() {
    let Some(models) = copied_models().await else { return };
    let begin = Instant::now();
    let model = LocalEmbedder::load(&models.path().join(ID), local_spec()).expect("the model loads");
    println!("load: {:?}", begin.elapsed());
    let words =
        ["memory", "of", "an", "agent", "is", "a", "folder", "where", "each", "exchange", "has", "its"];
    let text = |count: usize| (0..count).map(|_| words[fastrand::usize(..12)]).collect::<Vec<_>>().join(" ");
    for count in [10, 30, 118] {
        let mut times = Vec::new();
        for _ in 0..101 {
            let texts = [text(count)];
            let begin = Instant::now();
            model.embed(&texts).await.expect("a vector");
            times.push(begin.elapsed());
        }
        times.sort();
        println!("one text of {} tokens: p50 {:?}, p95 {:?}", count + 2, times[50], times[95]);
    }
    let texts: Vec<String> = (0..256).map(|_| text(118)).collect();
    let begin = Instant::now();
    model.embed(&texts).await.expect("vectors");
    println!("256 texts of 120 tokens: {:.1} a second", 256.0 / begin.elapsed().as_secs_f64());
}

/// covers: C-18
#[tokio::test]
async fn two_statements_are_read_at_once() {
    let Some(model) = test_model().await else { return };
    let odds = |known, before, new| {
        let read = model.change_odds(&TextPair { known, before, new });
        read.expect("the local model reads pairs").expect("it reads this one")
    };
    for (known, before, changed, unchanged) in [
        (
            "Board review is Wednesday 11:00 in room Juniper.",
            "",
            "Facilities double-booked us, board review goes to Cedar, hour unchanged.",
            "Is there a whiteboard in room Juniper?",
        ),
        (
            "I drink four cups of coffee before noon.",
            "",
            "proud moment: down from four to a single cup",
            "my brother drinks six cups a day, no idea how he sleeps",
        ),
        (
            "Rehearsal is on Tuesdays at eight.",
            "When is rehearsal again?",
            "Thursdays at eight, since the new conductor.",
            "Will you bring the scores?",
        ),
    ] {
        let (change, near_miss) = (odds(known, before, changed), odds(known, before, unchanged));
        println!("{change} {near_miss}: {known}");
        assert!(change > near_miss + 0.5, "{known}: {change} and {near_miss}");
    }
    let long = "und so weiter ".repeat(5_000);
    assert!(odds(&long, &long, &long).is_finite(), "a long text is cut");
    assert!(odds("", "", "").is_finite(), "so is nothing read");
}

/// covers: C-123
#[tokio::test]
async fn of_two_answers_the_one_that_holds_now_is_told() {
    let Some(model) = test_model().await else { return };
    let odds = |question, older, before_newer, newer| {
        let rivals = RivalAnswers { question, before_older: "", older, before_newer, newer };
        model.newer_answer_odds(&rivals).expect("the local model reads rivals").expect("it reads these")
    };
    for (question, older, changed, unchanged) in [
        (
            "Which room is the board review in?",
            "Board review is Wednesday 11:00 in room Juniper.",
            "Facilities double-booked us, board review goes to Cedar, hour unchanged.",
            "Is there a whiteboard in room Juniper?",
        ),
        (
            "Where do I live?",
            "I live in Porto, near the market.",
            "All boxes are unpacked, Lisbon it is from now on.",
            "My sister moved to Lisbon last week.",
        ),
        (
            "What do I drink in the morning?",
            "I drink coffee in the morning, two cups.",
            "I gave up coffee, it's green tea every morning now.",
            "The tram was late again this morning.",
        ),
    ] {
        let (change, near_miss) = (odds(question, older, "", changed), odds(question, older, "", unchanged));
        println!("{change} {near_miss}: {question}");
        assert!(change > 0.5 && near_miss < 0.0, "{question}: {change} and {near_miss}");
    }
    let long = "und so weiter ".repeat(5_000);
    assert!(odds(&long, &long, &long, &long).is_finite(), "long texts are cut");
}

#[tokio::test]
async fn a_clause_that_somebody_would_write_down_is_told_from_talk() {
    let Some(model) = test_model().await else { return };
    let odds = |clause, before, message| {
        let speaker = ClauseSpeaker::Person;
        let text = ClauseInMessage { clause, speaker, before, message };
        model.worth_odds(&text).expect("the local model reads clauses").expect("it reads this one")
    };
    for (message, told, talk) in [
        ("bandsaw's down, blade popped. lol what a day.", "bandsaw's down, blade popped.", "lol what a day."),
        (
            "omg the sunset is unreal. The landlord called: rent is due on the 5th.",
            "The landlord called: rent is due on the 5th.",
            "omg the sunset is unreal.",
        ),
    ] {
        let (told, talk) = (odds(told, "", message), odds(talk, "", message));
        println!("{told} {talk}: {message}");
        assert!(told > talk + 1.0, "{message}: {told} and {talk}");
    }
    let long = "und so weiter ".repeat(5_000);
    assert!(odds(&long, &long, &long).is_finite(), "a long text is cut");
    assert!(odds("", "", "").is_finite(), "so is nothing read");
    assert!(odds("not in there", "", "Something else.").is_finite(), "wherever the clause stands");
}
