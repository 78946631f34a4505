//! `meshcloak doctor`: examines what a gateway depends on, and says what to do.

use crate::progress::Console;
use crate::serve::{Setting, setting};
use crate::stdout;
use anyhow::{Result, bail};
use clap::Args;
use gateway::config::{Config, Mode, Source, Sources};
use gateway::doctor::{Finding, Severity, examine};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Examines map, service, keys, TLS, file modes, clock, limits and memory. Changes nothing. Run it as
/// the user of the gateway, with its settings; the exit code is 1 if there is a problem.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak doctor --config meshcloak.toml
  sudo -u meshcloak meshcloak doctor --config /etc/meshcloak/meshcloak.toml --json")]
pub struct Doctor {
    /// Settings file, TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Any setting, as in limits.k_max=20; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<Setting>,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Examines the settings and prints the findings.
    pub fn run(&self, console: &Console) -> Result<()> {
        let findings = match self.config() {
            Ok(config) => examine_all(&config, console)?,
            Err(error) => {
                let advice = "correct the setting; `meshcloak serve --example` prints all of them";
                vec![Finding::problem("settings", format!("{error:#}"), advice)]
            }
        };
        console.clear();
        let text = if self.json { json(&findings)? } else { render(&findings) };
        stdout::print(&text)?;
        let problems = findings.iter().filter(|found| found.severity == Severity::Problem).count();
        if problems > 0 {
            bail!("{problems} problem{}", if problems == 1 { "" } else { "s" });
        }
        Ok(())
    }

    fn config(&self) -> Result<Config> {
        let mut sources = Sources::new().environment(std::env::vars());
        if let Some(path) = &self.config {
            sources = sources.file(Source::read(path)?);
        }
        for Setting { key, value } in &self.set {
            sources = sources.flag(key, value);
        }
        Ok(Config::load(&sources)?)
    }
}

fn examine_all(config: &Config, console: &Console) -> Result<Vec<Finding>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut findings = examine(config, Mode::Guarded, console).await;
        if !config.cluster.servers.is_empty() {
            findings.push(match fleet::process::connect(&config.cluster).await {
                Ok(_) => Finding::ok("cluster", "the NATS servers answer"),
                Err(error) => Finding::problem(
                    "cluster",
                    format!("`cluster.servers`: {error}"),
                    "check addresses, credentials and TLS of the NATS servers (docs/CLUSTER.md)",
                ),
            });
        }
        Ok(findings)
    })
}

fn json(findings: &[Finding]) -> Result<String> {
    Ok(serde_json::to_string_pretty(findings)? + "\n")
}

fn render(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { topic, severity, message, advice } in findings {
        writeln!(text, "{severity:<8} {topic:<8} {message}").expect("writing to a string");
        if !advice.is_empty() {
            writeln!(text, "{:17} → {advice}", "").expect("writing to a string");
        }
    }
    text
}
