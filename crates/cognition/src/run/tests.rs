use super::*;

/// A deployment in steps: `a` acts, `r` is what came back, `u` the user.
const RUN: &str = "u ship the release
a [step 1] cd billing
r [step 1] You are now in billing. There is a gate.
a [step 2] take red key
r [step 2] You pick up the red key from the shelf.
a [step 3] open gate
r [step 3] You cannot open the gate: it is locked.
a [step 4] unlock gate with red key
r [step 4] You unlock the gate with the red key.
a [step 5] open gate
r [step 5] You open the gate, revealing a lamp.
a [step 6] drop red key
r [step 6] You drop the red key on the ground.
a [step 7] take lamp
r [step 7] You take the lamp from the gate.
a [step 8] close gate
r [step 8] You close the gate. Your score has just gone up by one point.";

fn found(question: &str) -> Vec<String> {
    let message = |line: &'static str| {
        let (who, text) = line.split_once(' ').expect("who and text");
        let role = match who {
            "a" => Role::Assistant,
            "r" => Role::Tool,
            _ => Role::User,
        };
        RunMessage { role, text }
    };
    let run: Vec<RunMessage<'_>> = RUN.lines().map(message).collect();
    let name = |index: usize| match run[index].role {
        Role::Assistant => format!("{}a", index.div_ceil(2)),
        _ => format!("{}r", index / 2),
    };
    let answer = run_answer(question, &run);
    let older = |index: &usize| if answer.older_states.contains(index) { "-" } else { "" };
    answer.messages.iter().map(|index| format!("{}{}", name(*index), older(index))).collect()
}

/// covers: C-259
#[test]
fn steps_are_found_by_number_order_state_and_cause() {
    for (question, expected) in [
        ("What did the agent do at step 4?", "4a 4r"),
        ("Which commands came from step 2 to step 4?", "2a 3a 4a"),
        ("Why did the opening at step 3 fail?", "3r 3a"),
        ("From step 1 to step 6, which actions changed what the agent was holding?", "2r 6r"),
        ("What was the agent carrying right after step 5?", "2r"),
        ("Was the gate open or closed before step 8?", "5r 4r-"),
        ("Did the agent leave the gate open or closed?", "8r 5r- 4r-"),
        ("Where did the agent drop the red key?", "6r"),
        ("Which command came right after \"open gate\"?", "3a 4a 5a 6a"),
        ("Which command made the score go up?", "8r 8a"),
        ("In which room did the agent pick up the red key?", "2r 1r"),
        (
            "The agent took the lamp out of the gate. Which earlier action made that possible?",
            "7r 5r 4r 2r 7a",
        ),
        ("When did the agent see the lamp for the last time?", "7r 5r"),
        ("What is the weather like in Lisbon?", ""),
    ] {
        assert_eq!(found(question).join(" "), expected, "{question}");
    }
}

#[test]
fn a_step_without_a_number_is_counted_and_the_halves_of_a_step_find_each_other() {
    let run = [
        RunMessage { role: Role::User, text: "fix it" },
        RunMessage { role: Role::Assistant, text: "cargo test" },
        RunMessage { role: Role::Tool, text: "1 failed" },
        RunMessage { role: Role::Assistant, text: "edit src/lib.rs" },
        RunMessage { role: Role::Tool, text: "done" },
    ];
    assert_eq!(run_answer("What did the agent do at step 2?", &run).messages, [3, 4]);
    let halves: Vec<Option<usize>> = (0..6).map(|index| other_half(&run, index)).collect();
    assert_eq!(halves, [None, Some(2), Some(1), Some(4), Some(3), None]);
}

#[test]
fn every_expression_about_runs_can_be_read() {
    assert!(RunQuestion::read("What was at step 3?").is_about_steps());
    assert!(!RunQuestion::read("Hello there").is_about_steps());
    assert_eq!(RunQuestion::read("3. adımda ne yaptın?").steps, [3]);
}
