#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every CASE (a folder with a case.json) on the GPU and prints a line for each, with the largest difference.
#
#     tests/gpu/run.sh [--sanitizer] CASE...
#
# --sanitizer: under compute-sanitizer's memcheck. PTERIS names the program to test, default: the build's.
# Cases for Windows are left out. Exit status: 0 when all passed.

PTERIS=${PTERIS:-$(dirname "$0")/../../build/app/pteris}
checker=
if [ "$1" = --sanitizer ]; then
  checker="compute-sanitizer --tool memcheck --leak-check no --error-exitcode 9 --target-processes all"
  shift
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
for folder; do
  case $folder in *-windows) continue ;; esac
  [ -f "$folder/case.json" ] || continue
  start=$(date +%s%N)
  # shellcheck disable=SC2086
  $checker timeout 300 "$PTERIS" run --steps "$folder/case.json" --trust >"$log" 2>&1
  status=$?
  seconds=$(awk "BEGIN { print ($(date +%s%N) - $start) / 1e9 }")
  summary=$(awk '
    /^step / { steps++; if (match($0, /largest difference [^,]*/)) {
      d = substr($0, RSTART + 19, RLENGTH - 19) + 0; if (d > most) most = d } }
    END { printf "%d steps, largest difference %.3g", steps, most }' "$log")
  if [ $status = 0 ]; then
    passed=$((passed + 1))
    printf 'ok   %-24s %s, %.1f s\n' "$(basename "$folder")" "$summary" "$seconds"
  else
    failed=$((failed + 1))
    printf 'FAIL %-24s %s, %.1f s, status %d\n' "$(basename "$folder")" "$summary" "$seconds" $status
    grep -v ': as expected' "$log" | head -20 | sed 's/^/     /'
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
