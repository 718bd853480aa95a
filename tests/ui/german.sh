#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The window speaks another language, from the translations of this build:
# german.sh UI-SCENES A11Y-WALK TRANSLATIONS
set -eu
for program in xvfb-run dbus-run-session localedef; do
  command -v "$program" >/dev/null || exit 77
done
[ -n "${INNER:-}" ] || exec env INNER=1 xvfb-run -a -s "-screen 0 1280x1600x24" dbus-run-session -- "$0" "$@"
work=$(mktemp -d)
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null || exit 77
unset GTK_A11Y
LOCPATH=$work LC_ALL=de_DE.UTF-8 PTERIS_LOCALE_DIR=$3 "$1" error >/dev/null 2>&1 &
shown=$!
trap 'kill $shown; rm -rf "$work"' EXIT
# A walk that begins while the program comes to the bus can keep it from getting there; and the machine
# may be busy with other tests.
sleep 3
tries=0
until "$2" ui-scenes --tree >"$work/tree"; grep -q 'Erneut versuchen' "$work/tree"; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] || break
  sleep 1
done
# From C, from a .ui file, and a button of an error.
for text in 'Heute' 'Neuer Chat' 'Erneut versuchen' 'Nicht geladen\|Konnte nicht geladen werden'; do
  grep -q "$text" "$work/tree" || { echo "“$text” is not there"; exit 1; }
done
