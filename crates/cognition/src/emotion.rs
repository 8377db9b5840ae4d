//! Emotion: valence, arousal and a basic emotion, by words and signs.
