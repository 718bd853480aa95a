#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The CPU time of an idle window: idle-cpu.sh BUILD-DIR
# Needs xvfb-run, dbus-run-session and xdotool.
set -eu
[ -n "${IDLE_DISPLAY:-}" ] || exec env IDLE_DISPLAY=1 xvfb-run -a -s "-screen 0 1280x900x24" dbus-run-session -- "$0" "$@"
home=$(mktemp -d)
export GDK_BACKEND=x11 GSK_RENDERER=cairo ADW_DISABLE_PORTAL=1 GTK_A11Y=none XDG_DATA_HOME="$home" XDG_CONFIG_HOME="$home"
"$1/app/pteris" 2>/dev/null &
pteris=$!
trap 'kill $pteris; rm -rf "$home"' EXIT

ticks() {
  awk '{ print $14 + $15 }' "/proc/$pteris/stat"
}

measure() {
  before=$(ticks)
  sleep 30
  after=$(ticks)
  awk -v page="$1" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" \
    'BEGIN { printf "%s: %.2f %% of one processor\n", page, ticks / hz / 30 * 100 }'
}

# The cursor in the text field blinks for 10 s.
sleep 20
measure "chat page"
xdotool search --onlyvisible --class pteris windowfocus key ctrl+6
sleep 5
measure "GPU page"
