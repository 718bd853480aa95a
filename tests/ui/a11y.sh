#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every page as a screen reader sees it: a11y.sh UI-SCENES A11Y-WALK [SCENE...]
set -eu
for program in xvfb-run dbus-run-session; do
  command -v "$program" >/dev/null || exit 77
done
[ -x /usr/libexec/at-spi-bus-launcher ] || exit 77
[ -n "${INNER:-}" ] || exec env INNER=1 xvfb-run -a -s "-screen 0 1280x1600x24" dbus-run-session -- "$0" "$@"
scenes=$1
walk=$2
shift 2
[ $# -gt 0 ] || set -- empty done error transcribe find record pictures writing models inspect gpu server no-models welcome preferences preferences-models preferences-safety
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
unset GTK_A11Y
for scene in "$@"; do
  "$scenes" "$scene" >/dev/null 2>&1 &
  shown=$!
  echo "== $scene"
  tries=0
  # On a busy machine it is not there yet, or not all of it.
  until sleep 3; "$walk" ui-scenes ${TREE:+--tree} >"$out" 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || { status=1; break; }
  done
  cat "$out"
  kill $shown
  wait $shown 2>/dev/null || :
  sleep 0.3
done
exit $status
