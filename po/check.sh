#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every text can be translated, and is, into every language of LINGUAS: run in the root of the source.
# What is missing is brought in by po/update.sh.
set -eu
for program in xgettext msgmerge msgfmt msgattrib; do
  command -v "$program" >/dev/null || exit 77
done
. po/files.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
problem() {
  echo "$*"
  status=1
}

translatable_files >"$work/wanted"
grep -v '^#' po/POTFILES.in >"$work/listed"
diff "$work/listed" "$work/wanted" >"$work/difference" || problem "po/POTFILES.in is not up to date:" "$(cat "$work/difference")"

po/extract.sh "$work/new.pot"
while read -r language; do
  msgfmt --check --output-file=/dev/null "po/$language.po" || problem "$language: not well formed"
  msgmerge --quiet --no-fuzzy-matching --output-file="$work/merged.po" "po/$language.po" "$work/new.pot"
  untranslated=$(msgattrib --untranslated --no-obsolete "$work/merged.po")
  [ -z "$untranslated" ] || problem "$language lacks texts:" "$untranslated"
  [ -z "$(msgattrib --only-fuzzy --no-obsolete "po/$language.po")" ] || problem "$language has uncertain texts"
done <po/LINGUAS

# Words between quotes that are given to a function which shows them.
grep -nE '(pteris_window_say|gtk_label_new|gtk_label_set_(text|label)|gtk_button_new_with_(label|mnemonic)|gtk_widget_set_tooltip_text|adw_toast_new|adw_message_dialog_new|gtk_file_filter_set_name) \([^"_]*"[^"]*[a-z]{3}' ui/*.c ui/*/*.c >"$work/plain" || true
[ ! -s "$work/plain" ] || problem "Not translatable:" "$(cat "$work/plain")"
exit $status
