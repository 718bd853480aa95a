#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The MIME package is one, and says what our files are: mime-types.sh UPDATE-MIME-DATABASE PACKAGE
set -eu
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export XDG_DATA_HOME="$home"
folder=$home/mime
mkdir -p "$folder/packages"
cp "$2" "$folder/packages/org.pteris.Pteris.xml"
problems=$("$1" "$folder" 2>&1)
[ -z "$problems" ] || { echo "$problems"; exit 1; }
for glob in '\*\.pte' '\*\.bpte' '\*\.ptd'; do grep -q ":$glob\$" "$folder/globs"; done
# Every type of ours that the desktop entry claims.
for type in application/x-executorch-program application/x-executorch-data; do
  grep -q "^$type:" "$folder/globs"
  grep -q "[=;]$type;" "$(dirname "$0")/../../resources/org.pteris.Pteris.desktop.in"
done
