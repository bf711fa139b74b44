# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for bash: hsim itself says what a word may become (hsim complete), so that this script
# knows no command, option or policy.

_hsim() {
  local line=${COMP_LINE:0:COMP_POINT} word piece base mark candidate files=''
  local -a words
  COMPREPLY=()
  read -r -a words <<<"$line"
  [[ $line != *[[:blank:]] ]] || words+=('')
  # VARIABLE=value may stand before the program.
  while [ "${#words[@]}" -gt 1 ] && [ "${words[0]}" != "$1" ]; do
    words=("${words[@]:1}")
  done

  # Bash breaks words at some characters more than the shell does, and replaces the last piece only.
  word=${words[-1]}
  piece=$word
  for mark in = :; do
    [[ $COMP_WORDBREAKS != *"$mark"* ]] || piece=${piece##*"$mark"}
  done

  while IFS= read -r candidate; do
    case $candidate in
      :files) files=yes ;;
      :nospace) compopt -o nospace ;;
      *) COMPREPLY+=("${candidate:${#word}-${#piece}}") ;;
    esac
  done < <("${1/#\~\//$HOME/}" complete "${words[@]:1}" 2>/dev/null)

  [ -n "$files" ] || return 0
  compopt -o filenames
  base=${piece##*[=:,]}
  while IFS= read -r candidate; do
    COMPREPLY+=("$candidate")
  done < <(compgen -f -- "$piece" || compgen -f -P "${piece%"$base"}" -- "$base")
}

complete -F _hsim hsim
