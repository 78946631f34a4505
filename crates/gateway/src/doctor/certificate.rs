//! TLS: whether certificate and key fit, and how long the certificate is valid.

use super::Finding;
use crate::config::{Config, TlsFiles};
use crate::tls::Tls;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// Days before the end of a certificate's validity that are a warning.
const RENEWAL_DAYS: i64 = 14;

pub(super) fn examine(config: &Config) -> Vec<Finding> {
    match &config.server.tls {
        Some(files) => vec![examine_files(files, Timestamp::now())],
        None if config.server.listen.ip().is_loopback() => {
            let message = "clients connect without TLS, from this machine only";
            vec![Finding::ok("tls", message)]
        }
        None => vec![Finding::warning(
            "tls",
            "clients connect without TLS: positions and keys are sent in the clear",
            "set `server.tls_certificate` and `server.tls_key`, or listen on 127.0.0.1 behind a \
             proxy that does TLS",
        )],
    }
}

fn examine_files(files: &TlsFiles, now: Timestamp) -> Finding {
    let advice = "set `server.tls_certificate` to the chain in PEM, the server's certificate first, \
                  and `server.tls_key` to its private key";
    if let Err(error) = Tls::read(files) {
        return Finding::problem("tls", error.to_string(), advice);
    }
    let first = CertificateDer::pem_file_iter(&files.certificate)
        .ok()
        .and_then(|mut chain| chain.next()?.ok());
    let validity = first.and_then(|certificate| Validity::of(&certificate));
    match validity {
        Some(validity) => validity.examine(now),
        None => Finding::warning("tls", "the validity of the certificate cannot be read", advice),
    }
}

/// First and last moment of a certificate's validity.
#[derive(Debug, PartialEq)]
struct Validity {
    from: Timestamp,
    until: Timestamp,
}

impl Validity {
    /// Reads the validity of an X.509 certificate: the fifth member of its signed part, after the
    /// optional version, number, algorithm and issuer (RFC 5280, 4.1).
    fn of(certificate: &[u8]) -> Option<Validity> {
        let (_, certificate, _) = element(certificate)?;
        let (_, mut signed, _) = element(certificate)?;
        if signed.first() == Some(&VERSION) {
            (_, _, signed) = element(signed)?;
        }
        for _ in 0..3 {
            (_, _, signed) = element(signed)?;
        }
        let (_, validity, _) = element(signed)?;
        let (from_tag, from, rest) = element(validity)?;
        let (until_tag, until, _) = element(rest)?;
        Some(Validity { from: time(from_tag, from)?, until: time(until_tag, until)? })
    }

    fn examine(&self, now: Timestamp) -> Finding {
        let seconds = self.until.as_second().saturating_sub(now.as_second());
        let days = seconds.div_euclid(86_400);
        let renew = "renew the certificate, then `systemctl reload meshcloak`";
        if now < self.from {
            let message = format!("the certificate is valid only from {}", self.from);
            return Finding::problem("tls", message, "check the clock of this machine");
        }
        if now > self.until {
            let message = format!("the certificate has expired at {}", self.until);
            return Finding::problem("tls", message, renew);
        }
        let message = format!("the certificate is valid for {days} days");
        if days < RENEWAL_DAYS {
            return Finding::warning("tls", message, renew);
        }
        Finding::ok("tls", message)
    }
}

/// Tag of the optional version.
const VERSION: u8 = 0xa0;

/// Splits DER into the tag, the content of the first element, and the rest.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, der) = der.split_first()?;
    let (&first, mut der) = der.split_first()?;
    let mut length = usize::from(first);
    if first & 0x80 != 0 {
        let (bytes, rest) = der.split_at_checked(usize::from(first & 0x7f))?;
        if bytes.len() > 4 {
            return None;
        }
        length = bytes.iter().fold(0, |length, &byte| (length << 8) | usize::from(byte));
        der = rest;
    }
    let (content, rest) = der.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// Reads a time in UTC: `YYMMDDhhmmssZ` (tag 23) or `YYYYMMDDhhmmssZ` (tag 24).
fn time(tag: u8, text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let century = match (tag, text.get(..2)?.parse::<u8>().ok()?) {
        (23, 50..) => "19",
        (23, _) => "20",
        (24, _) => "",
        _ => return None,
    };
    let date = DateTime::strptime("%Y%m%d%H%M%S", format!("{century}{text}")).ok()?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use std::path::Path;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn files() -> TlsFiles {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/tls");
        TlsFiles { certificate: folder.join("one.pem"), key: folder.join("one.key") }
    }

    #[test]
    fn a_certificate_is_examined_by_its_validity() {
        let certificate = CertificateDer::from_pem_file(files().certificate).unwrap();
        let Validity { from, until } = Validity::of(&certificate).unwrap();
        assert!(from < until);
        let days = |days: i64| jiff::SignedDuration::from_hours(24 * days);
        for (now, severity, word) in [
            (from - days(1), Severity::Problem, "only from"),
            (from, Severity::Ok, "days"),
            (until - days(13), Severity::Warning, "13 days"),
            (until + days(1), Severity::Problem, "expired"),
        ] {
            let finding = examine_files(&files(), now);
            assert_eq!(finding.severity, severity, "{finding:?}");
            assert!(finding.message.contains(word), "{finding:?}");
        }
    }

    #[test]
    fn a_key_that_does_not_fit_is_a_problem() {
        let mut wrong = files();
        wrong.key = wrong.certificate.clone();
        let finding = examine_files(&wrong, Timestamp::UNIX_EPOCH);
        assert_eq!(finding.severity, Severity::Problem);
    }

    #[test]
    fn a_socket_in_the_clear_off_loopback_is_a_warning() {
        let mut config = Config::default();
        assert_eq!(examine(&config)[0].severity, Severity::Ok);
        config.server.listen = "192.0.2.1:80".parse().unwrap();
        assert_eq!(examine(&config)[0].severity, Severity::Warning);
    }

    #[test]
    fn times_have_two_or_four_digits_of_the_year() {
        assert_eq!(time(23, b"991231235959Z"), Some(at("1999-12-31T23:59:59Z")));
        assert_eq!(time(23, b"260101000000Z"), Some(at("2026-01-01T00:00:00Z")));
        assert_eq!(time(24, b"20510101000000Z"), Some(at("2051-01-01T00:00:00Z")));
        for bad in [&b""[..], b"Z", b"2601010000", b"260199000000Z", b"\xff\xff\xff"] {
            assert_eq!(time(23, bad), None);
        }
    }

    #[test]
    fn cut_certificates_have_no_validity() {
        let certificate = CertificateDer::from_pem_file(files().certificate).unwrap();
        for len in 0..certificate.len() {
            assert_eq!(Validity::of(&certificate[..len]), None);
        }
    }
}
