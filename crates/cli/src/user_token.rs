//! `meshcloak keys token`: creates a personal token of a user at a running gateway, and prints the
//! address of the app with it, as a QR code for the camera of a phone.

use crate::drive::GatewayClient;
use crate::stdout;
use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::IpAddr;

/// The user gets settings if there are none: k and dt without a question. The token is printed once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak keys token jo --gateway https://gateway.example --key mc_…
  MESHCLOAK_KEY=mc_… meshcloak keys token jo --gateway https://gateway.example --plain")]
pub struct UserToken {
    /// Name of the user within the account.
    user: String,
    /// Address of the gateway, as phones reach it.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    gateway: String,
    /// Key of the account.
    #[arg(long, env = "MESHCLOAK_KEY", hide_env_values = true)]
    key: String,
    /// Size of the anonymity set in new settings.
    #[arg(long, default_value_t = 3)]
    k: u64,
    /// Longest waiting time in new settings, in seconds.
    #[arg(long, default_value_t = 20.0)]
    dt: f64,
    /// Print the address only, without the QR code.
    #[arg(long)]
    plain: bool,
}

impl UserToken {
    /// Creates the token.
    pub fn run(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let token = runtime.block_on(self.create())?;
        let address = format!("{}/app/#{token}", self.gateway.trim_end_matches('/'));
        let code = if self.plain { String::new() } else { draw(&address)? };
        stdout::print(&format!("{code}{address}\n"))
    }

    async fn create(&self) -> Result<String> {
        ensure!(
            is_private(&self.gateway),
            "--gateway {}: key and token would be sent in clear text; expected https://",
            self.gateway
        );
        let client = GatewayClient::new(&self.gateway, Some(&self.key))?;
        ensure!(is_segment(&self.user), "`{}`: a name in a path has no / ? # or %", self.user);
        let person = format!("{}/v1/people/{}", client.url, self.user);
        let settings = format!("{person}/settings");
        let known = client.client.get(&settings).bearer_auth(&self.key).send().await?;
        if known.status() == reqwest::StatusCode::NOT_FOUND {
            let body = json!({"k": self.k, "dt": self.dt});
            let put = client.client.put(&settings).bearer_auth(&self.key).json(&body);
            parse(put.send().await?).await?;
        }
        let created = client.client.post(format!("{person}/tokens")).bearer_auth(&self.key);
        let body = parse(created.send().await?).await?;
        body["token"].as_str().map(str::to_owned).context("the response has no token")
    }
}

/// Whether nobody can listen on the way: TLS, or this machine.
fn is_private(gateway: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(gateway) else { return false };
    let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    url.scheme() == "https" || host == "localhost" || is_loopback
}

/// Whether a name can be a segment of a path as it is.
fn is_segment(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '?', '#', '%', ' ']) && name != "." && name != ".."
}

/// Returns the JSON of a response, or an error with the gateway's message.
async fn parse(response: reqwest::Response) -> Result<Value> {
    let status = response.status();
    let body: Value = response.json().await.unwrap_or_default();
    if !status.is_success() {
        bail!("status {}: {}", status.as_u16(), body["message"].as_str().unwrap_or("no message"));
    }
    Ok(body)
}

/// Draws a QR code with half blocks, dark on light, with the quiet zone that readers need.
fn draw(text: &str) -> Result<String> {
    const QUIET: i32 = 4;
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).context("the address is too long")?;
    let (first, last) = (-QUIET, code.size() + QUIET);
    let mut drawn = String::new();
    for y in (first..last).step_by(2) {
        // Terminals differ in their background, so both colours are set.
        drawn.push_str("\x1b[30;47m");
        for x in first..last {
            drawn.push(match (code.get_module(x, y), code.get_module(x, y + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        writeln!(drawn, "\x1b[0m")?;
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn only_tls_and_this_machine_are_private() {
        for gateway in [
            "https://gateway.example",
            "http://127.0.0.1:8080",
            "http://[::1]:1",
            "http://localhost",
        ] {
            assert!(is_private(gateway), "{gateway}");
        }
        for gateway in
            ["http://gateway.example", "http://192.0.2.2:8080", "http://127.0.0.1.example", "x"]
        {
            assert!(!is_private(gateway), "{gateway}");
        }
    }
}
