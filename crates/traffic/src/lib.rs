//! People who move on streets and ask.
