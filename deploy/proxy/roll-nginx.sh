#!/bin/sh
# Restarts the replicas behind nginx one by one, so that no call fails: takes a replica out of nginx's list, waits until
# no worker of nginx chooses it any more, restarts it, waits until it is ready, and puts it back.
#
#   sh roll-nginx.sh /etc/nginx/conf.d/tollgate.conf \
#     '127.0.0.1:3000=systemctl restart tollgate' '10.0.0.2:3000=ssh 10.0.0.2 systemctl restart tollgate'
#
# The file has a line `server ADDRESS ...;` for each replica, as nginx.conf in this folder. A command must return after
# the old server has ended; the server drains meanwhile (LAME_DUCK_SECONDS, DRAIN_SECONDS). Needs curl and ps, and a user
# who may reload nginx. If a step fails, the script stops there: the replica stays out of the list, the others serve.
set -eu

NGINX=${NGINX:-nginx}
NGINX_PID=${NGINX_PID:-/run/nginx.pid}
READY_SECONDS=${READY_SECONDS:-300}

say() { echo "roll-nginx: $*"; }
give_up() {
  say "$*" >&2
  exit 1
}
if [ $# -lt 3 ] || [ ! -w "$1" ]; then
  say "usage: roll-nginx.sh FILE ADDRESS=COMMAND ADDRESS=COMMAND..., with a FILE that may be written" >&2
  exit 2
fi
file=$1
shift

is_ready() { curl --fail --silent --output /dev/null --max-time 5 "http://$1/readyz"; }

# Escapes the dots and brackets of an address for sed.
pattern() { printf '%s' "$1" | sed 's/[].[]/\\&/g'; }

# Replaces the text in place, so that the file keeps its owner, its mode and its mount.
edit() {
  edited=$(sed "$1" "$file")
  printf '%s\n' "$edited" >"$file"
}
# `nginx -s reload` returns before the workers change. The old workers finish their requests and accept no new ones.
workers() { ps -A -o pid= -o ppid= -o args= | awk -v parent="$(cat "$NGINX_PID")" '$2 == parent && /worker process/'; }
reload() {
  $NGINX -t -q || give_up "nginx refuses $file"
  old=$(workers | awk '!/shutting down/ { print $1 }')
  $NGINX -s reload
  waited=0
  while :; do
    taking=$(workers | awk '!/shutting down/ { print $1 }')
    is_changed=true
    [ -n "$taking" ] || is_changed=false
    for pid in $old; do
      case " $(echo $taking) " in *" $pid "*) is_changed=false ;; esac
    done
    ! $is_changed || break
    [ "$waited" -lt 300 ] || give_up "the workers of nginx have not changed within 30 seconds"
    waited=$((waited + 1))
    sleep 0.1
  done
}

for replica in "$@"; do
  address=${replica%%=*}
  grep -Eq "^[[:space:]]*server[[:space:]]+$(pattern "$address")[[:space:];]" "$file" ||
    give_up "$file has no line: server $address"
done
for replica in "$@"; do
  address=${replica%%=*}
  command=${replica#*=}
  for other in "$@"; do
    [ "$other" = "$replica" ] || is_ready "${other%%=*}" || give_up "${other%%=*} is not ready, so $address stays"
  done
  line="^\\([[:space:]]*server[[:space:]]\\{1,\\}$(pattern "$address")\\)"
  say "$address: out of the list"
  edit "s/$line\\([[:space:];]\\)/\\1 down\\2/"
  reload
  say "$address: $command"
  sh -c "$command" || give_up "$address: the command failed; its line in $file has the word down"
  waited=0
  until is_ready "$address"; do
    [ "$waited" -lt "$READY_SECONDS" ] || give_up "$address is not ready; its line in $file has the word down"
    waited=$((waited + 1))
    sleep 1
  done
  edit "s/$line down/\\1/"
  reload
  say "$address: ready, and in the list again"
done
