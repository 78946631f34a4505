//! The truth: runs schemes over simulated crowds, measures what came of it, and reports.
