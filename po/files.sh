# SPDX-License-Identifier: BSD-3-Clause
# Read by the scripts beside it.

# Every file that says something to be translated, in order.
translatable_files() {
  {
    echo resources/org.pteris.Pteris.desktop.in
    echo resources/org.pteris.Pteris.metainfo.xml.in
    grep -lE '\b(_|N_|C_|NC_|ngettext) \(' ui/*.[ch] ui/*/*.[ch]
    grep -l 'translatable="yes"' resources/ui/*.ui
  } | LC_ALL=C sort
}
