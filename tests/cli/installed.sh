#!/bin/sh
# installed.sh MESON BUILD: what is installed is complete, and works wherever it is moved to.
set -eu
meson=$1 build=$2
pages=$(cd "$(dirname "$0")/../../resources/man" && ls ./*.1.in | sed 's/\.in$//')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

DESTDIR="$folder/first" "$meson" install -C "$build" --no-rebuild --quiet >/dev/null
prefix=$(dirname "$(dirname "$(find "$folder/first" -type f -name pteris -path '*/bin/*')")")
mkdir "$folder/a folder"
mv "$prefix" "$folder/a folder/there"
cd "$folder/a folder/there"

n=0
failed=0
check() {
  name=$1
  shift
  n=$((n + 1))
  if "$@" >"$folder/output" 2>&1; then echo "ok $n $name"; else
    failed=1
    echo "not ok $n $name"
    sed 's/^/# /' "$folder/output"
  fi
}
have() { ls "$@"; }
every_page() { (cd share/man/man1 && ls $pages); }

check "desktop files" have share/applications/org.pteris.Pteris.desktop share/metainfo/org.pteris.Pteris.metainfo.xml \
  share/icons/hicolor/scalable/apps/org.pteris.Pteris.svg share/icons/hicolor/symbolic/apps/org.pteris.Pteris-symbolic.svg \
  share/mime/packages/org.pteris.Pteris.xml share/glib-2.0/schemas/org.pteris.Pteris.gschema.xml \
  share/dbus-1/services/org.pteris.Pteris.service
check "completions" have share/bash-completion/completions/pteris share/zsh/site-functions/_pteris \
  share/fish/vendor_completions.d/pteris.fish
check "manual pages" every_page
check "the library that CUDA models import from" sh -c 'find lib* -name libpteris-cuda-shims.so | grep .'
check "the program starts" bin/pteris --version
check "the starter models' programs are found" sh -c 'bin/pteris-starter --list | grep -qx whisper-base'
echo "1..$n"
exit $failed
