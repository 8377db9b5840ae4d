//! Knowledge from files in a prompt.

use super::{NOW, agent, brief};
use cairn_engine::{Effects, Question};
use cairn_testkit::{SimulatedClock, home, run};

/// covers: W-56, W-57, W-58
#[test]
fn the_same_words_of_two_files_are_shown_once_and_what_a_file_no_longer_says_is_not() {
    run(async {
        let (folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        let notes = folder.path().join("notes");
        std::fs::create_dir_all(&notes).expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(notes.join(name), text).expect("written");
        let paragraph = "The harbour gauge of Skagen is read at seven in the morning by the keeper.\n";
        write("a.md", paragraph);
        write("b.md", paragraph);
        agent.learn(&notes, None, &mut |_| {}).await.expect("learnt");
        let query = "When is the harbour gauge of Skagen read?";
        let text = brief(&agent, query, 2_000).await.text();
        assert_eq!(text.matches("at seven in the morning").count(), 1, "{text}");
        for name in ["a.md", "b.md"] {
            write(name, "The harbour gauge of Skagen is read at nine in the evening by nobody.\n");
        }
        agent.learn(&notes, None, &mut |_| {}).await.expect("learnt");
        let text = brief(&agent, query, 2_000).await.text();
        assert_eq!((text.matches("at seven").count(), text.matches("at nine").count()), (0, 1), "{text}");
    });
}

/// covers: W-59
#[test]
fn of_two_files_that_say_as_much_the_newer_comes_first() {
    run(async {
        let clock = SimulatedClock::at(NOW);
        let (folder, home) = home(clock.clone());
        let agent = agent(&home).await;
        let notes = folder.path().join("notes");
        std::fs::create_dir_all(&notes).expect("a folder");
        for (name, keeper) in [("b.md", "Anton"), ("a.md", "Bert")] {
            let text = format!("The harbour gauge of Skagen is read in the morning, says {keeper}.\n");
            std::fs::write(notes.join(name), text).expect("written");
            agent.learn(&notes, None, &mut |_| {}).await.expect("learnt");
            clock.pass_ms(30 * 86_400_000);
        }
        let question = Question::new("When is the harbour gauge of Skagen read?".to_owned());
        let hits = agent.answer(question, Effects::None).await.expect("hits").hits;
        let texts: Vec<&str> = hits.iter().map(|hit| hit.found.text()).collect();
        assert!(texts[0].contains("Bert") && texts[1].contains("Anton"), "{texts:?}");
    });
}
