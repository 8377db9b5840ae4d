//! Times in a text: what "yesterday" meant on the day it was said, and until when a plan holds.
