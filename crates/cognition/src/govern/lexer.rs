//! Words of a command line, as a shell reads them: quotes, escapes, variables, substitutions, redirections, heredocs.

/// Characters of a command line that are read; whatever is behind them is hidden.
pub(super) const MAX_COMMAND_CHARS: usize = 65_536;
/// Substitutions within substitutions that are followed.
const MAX_DEPTH: usize = 8;
/// The whitespace that an unquoted `$IFS` stands for.
const FIELD_SEPARATOR: &str = "IFS";

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Known letters.
    Text(String),
    /// Unquoted letters in which a shell sees a pattern: `*`, `?`, `[…]`, `{…}`.
    Wildcard(String),
    /// A variable; within quotes its value stays one word.
    Variable { name: String, quoted: bool },
    /// Something that is only known when it runs.
    Hidden,
}

/// A token of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word(Vec<Piece>),
    /// `;`, `&&`, `||`, `&`, a line's end, a parenthesis: another command begins.
    Separator,
    /// `|`: another command begins, which reads what the last one wrote.
    Pipe,
    /// `>`, `>>`: the next word is written to.
    WritesTo,
    /// `<`: the next word is read from.
    ReadsFrom,
    /// The text of a heredoc, or the word behind `<<<`.
    Script(String),
    /// A substitution: commands of their own.
    Nested(Vec<ShellToken>),
}

/// The tokens of a command line.
pub(super) fn tokens(line: &str) -> Vec<ShellToken> {
    Lexer::new(line, 0).run()
}

/// Whether a place in a line stands between double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Inside,
    Outside,
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    word: Option<Vec<Piece>>,
    tokens: Vec<ShellToken>,
    /// Ends of heredocs whose text begins at the next line.
    heredocs: Vec<String>,
    wants_heredoc: bool,
    wants_herestring: bool,
}

impl Lexer {
    fn new(line: &str, depth: usize) -> Self {
        Self {
            chars: line.chars().take(MAX_COMMAND_CHARS).collect(),
            at: 0,
            depth,
            word: None,
            tokens: Vec::new(),
            heredocs: Vec::new(),
            wants_heredoc: false,
            wants_herestring: false,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let found = self.peek(0)?;
        self.at += 1;
        Some(found)
    }

    fn run(mut self) -> Vec<ShellToken> {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => self.end_line(),
                '#' if self.word.is_none() => self.skip_comment(),
                '`' => self.backticks(),
                '&' if self.peek(0) == Some('>') => self.end_word(),
                ';' | '(' | ')' | '&' => self.operator(ShellToken::Separator),
                '|' => self.pipe(),
                '<' | '>' => self.redirect(c),
                '\\' => self.escape(),
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '$' => self.dollar(Quotes::Outside),
                '*' | '?' | '[' | '{' | '}' => self.wildcard(c),
                _ => self.text(c),
            }
        }
        self.end_word();
        self.tokens
    }

    fn text(&mut self, c: char) {
        let word = self.word.get_or_insert_default();
        match word.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => word.push(Piece::Text(c.to_string())),
        }
    }

    /// A brace that stands alone is a group, not a pattern.
    fn wildcard(&mut self, c: char) {
        let alone =
            self.word.is_none() && self.peek(0).is_none_or(|c| c.is_whitespace() || ";&|)".contains(c));
        if matches!(c, '{' | '}') && alone {
            return self.operator(ShellToken::Separator);
        }
        self.word.get_or_insert_default().push(Piece::Wildcard(c.to_string()));
    }

    fn operator(&mut self, token: ShellToken) {
        self.end_word();
        self.tokens.push(token);
    }

    fn pipe(&mut self) {
        if self.peek(0) == Some('|') {
            self.at += 1;
            return self.operator(ShellToken::Separator);
        }
        self.operator(ShellToken::Pipe);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if self.wants_heredoc {
            self.wants_heredoc = false;
            self.heredocs.push(plain(&word));
        } else if self.wants_herestring {
            self.wants_herestring = false;
            self.tokens.push(ShellToken::Script(plain(&word)));
        } else {
            self.tokens.push(ShellToken::Word(word));
        }
    }

    /// The end of a line: the texts of heredocs begin.
    fn end_line(&mut self) {
        self.end_word();
        for end in std::mem::take(&mut self.heredocs) {
            let mut text = String::new();
            while self.at < self.chars.len() {
                let line: String = self.chars[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                if line.trim_start_matches('\t') == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            self.tokens.push(ShellToken::Script(text));
        }
        self.at = self.at.min(self.chars.len());
        self.tokens.push(ShellToken::Separator);
    }

    fn skip_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn redirect(&mut self, c: char) {
        // A number right before it names a stream.
        let is_stream = |word: &Vec<Piece>| matches!(word.as_slice(), [Piece::Text(text)] if text.chars().all(|c| c.is_ascii_digit()));
        if self.word.as_ref().is_some_and(is_stream) {
            self.word = None;
        }
        self.end_word();
        let behind: String = self.chars[self.at..].iter().take(2).collect();
        match (c, behind.chars().next(), behind.chars().nth(1)) {
            (_, Some('('), _) => {
                self.at += 1;
                self.nested(')');
                self.word.get_or_insert_default().push(Piece::Hidden);
            }
            ('<', Some('<'), Some('<')) => {
                self.at += 2;
                self.wants_herestring = true;
            }
            ('<', Some('<'), next) => {
                self.at += 1 + usize::from(next == Some('-'));
                self.wants_heredoc = true;
            }
            ('>', Some('&'), Some(next)) if next.is_ascii_digit() || next == '-' => self.at += 2,
            ('<', Some('&'), _) => self.at += 1,
            ('>', Some('>' | '|' | '&'), _) | ('<', Some('>'), _) => {
                self.at += 1;
                self.tokens.push(ShellToken::WritesTo);
            }
            ('>', _, _) => self.tokens.push(ShellToken::WritesTo),
            _ => self.tokens.push(ShellToken::ReadsFrom),
        }
    }

    fn escape(&mut self) {
        match self.next() {
            Some('\n') | None => {}
            Some(c) => self.text(c),
        }
    }

    fn single_quotes(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next().filter(|c| *c != '\'') {
            self.text(c);
        }
    }

    fn double_quotes(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next().filter(|c| *c != '"') {
            match c {
                '\\' => match self.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.text(c),
                    Some('\n') | None => {}
                    Some(c) => {
                        self.text('\\');
                        self.text(c);
                    }
                },
                '$' => self.dollar(Quotes::Inside),
                '`' => self.backticks(),
                _ => self.text(c),
            }
        }
    }

    fn dollar(&mut self, quotes: Quotes) {
        match self.peek(0) {
            Some('(') => {
                self.at += 1;
                self.nested(')');
                self.word.get_or_insert_default().push(Piece::Hidden);
            }
            Some('{') => self.braced_variable(quotes),
            Some('\'') if quotes == Quotes::Outside => {
                self.at += 1;
                self.ansi_quotes();
            }
            // A translated string is a string.
            Some('"') if quotes == Quotes::Outside => {}
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name: String =
                    self.chars[self.at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
                self.at += name.chars().count();
                self.variable(name, quotes);
            }
            Some(c) if c.is_ascii_digit() || "@*#?!$-".contains(c) => {
                self.at += 1;
                self.word.get_or_insert_default().push(Piece::Hidden);
            }
            _ => self.text('$'),
        }
    }

    fn variable(&mut self, name: String, quotes: Quotes) {
        if name == FIELD_SEPARATOR && quotes == Quotes::Outside {
            return self.end_word();
        }
        self.word.get_or_insert_default().push(Piece::Variable { name, quoted: quotes == Quotes::Inside });
    }

    /// `${NAME}` is a variable; anything more in the braces is only known when it runs.
    fn braced_variable(&mut self, quotes: Quotes) {
        self.at += 1;
        let mut inside = String::new();
        let mut open = 1;
        while let Some(c) = self.next() {
            open += usize::from(c == '{');
            open -= usize::from(c == '}');
            if open == 0 {
                break;
            }
            inside.push(c);
        }
        if !inside.is_empty() && inside.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return self.variable(inside, quotes);
        }
        let inner = Self::nested_tokens(&inside, self.depth);
        self.tokens.push(ShellToken::Nested(inner));
        self.word.get_or_insert_default().push(Piece::Hidden);
    }

    fn ansi_quotes(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next().filter(|c| *c != '\'') {
            if c != '\\' {
                self.text(c);
                continue;
            }
            match self.next() {
                Some('n') => self.text('\n'),
                Some('t') => self.text('\t'),
                Some('x') => self.coded(16, 2, 0),
                Some('u') => self.coded(16, 4, 0),
                Some('U') => self.coded(16, 8, 0),
                Some(c @ '0'..='7') => self.coded(8, 2, c.to_digit(8).unwrap_or_default()),
                Some(c) => self.text(c),
                None => {}
            }
        }
    }

    /// A letter by its number.
    fn coded(&mut self, radix: u32, most: usize, first: u32) {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        self.text(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
    }

    fn backticks(&mut self) {
        self.nested('`');
        self.word.get_or_insert_default().push(Piece::Hidden);
    }

    /// Reads to the end of a substitution: its commands are commands of their own.
    fn nested(&mut self, end: char) {
        let (begin, mut open, mut quote) = (self.at, 1_usize, None);
        while let Some(c) = self.next() {
            match (c, quote) {
                ('\\', None | Some('"')) => self.at += 1,
                (_, Some(mark)) if c == mark => quote = None,
                (_, Some(_)) => {}
                ('\'' | '"', None) => quote = Some(c),
                _ if c == end => open -= 1,
                ('(', None) if end == ')' => open += 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        self.at = self.at.min(self.chars.len());
        let to = if open == 0 { self.at - 1 } else { self.at };
        let inside: String = self.chars[begin.min(to)..to].iter().collect();
        let inner = Self::nested_tokens(&inside, self.depth);
        self.tokens.push(ShellToken::Nested(inner));
    }

    fn nested_tokens(inside: &str, depth: usize) -> Vec<ShellToken> {
        if depth >= MAX_DEPTH {
            return vec![ShellToken::Word(vec![Piece::Hidden])];
        }
        Self::new(inside, depth + 1).run()
    }
}

/// The letters of a word that are known.
fn plain(word: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Wildcard(text) => text.clone(),
        Piece::Variable { .. } | Piece::Hidden => String::new(),
    };
    word.iter().map(text).collect()
}
