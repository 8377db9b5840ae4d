use super::{command::command_steps, *};
use cairn_domain::Time;

/// covers: C-257
#[test]
fn a_command_is_known_without_its_arguments() {
    for (line, kinds) in [
        ("cargo test -p tides -- --nocapture", &["cargo test"][..]),
        ("cd app && npm run build 2>&1 | tail -5", &["npm run build"]),
        ("RUST_LOG=debug timeout 30 cargo +nightly run", &["cargo run"]),
        ("git commit -m 'fix; and test' && git push origin main", &["git commit", "git push"]),
        (
            "python -m pytest tests/a.py; python3 manage.py migrate users",
            &["pytest", "python3 manage.py migrate"],
        ),
        ("npx prisma generate", &["prisma generate"]),
        ("git -C /srv/app status", &["git status"]),
        ("make -j4 check > log.txt", &["make check"]),
        ("cat <<'EOF' > x\nrm -rf /\nEOF", &["cat"]),
        ("python -c 'print(1)'", &["python"]),
        ("bash -lc 'cargo fmt && cargo doc'", &["cargo fmt", "cargo doc"]),
        ("for f in *.rs; do rustfmt $f; done", &["rustfmt"]),
        ("docker compose up -d || true", &["docker compose up"]),
        ("", &[]),
    ] {
        let found: Vec<String> = command_steps(line).into_iter().map(|command| command.kind).collect();
        assert_eq!(found, kinds, "{line}");
    }
    let written = &command_steps("git commit -m 'fix the tide' -- $FILES")[0].written;
    assert_eq!(written, "git commit -m 'fix the tide' -- …");
}

/// The steps of a history: `exchange tool call -> result` a line; the result of what failed begins with `!`. Ten exchanges are
/// a session.
fn history(lines: &str) -> Vec<ToolStep> {
    let mut texts: Vec<[String; 2]> = Vec::new();
    let mut heads: Vec<(i64, &str)> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (called, result) = line.split_once(" -> ").expect("a result");
        let mut words = called.splitn(3, ' ');
        let mut word = || words.next().expect("exchange, tool and call");
        let (exchange, tool, input) = (word().parse().expect("a number"), word(), word());
        let field = if tool == "Bash" { "command" } else { "file_path" };
        heads.push((exchange, tool));
        texts.push([format!("{tool} {{\"{field}\":\"{input}\"}}"), result.to_owned()]);
    }
    let mut messages = Vec::new();
    for ((exchange, speaker), texts) in heads.into_iter().zip(&texts) {
        for text in texts {
            let (at, session) = (Time::from_millis(messages.len() as i64 * 2_000), exchange / 10);
            let (is_error, text) = (text.starts_with('!'), text.trim_start_matches('!'));
            messages.push(ToolMessage { exchange, session, speaker, text, at, is_error });
        }
    }
    tool_steps(&messages)
}

fn skill_named(steps: &[ToolStep], kind: &str) -> ToolSkill {
    tool_skills(steps).into_iter().find(|skill| skill.kind == kind).expect(kind)
}

fn fixes(steps: &[ToolStep], kind: &str) -> Vec<String> {
    let failure = skill_named(steps, kind).failure.expect("it failed");
    failure.fixed_by.iter().map(|at| steps[*at].label.clone()).collect()
}

/// covers: C-257
#[test]
fn a_tally_says_how_often_it_worked_how_long_it_took_how_it_failed_and_what_fixed_it() {
    let steps = history(
        "1 Bash cargo test -> ok
         2 Bash cargo test -> !Exit code 101
         2 Read src/lib.rs -> error: this is what the file says
         2 Edit src/lib.rs -> updated
         2 Bash cargo test --all -> ok
         3 Bash psql -c x -> !refused
         3 Bash psql -h db -c x -> done
         4 Bash npm run lint -> !broken
         11 Bash npm run lint -> fine",
    );
    let test = skill_named(&steps, "cargo test");
    assert_eq!((test.tried, test.worked, test.median_ms), (3, 2, Some(2_000)));
    assert_eq!(fixes(&steps, "cargo test"), ["Edit lib.rs"]);
    assert_eq!(fixes(&steps, "psql"), ["psql"], "the same, written otherwise");
    assert!(fixes(&steps, "npm run lint").is_empty(), "another session tells nothing");
    assert_eq!(skill_named(&steps, "Read").worked, 1, "what a file says is no failure");
}

/// covers: C-257
#[test]
fn whether_a_step_worked_is_read_from_the_host_the_code_and_the_output() {
    for (call, result, outcomes) in [
        ("make check", "all fine", &[ToolOutcome::Worked][..]),
        ("make check", "!anything", &[ToolOutcome::Failed]),
        ("make check", "make: *** [Makefile:3: check] Error 2", &[ToolOutcome::Failed]),
        ("pytest", "===== 1 failed, 9 passed in 0.1s =====", &[ToolOutcome::Failed]),
        ("pytest", "===== 9 passed, 0 failed in 0.1s =====", &[ToolOutcome::Worked]),
        ("grep -r error", "error: quoted", &[ToolOutcome::Worked]),
        ("make fmt && make check", "!anything", &[ToolOutcome::Unknown, ToolOutcome::Failed]),
        ("make check", "!The user doesn't want to proceed with this tool use.", &[ToolOutcome::Refused]),
        ("make check", "!Request interrupted by user", &[]),
    ] {
        let steps = history(&format!("1 Bash {call} -> {result}"));
        let found: Vec<ToolOutcome> = steps.iter().map(|step| step.outcome).collect();
        assert_eq!(found, outcomes, "{call}: {result}");
    }
    let told =
        |code: u32| format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nerror: x");
    for (code, outcome) in [(0, ToolOutcome::Worked), (1, ToolOutcome::Failed)] {
        let (result, at) = (told(code), Time::from_millis(0));
        let message =
            |text| ToolMessage { exchange: 1, session: 1, speaker: "shell", text, at, is_error: false };
        let call = message(r#"shell {"command":["bash","-lc","cargo build && cargo test"]}"#);
        let steps = tool_steps(&[call, message(&result)]);
        assert_eq!((steps[1].kind.as_str(), steps[1].outcome), ("cargo test", outcome));
    }
}

#[test]
fn the_line_that_tells_how_it_failed_is_the_one_that_names_an_error() {
    for (output, line) in [
        (
            "Exit code 101\nrunning 3 tests\nerror[E0432]: unresolved import",
            "error[E0432]: unresolved import",
        ),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", "File has not been read yet."),
        ("Exit code 1\nrefused\nby the server", "refused"),
        ("", ""),
    ] {
        assert_eq!(failure_line(output), line);
    }
}

fn labels(procedures: &[Procedure]) -> Vec<String> {
    let label = |procedure: &Procedure| {
        procedure.steps.iter().map(|step| step.label.as_str()).collect::<Vec<_>>().join(" > ")
    };
    procedures.iter().map(label).collect()
}

const THREE_TIMES: &str = "
    1 Edit db/schema.sql -> updated
    1 Bash make migrate -> ok
    1 Bash make check -> ok
    2 Bash ls -> a
    2 Edit db/schema.sql -> updated
    2 Read notes.md -> text
    2 Bash make migrate -> !Exit code 1
    2 Bash make migrate -> ok
    2 Bash make check -> ok
    3 Edit web/page.css -> updated
    11 Edit db/schema.sql -> updated
    11 Bash make migrate -> ok
    11 Bash make check -> ok";

/// covers: C-258
#[test]
fn what_worked_three_times_in_the_same_order_is_a_procedure_until_it_fails() {
    let whole = "Edit schema.sql > make migrate > make check";
    let mined = mined_procedures(&history(THREE_TIMES));
    assert_eq!(labels(&mined), [whole]);
    assert_eq!((mined[0].uses.len(), mined[0].failed_since, mined[0].confidence), (3, 0, 0.75));
    let twice = THREE_TIMES.replace("11 ", "3 ").replace("3 Bash make check -> ok", "");
    assert!(mined_procedures(&history(&twice)).is_empty(), "twice is not enough");
    let failing =
        format!("{THREE_TIMES}\n12 Edit db/schema.sql -> updated\n12 Bash make migrate -> !Exit code 1");
    let mined = mined_procedures(&history(&failing));
    assert_eq!((labels(&mined), mined[0].failed_since), (vec![whole.to_owned()], 1));
    assert!((mined[0].confidence - 0.375).abs() < 1e-12, "{mined:?}");
    assert!((procedure_confidence(3, 1) - 0.375).abs() < 1e-12);
    let again = format!(
        "{failing}\n13 Edit db/schema.sql -> ok\n13 Bash make migrate -> ok\n13 Bash make check -> ok"
    );
    assert_eq!(mined_procedures(&history(&again))[0].failed_since, 0);
}

/// covers: C-258
#[test]
fn steps_in_any_order_are_no_procedure() {
    let steps = ["Bash make migrate -> ok", "Bash make check -> ok", "Bash make docs -> ok"];
    let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]];
    let line = |(exchange, order): (usize, &[usize; 3])| {
        order.map(|step| format!("{} {}\n", exchange + 1, steps[step])).concat()
    };
    let lines: String = orders.iter().enumerate().map(line).collect();
    assert_eq!(labels(&mined_procedures(&history(&lines))), Vec::<String>::new());
}

/// covers: C-258
#[test]
fn long_work_for_one_request_is_read_in_parts() {
    let other = |number: usize| format!("1 Bash make part{} -> ok\n", "x".repeat(number + 1));
    let use_at = |begin: usize| {
        let steps = "1 Edit db/schema.sql -> ok\n1 Bash make migrate -> ok\n1 Bash make check -> ok\n";
        (begin..begin + 27).map(other).fold(steps.to_owned(), |lines, line| lines + &line)
    };
    let lines: String = [0, 30, 60].map(use_at).concat();
    assert_eq!(labels(&mined_procedures(&history(&lines))), ["Edit schema.sql > make migrate > make check"]);
}

/// covers: C-258
#[test]
fn what_is_done_over_and_over_is_no_procedure() {
    let kinds = ["Edit a.rs -> ok", "Bash make check -> ok", "Bash make docs -> ok"];
    // Each of the orders that a clock would make, round and round.
    let line = |number: usize| format!("{} {}\n", number / 12 + 1, kinds[(number * number + number / 5) % 3]);
    let lines: String = (0..96).map(line).collect();
    assert_eq!(labels(&mined_procedures(&history(&lines))), Vec::<String>::new());
}

/// Common work before a procedure makes no other procedure together with a part of its steps, however often both are done.
///
/// covers: C-258
#[test]
fn what_is_done_before_a_procedure_is_no_part_of_another_one() {
    let kinds = [
        "cargo build",
        "cargo fmt",
        "cargo test",
        "cargo clippy",
        "npm test",
        "make docs",
        "sqlx migrate",
        "git commit",
    ];
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut lines = Vec::new();
    for request in 0..200 {
        for _ in 0..9 {
            let outcome = if next(5) == 0 { "!Exit code 1" } else { "ok" };
            lines.push(format!("{request} Bash {} -> {outcome}", kinds[next(8) as usize]));
        }
        if request % 5 == 4 {
            let steps = ["Edit CHANGELOG.md", "Bash cargo set-version", "Bash git tag", "Bash git push"];
            lines.extend(steps.map(|step| format!("{request} {step} -> ok")));
        }
    }
    let mined = mined_procedures(&history(&lines.join("\n")));
    assert_eq!(labels(&mined), ["Edit CHANGELOG.md > cargo set-version > git tag > git push"]);
}
