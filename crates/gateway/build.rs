//! The page is embedded: when it is built anew, so is the gateway.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
