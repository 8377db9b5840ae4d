//! Files become knowledge, and the knowledge follows them.

use cairn_domain::AgentName;
use cairn_engine::{Agent, Home, MemoryScope, Missing};
use cairn_testkit::{SimulatedClock, home, run};

const NOW: &str = "2026-11-15T10:00:00Z";

async fn agent(home: &Home) -> Agent {
    let name: AgentName = "main".parse().expect("a name");
    home.agent(&name, Missing::Create).await.expect("an agent")
}

/// covers: W-05, W-06, W-07
#[test]
fn files_become_knowledge_that_follows_them() {
    let (folder, home) = home(SimulatedClock::at(NOW));
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).expect("a folder");
    let file = notes.join("kiln.md");
    let write = |text: &str| std::fs::write(&file, text).expect("written");
    write(
        "# Kiln\n\nThe kiln in Porto fires at 1240 degrees.\n\n## Owner\n\n- The kiln belongs to Ana Prata.\n\
         - The kiln in the yard weighs 300 kilos.\n- The kiln belongs to Ana Prata.\n",
    );
    run(async {
        let agent = agent(&home).await;
        let mut seen = 0;
        let first = agent.learn(&notes, None, &mut |_| seen += 1).await.expect("read");
        assert_eq!((first.files, first.added, first.superseded, seen), (1, 3, 0, 1));
        let again = agent.learn(&notes, None, &mut |_| ()).await.expect("read");
        assert_eq!((again.added, again.unchanged), (0, 3));
        write("# Kiln\n\nThe kiln in Porto fires at 1260 degrees.\n");
        let changed = agent.learn(&notes, None, &mut |_| ()).await.expect("read");
        assert_eq!((changed.added, changed.superseded), (1, 3));
        let standing = agent.memories(None, MemoryScope::Active, 9).await.expect("listed");
        assert_eq!(standing.len(), 1);
        assert!(standing[0].memory.text.contains("1260"));
        let why = agent.why_memory(standing[0].memory.id).await.expect("why");
        assert!(why.evidence[0].evidence.source.ends_with("kiln.md#L3-L3"), "{:?}", why.evidence);
        assert!(why.evidence[0].holds, "the file still says so");
        assert!(why.relations.iter().any(|related| related.other.memory.text.contains("1240")));
    });
}

/// covers: W-05
#[test]
fn a_file_that_is_too_large_is_left_out_with_a_word_about_it() {
    let (folder, home) = home(SimulatedClock::at(NOW));
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).expect("a folder");
    std::fs::write(notes.join("kiln.md"), "The kiln fires at 1240 degrees.").expect("written");
    std::fs::write(notes.join("log.txt"), vec![b'x'; (4 << 20) + 1]).expect("written");
    run(async {
        let agent = agent(&home).await;
        let report = agent.learn(&notes, None, &mut |_| ()).await.expect("read");
        assert_eq!((report.files, report.added, report.too_large, report.beyond_limit), (1, 1, 1, 0));
        assert_eq!(report.notes(), ["left out 1 file(s) larger than 4 MiB"]);
    });
}

/// covers: W-05
#[test]
fn what_is_taken_out_of_a_file_and_put_back_at_one_moment_holds_again() {
    let (folder, home) = home(SimulatedClock::at(NOW));
    let file = folder.path().join("kiln.md");
    let write = |text: &str| std::fs::write(&file, text).expect("written");
    run(async {
        let agent = agent(&home).await;
        let mut ids = Vec::new();
        for text in ["The kiln fires at 1240 degrees.", "", "The kiln fires at 1240 degrees."] {
            write(text);
            agent.learn(&file, None, &mut |_| ()).await.expect("read");
            let standing = agent.memories(None, MemoryScope::Active, 9).await.expect("listed");
            assert_eq!(standing.len(), usize::from(!text.is_empty()), "{text}");
            ids.extend(standing.iter().map(|record| record.memory.id));
        }
        assert_ne!(ids[0], ids[1], "another memory: the first one is over");
    });
}
