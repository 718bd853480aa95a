#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A second start hands its files to the first and ends; every action is there over D-Bus:
# single-instance.sh PTERIS
set -eu
for program in xvfb-run dbus-run-session gdbus; do
  command -v "$program" >/dev/null || exit 77
done
[ -n "${INNER:-}" ] || exec env INNER=1 xvfb-run -a -s "-screen 0 1280x900x24" dbus-run-session -- "$0" "$@"
home=$(mktemp -d)
export XDG_DATA_HOME="$home" XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_STATE_HOME="$home" XDG_RUNTIME_DIR="$home"
"$1" &
first=$!
trap 'kill $first 2>/dev/null || :; rm -rf "$home"' EXIT

call() {
  gdbus call --session --dest org.pteris.Pteris --object-path "$1" --method "$2" 2>/dev/null
}

waited=0
until call /org/pteris/Pteris org.gtk.Actions.List >"$home/actions"; do
  waited=$((waited + 1))
  [ $waited -lt 1500 ] || { echo "no window came up"; exit 1; }
  sleep 0.2
done
grep -q "'quit'" "$home/actions" && grep -q "'show-page'" "$home/actions"

printf 'nothing to hear' >"$home/recording.wav"
timeout 300 "$1" "$home/recording.wav" || { echo "the second start did not end well"; exit 1; }
kill -0 $first || { echo "the first one is gone"; exit 1; }
# One window, and no second.
call /org/pteris/Pteris/window/1 org.gtk.Actions.List | grep -q "'new-chat'"
! call /org/pteris/Pteris/window/2 org.gtk.Actions.List || { echo "a second window opened"; exit 1; }
# While it runs it may crash no more for want of graphics: the mark of a start is gone soon.
waited=0
while [ -e "$home/pteris/starting" ]; do
  waited=$((waited + 1))
  [ $waited -lt 1500 ] || { echo "the start still counts as failed"; exit 1; }
  sleep 0.2
done

# A start that ended too early is followed by one with safe graphics.
kill -9 $first
wait $first 2>/dev/null || :
touch "$home/pteris/starting"
unset GSK_RENDERER
G_MESSAGES_DEBUG=all timeout 300 "$1" --exit-after-startup >"$home/log" 2>&1
grep -q 'without the GPU, for the last start failed' "$home/log" || { echo "no safe graphics after a failed start"; cat "$home/log"; exit 1; }
