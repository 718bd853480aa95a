#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A session of its own for one test: session.sh TEST [ARGUMENT...]
# An X server, a bus with the accessibility services, and a window manager that puts windows together
# (shadows, transparency) as on a desktop. Nothing of it is left over.
set -eu
for program in Xvfb dbus-run-session xfwm4; do
  command -v "$program" >/dev/null || { echo "1..0 # SKIP $program is not there"; exit 77; }
done
[ -x /usr/libexec/at-spi-bus-launcher ] || { echo "1..0 # SKIP at-spi2-core is not there"; exit 77; }

if [ "${1:-}" = --inner ]; then # on the bus
  shift
  xfwm4 --compositor=on --vblank=off --sm-client-disable >"$SESSION/xfwm4.log" 2>&1 &
  manager=$!
  status=0
  "$@" >&4 2>&5 4>&- 5>&- || status=$?
  kill $manager 2>/dev/null || :
  wait $manager 2>/dev/null || :
  exit $status
fi

SESSION=$(mktemp -d "${TMPDIR:-/tmp}/hands-XXXXXX")
server=
# The processes of this session, by their environment: services end a moment after their bus.
left_over() {
  grep -lsF "XDG_RUNTIME_DIR=$SESSION/run" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3 | grep -vx $$
}
finish() {
  for signal in 0 0 0 TERM TERM KILL; do
    [ -n "$(left_over)" ] || break
    sleep 0.3
    # shellcheck disable=SC2046
    kill -s $signal $(left_over) 2>/dev/null || :
  done
  [ -z "$server" ] || kill "$server" 2>/dev/null || :
  wait
  rm -rf "$SESSION"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

mkfifo "$SESSION/number"
Xvfb -displayfd 3 -screen 0 "${HANDS_SCREEN:-1280x900}x24" -nolisten tcp 3>"$SESSION/number" 2>"$SESSION/xvfb.log" &
server=$!
read -r number <"$SESSION/number" || { cat "$SESSION/xvfb.log"; exit 1; }

export HANDS_MODELS="${PTERIS_MODELS:-${XDG_DATA_HOME:-$HOME/.local/share}/pteris/models}"
mkdir -m 700 "$SESSION/run" "$SESSION/home"
export SESSION TMPDIR="$SESSION" DISPLAY=":$number" XDG_RUNTIME_DIR="$SESSION/run" HOME="$SESSION/home"
export XDG_CONFIG_HOME="$HOME" XDG_CACHE_HOME="$HOME" XDG_DATA_HOME="$HOME" XDG_STATE_HOME="$HOME"
# No microphone and no loudspeaker, whatever the machine has.
export ALSA_CONFIG_PATH=/dev/null
unset PULSE_SERVER PIPEWIRE_REMOTE WAYLAND_DISPLAY XAUTHORITY SESSION_MANAGER GTK_A11Y DBUS_SESSION_BUS_ADDRESS
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$SESSION/de_DE.UTF-8" 2>/dev/null; then
  export HANDS_LOCPATH="$SESSION"
fi
status=0
# The bus and its services talk, too.
dbus-run-session -- "$0" --inner "$@" 4>&1 5>&2 >"$SESSION/bus.log" 2>&1 || status=$?
exit $status
