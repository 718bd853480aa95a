#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bad-home.sh PTERIS DATA: a home that is read-only, then one on a full disk: the window opens, models answer, and no half
# file is left. Needs a user namespace, and a display of its own (xvfb-run); skipped without.
set -eu
if [ "${PTERIS_BAD_HOME:-}" = "" ]; then
  command -v xvfb-run >/dev/null || exit 77
  unshare -rm true 2>/dev/null || exit 77
  PTERIS_BAD_HOME=$(mktemp -d)
  export PTERIS_BAD_HOME
  status=0
  unshare -rm "$0" "$@" || status=$?
  rmdir "$PTERIS_BAD_HOME"
  exit $status
fi

pteris=$1
data=$2
home=$PTERIS_BAD_HOME
HOME=$home
GIO_MODULE_DIR=/nowhere
export HOME GIO_MODULE_DIR
# Warnings say what cannot be saved; here they are right.
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME GSETTINGS_BACKEND G_DEBUG

fail() {
  echo "bad-home: $*" >&2
  exit 1
}

answers() {
  "$pteris" chat "$data/chat/qwen3_xnnpack_8da4w" --prompt Hi "$@" | grep -q . || fail "no answer: $home $*"
}

opens() {
  xvfb-run -a -s "-screen 0 1280x900x24" "$pteris" --exit-after-startup || fail "the window does not open"
}

mount -t tmpfs -o ro tmpfs "$home"
answers
answers --isolate
opens
umount "$home"

mount -t tmpfs -o size=64k tmpfs "$home"
head -c 100000 /dev/zero >"$home/full" 2>/dev/null || true
answers
answers --isolate
opens
if "$pteris" transcribe "$data/whisper-mini" "$data/../../resources/starter/jfk.wav" -o "$home/out.srt"; then
  fail "a full disk took a transcript"
fi
left=$(find "$home" -type f ! -name full -size +0 | head -n 1)
[ -z "$left" ] || fail "left: $left"
[ ! -e "$home/out.srt" ] || fail "half a transcript"
umount "$home"
