#!/bin/sh
# Prints the secrets for compose.yaml. Keep them: without them all API keys and channel credentials are lost.
set -eu
for name in POSTGRES_PASSWORD AUTH_SECRET ENCRYPTION_KEY KEY_PEPPER METRICS_TOKEN; do
  printf '%s=%s\n' "$name" "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"
done
