#!/bin/sh
# Makes the signed lists beside it. private.pem signs them and nothing else; it is no secret.
set -eu
cd "$(dirname "$0")"
sign=../../../packaging/sign-versions
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# list NAME KEY: the standard input, signed
list() {
  cat >"$work/list"
  "$sign" sign "$2" "$work/list" >"$1.versions"
}

right='{"program": "pteris", "issued": "2027-01-15T10:00:00Z", "versions": [
  {"version": "0.9.0", "date": "2026-12-01", "page": "https://pteris.example/0.9.0", "files": []},
  {"version": "0.10.0", "date": "2027-01-15", "page": "https://pteris.example/0.10.0", "later": true, "files": [
    {"name": "Pteris-0.10.0-x64-setup.exe", "bytes": 14454884, "sha256": "f4fe2a15b900e51b739da5e8a483b860f293aa3d52852f66bd8e4864b35069e8"},
    {"name": "pteris_0.10.0-1_amd64.deb", "bytes": 3000000, "sha256": "f606851fe43dd1cf5d3c3e8743d04655895cee9642f62843c8fa22a44efaee9e"}]},
  {"version": "0.2.1", "date": "2026-11-30", "page": "https://pteris.example/0.2.1", "files": []}]}'
changed() { printf '%s\n' "$right" | sed "$2" | list "$1" private.pem; }

[ -f private.pem ] || "$sign" key private.pem public.pem </dev/null
"$sign" key "$work/other.pem" "$work/other-public.pem" </dev/null
printf '%s\n' "$right" | list right private.pem
printf '%s\n' "$right" | list other-key "$work/other.pem"
changed older 's/2027-01-15T10/2027-01-15T09/'
changed wrong-json 's/"files"/files/'
changed wrong-program 's/"pteris"/"fern"/'
changed wrong-issued 's/T10:00:00Z/ 10:00:00Z/'
changed wrong-version 's/"0.9.0"/"0.9.0-rc1"/'
changed wrong-date 's/2026-12-01/2026-02-30/'
changed wrong-page 's|https://pteris.example/0.10.0|http://pteris.example/0.10.0|'
changed wrong-name 's|Pteris-0|../Pteris-0|'
changed wrong-bytes 's/14454884/-1/'
changed wrong-sum 's/f4fe2a/F4FE2A/'
printf '{"program": "pteris", "issued": "2027-01-15T10:00:00Z", "versions": []}' | list no-versions private.pem
