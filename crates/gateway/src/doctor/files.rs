//! Keys, secrets and files that the gateway writes: whether they can be used, and who can read them.

use super::Finding;
use crate::check::{check_writable, records_users};
use crate::config::{Config, Mode};
use crate::gateway::read_keys;
use crate::page::PageToken;
use crate::user_ids::UserSecret;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

pub(super) fn examine(config: &Config, mode: Mode) -> Vec<Finding> {
    let mut findings = vec![examine_keys(config, mode)];
    let page_token = config.server.page_token.as_deref();
    let secret = config.cluster.secret.as_deref();
    let unreadable = [
        ("server.page_token", page_token.and_then(|path| PageToken::read(path).err())),
        ("cluster.secret", secret.and_then(|path| UserSecret::read(path).err())),
    ];
    for (key, error) in unreadable.into_iter().filter_map(|(key, error)| Some((key, error?))) {
        let advice = "create it, for example with `head -c 32 /dev/urandom | base64 >FILE`, readable \
                      by the gateway's user only";
        findings.push(Finding::problem("files", format!("`{key}`: {error}"), advice));
    }
    for (key, path) in secret_files(config) {
        findings.extend(examine_mode(key, path));
    }
    findings.extend(examine_written(config, mode));
    findings
}

fn examine_keys(config: &Config, mode: Mode) -> Finding {
    let advice = "create an account and its key with `meshcloak keys add NAME --keys FILE`, and set \
                  `accounts.keys` to FILE";
    let Some(path) = &config.keys else {
        return match mode {
            Mode::Demo => Finding::ok("keys", "the demo needs no key"),
            Mode::Guarded => Finding::problem("keys", "`accounts.keys` is not set", advice),
        };
    };
    match read_keys(config, mode) {
        Err(error) => Finding::problem("keys", format!("`accounts.keys`: {error}"), advice),
        Ok(file) if file.accounts.is_empty() => {
            Finding::problem("keys", format!("{} has no account", path.display()), advice)
        }
        Ok(file) => Finding::ok("keys", format!("{} accounts", file.accounts.len())),
    }
}

/// Files that only the account of the gateway may read.
fn secret_files(config: &Config) -> Vec<(&'static str, &Path)> {
    let tls_key = config.server.tls.as_ref().map(|tls| tls.key.as_path());
    let cluster = &config.cluster;
    let files = [
        ("accounts.keys", config.keys.as_deref()),
        ("server.tls_key", tls_key),
        ("server.page_token", config.server.page_token.as_deref()),
        ("users.file", config.users.file.as_deref()),
        ("engine.record", config.engine.record.as_deref()),
        ("cluster.secret", cluster.secret.as_deref()),
        ("cluster.credentials", cluster.credentials.as_deref()),
        ("cluster.nkey", cluster.nkey.as_deref()),
        ("cluster.key", cluster.key.as_deref()),
    ];
    files.into_iter().filter_map(|(key, path)| Some((key, path?))).collect()
}

/// Checks that group and others cannot read or write a file. A group may read if the file belongs to
/// root, as for a certificate that several services share.
fn examine_mode(key: &str, path: &Path) -> Option<Finding> {
    let metadata = fs::metadata(path).ok()?;
    let mode = metadata.mode() & 0o777;
    let allowed = if metadata.uid() == 0 { 0o740 } else { 0o700 };
    if mode & !allowed == 0 {
        return None;
    }
    let message = format!("`{key}`: {} has mode {mode:o}: others can use it", path.display());
    Some(Finding::warning("files", message, format!("chmod 600 {}", path.display())))
}

/// Checks the files that the gateway writes while it runs.
fn examine_written(config: &Config, mode: Mode) -> Vec<Finding> {
    let users = config.users.file.as_deref().map(|path| ("users.file", path));
    let record = config.engine.record.as_deref().filter(|_| records_users(config, mode));
    let record = record.map(|path| ("engine.record", path));
    let mut findings = Vec::new();
    for (key, path) in users.into_iter().chain(record) {
        findings.push(match check_writable(key, path) {
            None => Finding::ok("files", format!("`{key}` can be written")),
            Some(problem) => Finding::problem(
                "files",
                problem,
                "put it into a folder that the gateway's user may write; with the systemd unit that \
                 is /var/lib/meshcloak",
            ),
        });
    }
    if config.users.file.is_none() && config.server.compatible {
        findings.push(Finding::warning(
            "files",
            "`server.compatible` is on, and tokens of users are lost at a restart",
            "set `users.file`, for example to /var/lib/meshcloak/users.json",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use crate::keys::{KeyFile, LimitOverrides};
    use std::os::unix::fs::PermissionsExt as _;

    fn messages(config: &Config, severity: Severity) -> Vec<String> {
        let findings = examine(config, Mode::Guarded).into_iter();
        findings.filter(|finding| finding.severity == severity).map(|f| f.message).collect()
    }

    #[test]
    fn a_missing_or_empty_key_file_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let mut config = Config { keys: Some(path.clone()), ..Config::default() };
        assert!(messages(&config, Severity::Problem)[0].contains("`accounts.keys`"));
        let mut file = KeyFile::default();
        file.write(&path).unwrap();
        assert!(messages(&config, Severity::Problem)[0].contains("no account"));
        file.add("app", LimitOverrides::default()).unwrap();
        file.write(&path).unwrap();
        assert_eq!(messages(&config, Severity::Problem), Vec::<String>::new());
        assert!(messages(&config, Severity::Ok)[0].contains("1 accounts"));
        config.keys = None;
        assert!(messages(&config, Severity::Problem)[0].contains("not set"));
    }

    #[test]
    fn a_secret_that_others_can_read_is_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let mut file = KeyFile::default();
        file.add("app", LimitOverrides::default()).unwrap();
        file.write(&path).unwrap();
        let config = Config { keys: Some(path.clone()), ..Config::default() };
        assert_eq!(messages(&config, Severity::Warning), Vec::<String>::new());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let warnings = messages(&config, Severity::Warning);
        assert!(warnings[0].contains("mode 644"), "{warnings:?}");
    }

    #[test]
    fn files_that_cannot_be_read_or_written_are_problems() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let mut config = Config::default();
        config.server.page_token = Some(missing.clone());
        config.cluster.secret = Some(missing.clone());
        config.users.file = Some(missing.join("below/users.json"));
        let problems = messages(&config, Severity::Problem);
        for key in ["`server.page_token`", "`cluster.secret`", "`users.file`"] {
            assert!(problems.iter().any(|problem| problem.contains(key)), "{key}: {problems:?}");
        }
        config.users.file = Some(folder.path().join("users.json"));
        assert!(messages(&config, Severity::Ok).iter().any(|ok| ok.contains("`users.file`")));
    }

    #[test]
    fn tokens_that_a_restart_forgets_are_a_warning() {
        let mut config = Config::default();
        assert!(!messages(&config, Severity::Warning).iter().any(|text| text.contains("lost")));
        config.server.compatible = true;
        assert!(messages(&config, Severity::Warning).iter().any(|text| text.contains("lost")));
    }
}
