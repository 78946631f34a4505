#!/bin/sh
# Builds the OCI image of the gateway with buildah, without a network: the binary, the libraries that it
# links from this Debian, root certificates, and nothing else: no shell, no package manager.
# image.sh BINARY [NAME]
set -eu
binary=$1 name=${2:-localhost/meshcloak:latest}
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
moment=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

install -D -m 755 "$binary" "$tree/usr/bin/meshcloak"
strip --strip-all "$tree/usr/bin/meshcloak"
# Lines of ldd: NAME => PATH (ADDRESS), and the loader as PATH (ADDRESS).
for library in $(ldd "$binary" | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p'); do
  install -D -m 755 "$(readlink -f "$library")" "$tree$library"
done
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
  install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
fi
printf 'meshcloak:x:65532:65532::/var/lib/meshcloak:/sbin/nologin\n' | install -D -m 644 /dev/stdin "$tree/etc/passwd"
install -d -m 755 "$tree/etc/meshcloak"
install -d -m 700 "$tree/var/lib/meshcloak"
chown 65532:65532 "$tree/var/lib/meshcloak" 2>/dev/null || true
find "$tree" -exec touch -h -d "@$moment" {} +

# The format of Docker has health checks, that of OCI has none; both run everywhere.
container=$(buildah from --format docker scratch)
buildah add --quiet --chown 0:0 "$container" "$tree/usr" /usr >/dev/null
for folder in etc lib lib64; do
  if [ -d "$tree/$folder" ]; then buildah add --quiet --chown 0:0 "$container" "$tree/$folder" "/$folder" >/dev/null; fi
done
buildah add --quiet --chown 65532:65532 "$container" "$tree/var/lib/meshcloak" /var/lib/meshcloak >/dev/null
buildah config --user 65532:65532 --workingdir /var/lib/meshcloak --port 8443 --volume /var/lib/meshcloak \
  --entrypoint '["/usr/bin/meshcloak"]' --cmd 'serve --config /etc/meshcloak/meshcloak.toml' \
  --healthcheck 'CMD /usr/bin/meshcloak health' --healthcheck-interval 10s --healthcheck-timeout 5s \
  --label "org.opencontainers.image.title=meshcloak" --label "org.opencontainers.image.version=$version" \
  --label "org.opencontainers.image.licenses=MIT OR Apache-2.0" "$container"
buildah commit --quiet --format docker --timestamp "$moment" --rm "$container" "$name" >/dev/null
echo "$name: $(buildah images --format '{{.Size}}' "$name")"
