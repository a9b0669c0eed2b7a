#!/bin/sh
# Writes what compose.yaml needs, once: whoever loses these values loses every API key and channel credential.
set -eu
for name in POSTGRES_PASSWORD AUTH_SECRET ENCRYPTION_KEY KEY_PEPPER METRICS_TOKEN; do
  printf '%s=%s\n' "$name" "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"
done
