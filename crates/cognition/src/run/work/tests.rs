use super::*;
use cairn_domain::Time;

/// A shift at a shop: what was run, and what came back.
const WORK: [(&str, &str); 12] = [
    (
        "psql shop -c 'CREATE INDEX orders_email'",
        "ERROR:  canceling statement due to lock timeout\nexit code 1",
    ),
    ("psql shop -c 'CREATE INDEX CONCURRENTLY orders_email'", "CREATE INDEX"),
    ("npm run migrate", "error: column \"currency\" contains null values\nexit code 1"),
    ("npm run migrate", "migrated 1 file in 2.4 s"),
    ("npm test", "Tests: 3 failed, 118 passed\nexit code 1"),
    ("npm test", "Tests: 121 passed"),
    ("df -h /srv", "/dev/sda1 40G 38G 2.0G 95% /srv"),
    ("docker system prune -f", "Total reclaimed space: 11.2GB"),
    ("df -h /srv", "/dev/sda1 40G 27G 13G 68% /srv"),
    ("git push origin main", "remote: error: Protected branch update failed\nexit code 1"),
    ("git push origin HEAD:currency", "* [new branch] HEAD -> currency"),
    ("kubectl rollout status web", "deployment web successfully rolled out"),
];

fn checked(ask: impl Fn(&ToolWork<'_>) -> Vec<usize>) -> String {
    let calls: Vec<String> = WORK
        .iter()
        .map(|(line, _)| format!("Bash {{\"command\":\"{}\"}}", line.replace('"', "\\\"")))
        .collect();
    let message = |place: usize, text| {
        let at = Time::from_millis(place as i64 * 1000);
        (place, ToolMessage { exchange: 0, session: 0, speaker: "Bash", text, at, is_error: false })
    };
    let halves =
        WORK.iter().zip(&calls).enumerate().flat_map(|(at, ((_, result), call))| {
            [message(2 * at, call.as_str()), message(2 * at + 1, *result)]
        });
    let name = |place: usize| format!("{}{}", place / 2, if place.is_multiple_of(2) { "c" } else { "r" });
    ask(&ToolWork::read(halves)).into_iter().map(name).collect::<Vec<_>>().join(" ")
}

/// covers: C-259
#[test]
fn work_is_found_by_what_it_was_before_or_after_and_by_what_failed() {
    for (question, expected) in [
        ("What did I try before the migration?", "1c 1r 0c 0r"),
        ("What did the agent do after the tests passed?", "6c 6r 7c 7r 8c 8r 9c 9r"),
        ("testlerden sonra ne yaptım?", "6c 6r 7c 7r 8c 8r 9c 9r"),
        ("migrate çalıştırmadan önce ne denedim?", "1c 1r 0c 0r"),
        ("Why did the first migration fail?", "2r 2c"),
        ("Which tests failed?", "4r 4c"),
        ("Which commands failed?", "9r 9c 4r 4c 2r 2c 0r 0c"),
        ("Why did it fail at first?", "0r 0c 2r 2c 4r 4c 9r 9c"),
        ("What did I run last?", "11c 11r 10c 10r 9c 9r 8c 8r"),
        ("Where is the harbor?", ""),
    ] {
        assert_eq!(checked(|work| work.answering(question, &[])), expected, "{question}");
    }
}

/// covers: C-259
#[test]
fn an_older_result_knows_the_last_one_of_the_same_call() {
    for (place, expected) in [(13, "8r"), (17, ""), (12, ""), (5, "3r"), (9, "5r"), (19, ""), (1, "")] {
        let last = checked(|work| work.later_result(place).into_iter().collect());
        assert_eq!(last, expected, "{place}");
    }
}

/// covers: C-259
#[test]
fn what_worked_is_told_instead_of_what_failed_and_the_last_state_instead_of_an_older_one() {
    for (question, place, expected) in [
        ("Where did I push it?", 18, "10r 10c"),
        ("Why could I not push it?", 18, ""),
        ("How full is the disk now?", 13, "8r 8c"),
        ("How full was the disk?", 13, ""),
        ("How full is the disk now?", 17, ""),
    ] {
        let told = checked(|work| work.instead(question, place).map(Vec::from).unwrap_or_default());
        assert_eq!(told, expected, "{question}");
    }
}

/// covers: C-259
#[test]
fn the_course_of_a_state_what_fixed_a_failure_and_failures_by_meaning_are_told() {
    // Places as they would fit the question: a call is even, its result odd.
    for (question, ranked, expected) in [
        ("How did the use of the disk change?", &[15, 13, 8][..], "6r 8r"),
        ("Disk nasıl değişti?", &[12], "6r 8r"),
        ("How did the harbor change?", &[14], ""),
        ("How did I get the migration to work?", &[], "3c 3r"),
        ("What fixed the push?", &[], "10c 10r"),
        ("Dizin neden kurulamadı?", &[22, 1, 4], "0r 0c 2r 2c"),
    ] {
        assert_eq!(checked(|work| work.answering(question, ranked)), expected, "{question}");
    }
}

/// covers: C-259
#[test]
fn how_something_stands_is_its_last_result_unless_the_past_is_asked_for() {
    for (question, expected) in [
        ("How full is /srv?", "8r 8c"),
        ("How full is /srv in the end?", "8r 8c"),
        ("How full was /srv?", ""),
        ("How full was /srv in the end?", "8r 8c"),
        ("Why is /srv full?", ""),
    ] {
        let told = checked(|work| work.instead(question, 13).map(Vec::from).unwrap_or_default());
        assert_eq!(told, expected, "{question}");
    }
}
