//! Addresses of the gateway.

use super::Finding;
use crate::check::check_sockets;
use crate::config::Config;

pub(super) fn examine(config: &Config, has_clients: bool) -> Vec<Finding> {
    let problems = check_sockets(config, has_clients);
    if problems.is_empty() {
        return vec![Finding::ok(
            "sockets",
            format!("clients connect to {}", config.server.listen),
        )];
    }
    let advice = "choose an address of this machine, and a port above 1023 or one that the user of \
                  the gateway may open";
    problems.into_iter().map(|problem| Finding::problem("sockets", problem, advice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn an_address_of_another_machine_is_a_problem() {
        let mut config = Config::default();
        config.server.metrics = None;
        config.server.listen = "192.0.2.1:8080".parse().unwrap();
        let [finding] = &examine(&config, true)[..] else { panic!("one finding") };
        assert_eq!(finding.severity, Severity::Problem);
        assert!(finding.message.contains("`server.listen`"), "{}", finding.message);
        config.server.listen = "127.0.0.1:0".parse().unwrap();
        assert_eq!(examine(&config, true)[0].severity, Severity::Ok);
    }
}
