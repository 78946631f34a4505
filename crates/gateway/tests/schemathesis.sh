#!/bin/sh
# Runs schemathesis against a live gateway: no status 500, and every answer matches the API document.
# Usage: schemathesis.sh PATH_TO_MESHCLOAK
set -eu
program=$1
venv=target/schemathesis
if [ ! -x "$venv/bin/schemathesis" ]; then
    python3 -m venv "$venv" || { echo "schemathesis needs python3 with venv" >&2; exit 1; }
    "$venv/bin/pip" install -q schemathesis==4.32.5
fi
log=$venv/gateway.log
: >"$log" # The gateway creates it in the background.
"$program" serve --demo --listen 127.0.0.1:0 --set server.metrics= --set map.source=city:500:7 \
    --set engine.tick=0.1 --set limits.rate=1000000 --set limits.person_rate=60000 \
    --set limits.dt_max=0.3 --set accounts.keys= 2>"$log" &
gateway=$!
trap 'kill $gateway 2>/dev/null || true' EXIT
address=
for _ in $(seq 600); do
    address=$(sed -n 's/^note: listening on //p' "$log")
    [ -n "$address" ] && break
    sleep 0.1
done
[ -n "$address" ] || { cat "$log" >&2; exit 1; }
checks=not_a_server_error,status_code_conformance,content_type_conformance
checks=$checks,response_schema_conformance,unsupported_method,every_line_is_described
SCHEMATHESIS_HOOKS=$(dirname "$0")/schemathesis_hooks.py "$venv/bin/schemathesis" run \
    "http://$address/v1/openapi.json" --seed 1 --max-examples 60 --checks $checks
kill -TERM $gateway
wait $gateway
