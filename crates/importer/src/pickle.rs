//! A reader of Python pickles that builds plain values and nothing else: texts, numbers, lists, dictionaries, tuples and
//! sets. A class is known only by its name, an object only as the dictionary of its fields; whatever would call a function
//! is refused, and so is what grows beyond its bounds.

use serde_json::{Map, Number, Value};

/// Values that one pickle may have.
const MAX_VALUES: usize = 4_000_000;
/// How deep values may stand in each other.
const MAX_DEPTH: usize = 64;
/// The only classes whose objects are read, as their fields.
const CLASSES: [&str; 1] = ["PointStruct"];

/// A value while it is put together; others are named by their place.
#[derive(Debug, Clone)]
enum PickledNode {
    Plain(Value),
    List(Vec<usize>),
    Pairs(Vec<(usize, usize)>),
    Class(String),
    Fields(Option<usize>),
}

#[derive(Default)]
struct Machine<'a> {
    input: &'a [u8],
    nodes: Vec<PickledNode>,
    stack: Vec<usize>,
    marks: Vec<usize>,
    memo: Vec<usize>,
}

/// The value of a pickle.
pub(crate) fn unpickle(input: &[u8]) -> Result<Value, String> {
    let mut machine = Machine { input, ..Machine::default() };
    loop {
        let code = machine.byte()?;
        if code == b'.' {
            let top = machine.pop()?;
            let mut left = MAX_VALUES;
            return machine.value(top, 0, &mut left);
        }
        machine.step(code)?;
        if machine.nodes.len() > MAX_VALUES || machine.stack.len() > MAX_VALUES {
            return Err("the pickle is too large".to_owned());
        }
    }
}

impl Machine<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        if count > self.input.len() {
            return Err("the pickle is cut off".to_owned());
        }
        let (taken, rest) = self.input.split_at(count);
        self.input = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self, bytes: usize) -> Result<usize, String> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().rev().fold(0_usize, |number, byte| number.wrapping_shl(8) | usize::from(*byte)))
    }

    fn line(&mut self) -> Result<String, String> {
        let end = self.input.iter().position(|byte| *byte == b'\n').ok_or("the pickle is cut off")?;
        let line = String::from_utf8_lossy(&self.input[..end]).into_owned();
        self.input = &self.input[end + 1..];
        Ok(line)
    }

    fn push(&mut self, node: PickledNode) {
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
    }

    fn plain(&mut self, value: impl Into<Value>) {
        self.push(PickledNode::Plain(value.into()));
    }

    fn pop(&mut self) -> Result<usize, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err("the pickle takes what is not there".to_owned());
        }
        self.stack.pop().ok_or_else(|| "the pickle takes what is not there".to_owned())
    }

    fn marked(&mut self) -> Result<Vec<usize>, String> {
        let mark = self.marks.pop().ok_or("the pickle ends what it did not begin")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn text(&mut self, length: usize) -> Result<(), String> {
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.plain(text);
        Ok(())
    }

    fn step(&mut self, code: u8) -> Result<(), String> {
        match code {
            0x80 => drop(self.byte()?),
            0x95 => drop(self.take(8)?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'N' => self.plain(Value::Null),
            0x88 => self.plain(true),
            0x89 => self.plain(false),
            b'K' | b'M' | b'J' | 0x8a | b'G' => self.numeric(code)?,
            0x8c | b'X' | 0x8d | b'C' | b'B' | 0x8e => self.textual(code)?,
            b']' | b')' | 0x8f => self.push(PickledNode::List(Vec::new())),
            b'}' => self.push(PickledNode::Pairs(Vec::new())),
            b'a' | b'e' | 0x90 | b's' | b'u' => self.fill(code)?,
            b't' | b'l' | 0x91 => {
                let items = self.marked()?;
                self.push(PickledNode::List(items));
            }
            0x85..=0x87 => {
                let mut items = Vec::new();
                for _ in 0..=(code - 0x85) {
                    items.insert(0, self.pop()?);
                }
                self.push(PickledNode::List(items));
            }
            b'q' | b'r' | 0x94 | b'h' | b'j' => self.remember(code)?,
            0x93 | b'c' | 0x81 | b'b' => self.object(code)?,
            other => return Err(format!("the pickle does what is not allowed (opcode {other:#04x})")),
        }
        Ok(())
    }

    fn numeric(&mut self, code: u8) -> Result<(), String> {
        match code {
            b'K' => {
                let number = self.number(1)?;
                self.plain(number);
            }
            b'M' => {
                let number = self.number(2)?;
                self.plain(number);
            }
            b'J' => {
                let number = self.number(4)? as u32 as i32;
                self.plain(number);
            }
            0x8a => {
                let length = self.number(1)?;
                let bytes = self.take(length)?;
                if bytes.len() > 8 {
                    return Err("the pickle has a number that is too long".to_owned());
                }
                let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
                let mut padded = [if negative { 0xff } else { 0 }; 8];
                padded[..bytes.len()].copy_from_slice(bytes);
                self.plain(i64::from_le_bytes(padded));
            }
            _ => {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(self.take(8)?);
                let number = Number::from_f64(f64::from_be_bytes(bytes));
                self.push(PickledNode::Plain(number.map_or(Value::Null, Value::Number)));
            }
        }
        Ok(())
    }

    fn textual(&mut self, code: u8) -> Result<(), String> {
        let length = match code {
            0x8c | b'C' => self.number(1)?,
            b'X' | b'B' => self.number(4)?,
            _ => self.number(8)?,
        };
        self.text(length)
    }

    /// Puts what is on the stack into the list, set or dictionary below it.
    fn fill(&mut self, code: u8) -> Result<(), String> {
        let items = match code {
            b'a' => vec![self.pop()?],
            b's' => {
                let value = self.pop()?;
                vec![self.pop()?, value]
            }
            _ => self.marked()?,
        };
        let owner = *self.stack.last().ok_or("the pickle fills what is not there")?;
        match &mut self.nodes[owner] {
            PickledNode::List(list) => list.extend(items),
            PickledNode::Pairs(pairs) => pairs.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            _ => return Err("the pickle fills what holds nothing".to_owned()),
        }
        Ok(())
    }

    fn remember(&mut self, code: u8) -> Result<(), String> {
        match code {
            b'h' | b'j' => {
                let place = self.number(if code == b'h' { 1 } else { 4 })?;
                let node = *self.memo.get(place).ok_or("the pickle remembers what was not said")?;
                self.stack.push(node);
            }
            _ => {
                let place = match code {
                    b'q' => self.number(1)?,
                    b'r' => self.number(4)?,
                    _ => self.memo.len(),
                };
                let top = *self.stack.last().ok_or("the pickle remembers nothing")?;
                if place > self.memo.len() {
                    return Err("the pickle remembers out of order".to_owned());
                }
                if place == self.memo.len() { self.memo.push(top) } else { self.memo[place] = top }
            }
        }
        Ok(())
    }

    /// A class by its name, an object of it, and the fields of that object.
    fn object(&mut self, code: u8) -> Result<(), String> {
        match code {
            0x93 => {
                let (name, _module) = (self.pop()?, self.pop()?);
                let PickledNode::Plain(Value::String(name)) = self.nodes[name].clone() else {
                    return Err("the pickle has a class without a name".to_owned());
                };
                self.class(name)?;
            }
            b'c' => {
                let (_module, name) = (self.line()?, self.line()?);
                self.class(name)?;
            }
            0x81 => {
                let (_arguments, class) = (self.pop()?, self.pop()?);
                if !matches!(self.nodes[class], PickledNode::Class(_)) {
                    return Err("the pickle makes an object of no class".to_owned());
                }
                self.push(PickledNode::Fields(None));
            }
            _ => {
                let state = self.pop()?;
                let owner = *self.stack.last().ok_or("the pickle fills what is not there")?;
                match &mut self.nodes[owner] {
                    PickledNode::Fields(fields) => *fields = Some(state),
                    _ => return Err("the pickle fills what is no object".to_owned()),
                }
            }
        }
        Ok(())
    }

    fn class(&mut self, name: String) -> Result<(), String> {
        if !CLASSES.contains(&name.as_str()) {
            let name: String = name.chars().take(60).collect();
            return Err(format!("the pickle has a class that is not allowed: `{}`", name.escape_debug()));
        }
        self.push(PickledNode::Class(name));
        Ok(())
    }

    /// The value at a place. What is used many times counts many times.
    fn value(&self, place: usize, depth: usize, left: &mut usize) -> Result<Value, String> {
        if depth > MAX_DEPTH || *left == 0 {
            return Err("the pickle is too deep or too large".to_owned());
        }
        *left -= 1;
        let value = match &self.nodes[place] {
            PickledNode::Plain(value) => value.clone(),
            PickledNode::Class(name) => Value::String(name.clone()),
            PickledNode::Fields(None) => Value::Null,
            PickledNode::Fields(Some(state)) => self.value(*state, depth + 1, left)?,
            PickledNode::List(items) => {
                let values: Result<Vec<Value>, String> =
                    items.iter().map(|item| self.value(*item, depth + 1, left)).collect();
                Value::Array(values?)
            }
            PickledNode::Pairs(pairs) => {
                let mut fields = Map::new();
                for (name, value) in pairs {
                    let name = match self.value(*name, depth + 1, left)? {
                        Value::String(name) => name,
                        other => other.to_string(),
                    };
                    fields.insert(name, self.value(*value, depth + 1, left)?);
                }
                Value::Object(fields)
            }
        };
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_values_are_read() {
        // (Python) pickle.dumps({"a": [1, -2, 2.5, None, True, "ş"], "b": ("x", "x")}, 4), by hand.
        let mut bytes = b"\x80\x04}\x94(\x8c\x01a\x94](K\x01J\xfe\xff\xff\xffG\x40\x04\x00\x00\x00\x00\x00\x00N\x88\x8c\x02".to_vec();
        bytes.extend("ş".as_bytes());
        bytes.extend(b"e\x8c\x01b\x8c\x01x\x94h\x02\x86u.");
        assert_eq!(unpickle(&bytes), Ok(json!({"a": [1, -2, 2.5, null, true, "ş"], "b": ["x", "x"]})));
    }

    #[test]
    fn an_object_is_its_fields_and_other_classes_are_refused() {
        let point = b"\x80\x04\x8c\x01m\x8c\x0bPointStruct\x93)\x81}\x8c\x02idK\x07sb.";
        assert_eq!(unpickle(point), Ok(json!({"id": 7})));
        let system = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R.";
        assert!(unpickle(system).is_err_and(|why| why.contains("`system`")));
        let reduce = b"\x80\x04\x8c\x01m\x8c\x0bPointStruct\x93)R.";
        assert!(unpickle(reduce).is_err_and(|why| why.contains("0x52")));
    }

    #[test]
    fn rings_and_bombs_end() {
        assert!(unpickle(b"\x80\x04]\x94h\x00a.").is_err(), "a list that holds itself");
        let mut bomb = b"\x80\x04]\x94".to_vec();
        for place in 0..40_u8 {
            bomb.extend([b']', 0x94, b'h', place, b'a', b'h', place, b'a']);
        }
        bomb.push(b'.');
        assert!(unpickle(&bomb).is_err(), "doubling is bounded");
        for length in 0..bomb.len() {
            let _ = unpickle(&bomb[..length]);
        }
    }
}
