//! Formation: the statements that a message makes.
