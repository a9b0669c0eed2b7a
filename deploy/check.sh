#!/bin/sh
# Checks the files of this folder with the programs that they are written for, if they are installed: helm,
# kubectl-validate, promtool, hadolint, systemd-analyze, nginx, caddy, docker. `npm run check` has checks without them.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
missing=

has() {
  command -v "$1" >/dev/null && return
  missing="$missing $1"
  return 1
}
# Prints the result of a command, and its output if it failed.
try() {
  name=$1
  shift
  if "$@" >"$work/words" 2>&1; then
    echo "ok   $name"
  else
    echo "FAIL $name"
    cat "$work/words"
    failed=1
  fi
}
refuses() { ! "$@"; }
render() { helm template tollgate chart/tollgate --kube-version 1.30.0 "$@"; }

if has helm; then
  try "helm lint" helm lint chart/tollgate --strict --set secrets.existingSecret=s
  render --set secrets.existingSecret=s >"$work/least.yaml"
  render --set secrets.existingSecret=s,autoscaling.enabled=true,autoscaling.maxReplicas=3 \
    --set ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=tls,networkPolicy.enabled=true \
    --set serviceMonitor.enabled=true,prometheusRule.enabled=true,migrations.existingSecret=owner,data.storageClassName=fast \
    --set apply.configMap=files,apply.existingSecret=references,apply.prune=5 \
    --set-string config.REQUEST_LOG_DAYS=400 >"$work/all.yaml"
  try "a Secret has to be named" refuses render
  try "connections are reckoned" refuses render --set secrets.existingSecret=s,replicas=9
  try "a Secret for migrations wants their Job" refuses render --set secrets.existingSecret=s \
    --set migrations.existingSecret=owner,migrations.job=false
  render --set secrets.existingSecret=s,migrations.existingSecret=owner >"$work/owner.yaml"
  try "the role that owns the tables is the Job's and its schedule's alone" \
    test "$(grep -c 'secretRef: { name: owner }' "$work/owner.yaml")" = 2
  try "a server migrates nothing then" grep -q 'name: MIGRATE, value: verify' "$work/owner.yaml"
  try "migrations know how long the log of calls is kept" grep -q 'name: REQUEST_LOG_DAYS, value: "400"' "$work/all.yaml"
  try "configuration files are applied, with the name of the release as their label" \
    grep -q -e '--label=tollgate' "$work/all.yaml"
  try "no Job applies files that no value names" refuses grep -q -e 'name: apply' "$work/least.yaml"
  digest=sha256:$(printf %064d 0)
  render --set secrets.existingSecret=s,image.digest="$digest" >"$work/digest.yaml"
  try "a digest decides about the image" grep -q "image: tollgate:.*@$digest" "$work/digest.yaml"
  try "a digest that is none is refused" refuses render --set secrets.existingSecret=s,image.digest=latest
  try "a misspelt value is refused" refuses render --set secrets.existingSecret=s,replicaz=3
  if has kubectl-validate; then
    # Kubernetes itself does not have these two kinds.
    awk 'BEGIN { RS = ORS = "---\n" } !/kind: (ServiceMonitor|PrometheusRule)/' "$work/all.yaml" >"$work/own.yaml"
    try "what is rendered is valid, with nothing switched on" kubectl-validate "$work/least.yaml" --version 1.30
    try "what is rendered is valid, with everything" kubectl-validate "$work/own.yaml" --version 1.30
  fi
else
  missing="$missing kubectl-validate"
fi
if has promtool; then
  try "promtool check rules" promtool check rules ../ops/prometheus/rules.yml
  try "promtool test rules" promtool test rules ../ops/prometheus/rules.*.test.yml
fi
if has hadolint; then
  try "hadolint Dockerfile" hadolint ../Dockerfile
fi
if has systemd-analyze; then
  # The unit is for another machine, so replace the program that it starts.
  sed -e 's#^ExecStart=.*#ExecStart=/bin/true#' -e '/^EnvironmentFile=/d' systemd/tollgate.service >"$work/tollgate.service"
  try "systemd-analyze verify" systemd-analyze verify "$work/tollgate.service"
  try "systemd-analyze security, 2.0 at most" \
    systemd-analyze security --offline=yes --threshold=20 "$work/tollgate.service"
fi
if has nginx && has openssl; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=api.example.com \
    -keyout "$work/privkey.pem" -out "$work/fullchain.pem" 2>/dev/null
  sed "s#/etc/ssl/tollgate#$work#" proxy/nginx.conf >"$work/site.conf"
  echo "pid $work/pid; events {} http { access_log off; include $work/site.conf; }" >"$work/nginx.conf"
  try "nginx -t" nginx -t -q -e stderr -c "$work/nginx.conf"
fi
try "roll-nginx.sh is a script for any shell" sh -n proxy/roll-nginx.sh
if has caddy; then
  try "caddy validate" caddy validate --config proxy/Caddyfile --adapter caddyfile
fi
if docker compose version >/dev/null 2>&1; then
  sh make-secrets.sh >"$work/env"
  try "docker compose config" docker compose --env-file "$work/env" -f compose.yaml config --quiet
else
  missing="$missing docker-compose"
fi
if [ -n "$missing" ]; then
  echo "NOT CHECKED, for the programs are not here:$missing"
fi
exit "$failed"
