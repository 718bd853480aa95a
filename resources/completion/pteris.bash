# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: pteris itself tells what may follow ("pteris --complete").

_pteris_files() {
  local suffix
  if [ $# = 0 ]; then
    compgen -f -- "$cur"
    return
  fi
  compgen -d -- "$cur"
  for suffix in "$@"; do
    compgen -f -X "!*.$suffix" -- "$cur"
    compgen -f -X "!*.${suffix^^}" -- "$cur"
  done
}

_pteris() {
  local i line word prefix words=() cur=${COMP_WORDS[COMP_CWORD]}
  # "--format=srt" and "random:1" come in pieces.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  [[ $cur != [=:] ]] || cur=
  cur=${cur#[\"\']} cur=${cur//\\/}
  word=${words[-1]#[\"\']} words[-1]=${word//\\/}
  prefix=${words[-1]%"$cur"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :folders)
      compopt -o filenames
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
      ;;
    :files*)
      # Else the colon of "random:" would be quoted.
      ((${#COMPREPLY[@]})) || compopt -o filenames
      # shellcheck disable=SC2086
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(_pteris_files ${line#:files})
      ;;
    *)
      word=${line%%$'\t'*}
      COMPREPLY+=("${word#"$prefix"}")
      [[ $word != *: ]] || compopt -o nospace
      ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" --complete "${words[@]}" 2>/dev/null)
}

complete -F _pteris pteris
