#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual: groff and mandoc have no complaint, and it has all that --help and --list-policies
# have.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# The words of a text, one blank apart, so that line breaks do not matter.
flat() {
  tr -s ' \n\t' ' '
}

# The page that is looked at; `has` is a part of it.
text=''
has() {
  [[ $text == *"$1"* ]]
}

# page NAME [COMMAND]: makes the page, checks it and leaves it as text in $work/NAME.
page() {
  local name=$1
  shift
  hsim manual "$@"
  expect_exit 0
  expect_no_err
  cp -- "$out" "$work/$name.1"
  expect 'plain ASCII' test -z "$(LC_ALL=C tr -d '\000-\176' <"$work/$name.1")"
  if command -v groff >/dev/null; then
    run groff -man -Tascii -ww -z "$work/$name.1"
    expect_exit 0
    expect_no_err
    GROFF_NO_SGR=1 groff -man -Tascii -P-bou -rHY=0 -rLL=300n "$work/$name.1" | flat >"$work/$name"
    groffed=yes
  fi
  if command -v mandoc >/dev/null; then
    # A page without a date is the same for the same sources; the length of lines is mandoc's taste.
    run mandoc -T lint -W style "$work/$name.1"
    expect 'nothing to complain' \
      test -z "$(grep -vE 'missing date|input text line longer than 80 bytes' "$out")"
  fi
}

groffed=''
page hsim
mapfile -t commands < <("$HSIM" complete manual '' | grep -v '^-')
expect 'commands with pages' test "${#commands[@]}" -ge 5
for command in "${commands[@]}"; do
  page "hsim-$command" "$command"
done
if [ -z "$groffed" ]; then
  echo "skipped: groff is not installed"
  trap - EXIT
  rm -rf -- "$work"
  exit 77
fi

# Every option with its argument and its meaning; the exit codes, the lists of generate.
for command in '' "${commands[@]}"; do
  text=$(<"$work/hsim${command:+-$command}")
  hsim ${command:+"$command"} --help
  cp -- "$out" "$work/help"
  grep -oE '^  --[a-z-]+( [^ ]+)?' "$work/help" | sed 's/^ *//' >"$work/options"
  expect 'options in --help' test -s "$work/options"
  while IFS= read -r option; do
    command_line="$option in the page of hsim $command"
    expect "$option" has " $option "
  done <"$work/options"
  # What stands in the right column, from wherever it begins; a meaning of several lines is in one
  # piece in the page.
  sed -nE 's/^ {30}([^ ].*)/\1/p; s/^  --.{25} ([^ ].*)/\1/p' "$work/help" >"$work/meanings"
  while IFS= read -r meaning; do
    command_line="the page of hsim $command"
    expect "$meaning" has "$meaning"
  done < <(sed -E 's/ +/ /g' "$work/meanings")
done
text=$(<"$work/hsim-generate")
for key in lam multi_gpu swing sigma; do
  expect "the key $key" has " :$key="
done

# Every policy with its options.
text=$(<"$work/hsim")
hsim --list-policies
cp -- "$out" "$work/list"
expect 'policies' grep -q '^gavel:' "$work/list"
while IFS= read -r policy; do
  expect "the policy $policy" has "$policy"
done < <(sed -nE 's/^[a-z_]+: (.*)/\1/p' "$work/list")
while read -r key fallback; do
  expect "$key=$fallback" has " $key=$fallback "
done < <(sed -nE 's/^  ([a-z_0-9]+) += ([^ ]+).*/\1 \2/p' "$work/list")

for section in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS POLICIES 'EXIT STATUS' FILES EXAMPLES \
  'SEE ALSO'; do
  expect "section $section" grep -qx -- ".SH $section" "$work/hsim.1"
done
expect 'the baseline in the exit codes' has ' 3 a figure differs from the baseline '

# ---- the command itself ----

hsim manual run
expect_exit 0
expect_same "$out" "$work/hsim.1"
hsim manual nothing
expect_exit 2
expect_no_out
expect_err '"nothing"'
hsim manual inspect convert
expect_exit 2
hsim manual complete
expect_exit 2
