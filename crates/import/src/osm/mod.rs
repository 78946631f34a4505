//! OpenStreetMap extracts, PBF and XML.
