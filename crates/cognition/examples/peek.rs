//! peek
use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        for m in cairn_cognition::entity::entities(&line) {
            println!("{}/{}\t{}", m.kind, m.name, line);
        }
    }
}
