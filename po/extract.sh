#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All texts of the window, as a template: extract.sh OUT.pot   (run in the root of the source)
# Reads the files of po/POTFILES.in, and the sentences of the catalogue of published models.
set -eu
out=$1
grep -v '^#' po/POTFILES.in | xgettext --files-from=- --directory=. --output="$out" \
  --from-code=UTF-8 --add-comments=Translators --package-name=pteris --copyright-holder='The Pteris authors' \
  --keyword=_ --keyword=N_ --keyword=C_:1c,2 --keyword=NC_:1c,2 --keyword=g_dngettext:2,3 --keyword=ngettext:1,2 \
  --keyword=g_dpgettext2:2c,3 --flag=g_strdup_printf:1:c-format --flag=g_string_append_printf:2:c-format

# xgettext reads no JSON.
sentences=$(mktemp)
trap 'rm -f "$sentences"' EXIT
sed -n 's/.*"about": \("[^"]*"\).*/_(\1);/p' resources/catalogue.json >"$sentences"
xgettext --join-existing --no-location --language=C --output="$out" --from-code=UTF-8 --keyword=_ "$sentences"
