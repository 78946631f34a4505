//! The adversary: what follows about people from what the service sees.
