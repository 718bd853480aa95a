#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time from the start of the process to the first frame on the screen, files in the cache:
# cold-start.sh BUILD-DIR [ROUNDS [OTHER-PROGRAM [PROGRAM]]]
# Medians; the other program (gnome-text-editor) takes turns with ours, which is PROGRAM, as installed, or that of BUILD-DIR.
# DROP_CACHES=1, as root: nothing is in the cache. Needs xvfb-run and dbus-run-session.
set -eu
[ -n "${COLD_DISPLAY:-}" ] || exec env COLD_DISPLAY=1 xvfb-run -a -s "-screen 0 1280x900x24" dbus-run-session -- "$0" "$@"
build=$1
rounds=${2:-9}
other=${3:-gnome-text-editor}
program=${4:-$build/app/pteris}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export GDK_BACKEND=x11 XDG_DATA_HOME="$home" XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_STATE_HOME="$home" XDG_RUNTIME_DIR="$home"

measure() { # NAME COMMAND...
  name=$1
  shift
  [ -z "${DROP_CACHES:-}" ] || { sync && echo 3 >/proc/sys/vm/drop_caches; }
  "$build/tests/ui/first-frame" "$@" >>"$home/$name" 2>/dev/null || echo "$name shows nothing" >&2
}

median() {
  work=$(sort -n -k 2 "$home/$1" | awk '{ t[NR] = $2 } END { print t[int((NR + 1) / 2)] }')
  sort -n "$home/$1" | awk -v name="$2" -v work="$work" '
    { t[NR] = $1 }
    END { printf "%-28s median %4d ms   best %4d   worst %4d   of %d; processor %d ms\n",
                 name, t[int((NR + 1) / 2)], t[1], t[NR], NR, work }'
}

for renderer in cairo gl; do
  export GSK_RENDERER=$renderer
  rm -f "$home/ours" "$home/other"
  # The first of each fills the caches.
  "$build/tests/ui/first-frame" "$program" >/dev/null 2>&1 || :
  i=0
  while [ $i -lt "$rounds" ]; do
    measure ours "$program"
    if command -v "$other" >/dev/null; then measure other "$other"; fi
    i=$((i + 1))
  done
  median ours "pteris ($renderer)"
  [ ! -s "$home/other" ] || median other "$other ($renderer)"
done
