//! Statements: who has which value of what.
