//! The app for phones: whether this binary holds it.

use super::Finding;
use crate::config::Config;
use crate::page::is_embedded;

pub(super) fn examine(config: &Config) -> Option<Finding> {
    config.server.app.then(|| judge(is_embedded()))
}

fn judge(is_embedded: bool) -> Finding {
    if is_embedded {
        return Finding::ok("app", "`/app/` has the app for phones");
    }
    Finding::warning(
        "app",
        "`server.app` is on, but this binary was built without Node and has no app at `/app/`",
        "install npm and build it again (`make deb`, `make image`); `/v1/me` works without the app",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn a_binary_without_the_app_is_a_warning_if_the_app_is_on() {
        assert_eq!(judge(true).severity, Severity::Ok);
        assert_eq!(judge(false).severity, Severity::Warning);
        let mut config = Config::default();
        assert_eq!(examine(&config), None);
        config.server.app = true;
        assert_eq!(examine(&config), Some(judge(is_embedded())));
    }
}
