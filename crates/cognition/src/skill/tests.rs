use super::{command::shell_commands, *};
use cairn_domain::{Role, Time};

/// covers: C-257
#[test]
fn a_command_is_known_without_its_arguments() {
    for (line, kinds) in [
        ("cargo test -p tides -- --nocapture", &["cargo test"][..]),
        ("cd app && npm run build 2>&1 | tail -5", &["npm run build"]),
        ("RUST_LOG=debug timeout 30 cargo +nightly run", &["cargo run"]),
        ("git commit -m 'fix; and test' && git push origin main", &["git commit", "git push"]),
        ("python -m pytest tests/a.py; python3 manage.py migrate users", &["pytest", "python3 manage.py migrate"]),
        ("npx prisma generate", &["prisma generate"]),
        ("git -C /srv/app status", &["git status"]),
        ("make -j4 check > log.txt", &["make check"]),
        ("cat <<'EOF' > x\nrm -rf /\nEOF", &["cat"]),
        ("python -c 'print(1)'", &["python"]),
        ("", &[]),
    ] {
        let found: Vec<String> = shell_commands(line).into_iter().map(|command| command.kind).collect();
        assert_eq!(found, kinds, "{line}");
    }
}

/// A history: `exchange tool call → result`, a failure begins with `!`.
fn history(lines: &str) -> Vec<ToolStep> {
    let mut said: Vec<(i64, String, String, bool)> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (exchange, tool, rest) = (words.next(), words.next(), words.next());
        let (exchange, tool) = (exchange.expect("a number").parse().expect("a number"), tool.expect("a tool"));
        let (call, result) = rest.expect("a call").split_once(" -> ").expect("a result");
        let field = if tool == "Bash" { "command" } else { "file_path" };
        said.push((exchange, tool.to_owned(), format!("{tool} {{\"{field}\":\"{call}\"}}"), false));
        let output = result.trim_start_matches('!');
        said.push((exchange, tool.to_owned(), output.to_owned(), result.starts_with('!')));
    }
    let messages: Vec<ToolMessage<'_>> = said
        .iter()
        .enumerate()
        .map(|(index, (exchange, tool, text, is_error))| ToolMessage {
            exchange: *exchange,
            session: exchange / 10,
            role: Role::Tool,
            speaker: tool,
            text,
            at: Time::from_millis(index as i64 * 2_000),
            is_error: *is_error,
        })
        .collect();
    tool_steps(&messages)
}

/// covers: C-257
#[test]
fn a_tally_says_how_often_it_worked_how_long_it_took_how_it_failed_and_what_fixed_it() {
    let steps = history(
        "1 Bash cargo test -> ok
         2 Bash cargo test -> !Exit code 101
         2 Read src/lib.rs -> fn main
         2 Edit src/lib.rs -> updated
         2 Bash cargo test --all -> ok",
    );
    let skills = tool_skills(&steps);
    let test = skills.iter().find(|skill| skill.kind == "cargo test").expect("a skill");
    assert_eq!((test.tried, test.worked, test.median_ms), (3, 2, Some(2_000)));
    let failure = test.failure.as_ref().expect("it failed");
    let fixed: Vec<&str> = failure.fixed_by.iter().map(|at| steps[*at].label.as_str()).collect();
    assert_eq!(fixed, ["Edit lib.rs"]);
    assert_eq!(failure_line("Exit code 101\nrunning 3 tests\nerror[E0432]: unresolved import"), "error[E0432]: unresolved import");
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
    let failing = format!("{THREE_TIMES}\n12 Edit db/schema.sql -> updated\n12 Bash make migrate -> !Exit code 1");
    let mined = mined_procedures(&history(&failing));
    assert_eq!((labels(&mined), mined[0].failed_since), (vec![whole.to_owned()], 1));
    assert_eq!(mined[0].confidence, procedure_confidence(3, 1));
    assert_eq!(procedure_confidence(3, 1), 0.375);
    let again = format!("{failing}\n13 Edit db/schema.sql -> ok\n13 Bash make migrate -> ok\n13 Bash make check -> ok");
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
