#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bring POTFILES.in and the catalogues up to date with the source. Then translate what is new in po/*.po.
set -eu
cd "$(dirname "$0")/.."
. po/files.sh
{
  echo '# Made by po/update.sh'
  translatable_files
} >po/POTFILES.in
template=$(mktemp)
trap 'rm -f "$template"' EXIT
po/extract.sh "$template"
while read -r language; do
  msgmerge --quiet --update --backup=none --no-fuzzy-matching --sort-by-file "po/$language.po" "$template"
  msgattrib --no-obsolete --output-file="po/$language.po" "po/$language.po"
  printf '%s: ' "$language"
  msgfmt --check --statistics --output-file=/dev/null "po/$language.po"
done <po/LINGUAS
