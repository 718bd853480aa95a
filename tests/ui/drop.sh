#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A file is dropped on the window as a file manager does: drop.sh PTERIS DROP-FILES
set -eu
command -v xvfb-run >/dev/null || exit 77
[ -n "${INNER:-}" ] || exec env INNER=1 xvfb-run -a -s "-screen 0 1280x900x24" "$0" "$@"
home=$(mktemp -d)
export XDG_DATA_HOME="$home" XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_STATE_HOME="$home" XDG_RUNTIME_DIR="$home"
export DBUS_SESSION_BUS_ADDRESS=disabled: # one that begins by itself would outlive the folder
"$1" >"$home/log" 2>&1 &
window=$!
trap 'kill $window 2>/dev/null || :; wait $window || :; rm -rf "$home"' EXIT

mkdir "$home/Ольга"
printf 'nothing to hear' >"$home/Ольга/запись 1.wav"
waited=0
while :; do
  status=0
  "$2" --hover 0.5 Pteris "$home/Ольга/запись 1.wav" 2>"$home/why" || status=$?
  [ $status = 2 ] || break
  waited=$((waited + 1))
  [ $waited -lt 1500 ] || break
  sleep 0.2
done
[ $status = 0 ] || { cat "$home/why" "$home/log"; exit 1; }
# The page that it belongs to keeps it.
waited=0
until grep -aq 'запись 1.wav' "$home"/pteris/history.db*; do
  waited=$((waited + 1))
  [ $waited -lt 1500 ] || { echo "the recording is not in the history"; cat "$home/log"; exit 1; }
  sleep 0.2
done
