#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What bash completes: the script that is installed, driven as bash drives it, and that what it
# offers is what hsim takes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"

mkdir -- "$work/bin" "$work/there"
ln -s -- "$HSIM" "$work/bin/hsim"
export PATH="$work/bin:$PATH"
unset -f hsim # the program itself, as in a shell
cd -- "$work/there"
touch -- jobs.csv 'my jobs.csv' mine.so other.txt
mkdir -- traces

# shellcheck source=packaging/hsim.bash
. "$SOURCE_DIR/packaging/hsim.bash"
# Outside of a completion the builtin only complains.
compopt() {
  printf '%s\n' "$2" >>"$work/compopt"
}

# typed LINE: what may stand for the end of the line, as bash asks for it; $out has one a line.
typed() {
  command_line="completion of: $1"
  COMP_LINE=$1
  COMP_POINT=${#1}
  status=0
  : >"$work/compopt"
  _hsim hsim 2>"$err"
  : >"$out"
  [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort >"$out"
}

# offers WORD...: exactly these, in any order.
offers() {
  printf '%s\n' "$@" | LC_ALL=C sort >"$work/wanted"
  [ $# -gt 0 ] || : >"$work/wanted"
  expect_same "$work/wanted" "$out"
}

# ---- commands and options ----

typed 'hsim in'
offers inspect
typed 'hsim --tra'
offers --trace --trace-format
typed 'hsim inspect --js'
offers --json
typed 'hsim generate --jso'
offers
typed 'A=1 hsim conv'
offers convert
typed 'hsim --nothing'
offers
mapfile -t commands < <(run hsim --help && grep -oE '^ {7}hsim [a-z]+' "$out" | sed 's/.* //')
expect 'commands in --help' test "${#commands[@]}" -ge 5
typed 'hsim '
for word in run "${commands[@]}"; do
  expect_out_line "$word"
done
expect 'no command that is not for people' test -z "$(grep -x complete "$out")"

# All options of --help, for each command.
for command in '' "${commands[@]}"; do
  typed "hsim $command --"
  cp -- "$out" "$work/offered"
  run hsim ${command:+"$command"} --help
  grep -oE '^  --[a-z-]+' "$out" | tr -d ' ' | LC_ALL=C sort >"$work/wanted"
  expect 'options in --help' test -s "$work/wanted"
  expect_same "$work/wanted" "$work/offered"
done

# ---- policies; bash breaks words at : and = and replaces the last piece ----

typed 'hsim --policy gav'
offers gavel
expect 'the value may go on' grep -qx nospace "$work/compopt"
typed 'hsim --policy fifo,had'
offers fifo,hadar fifo,hadare
typed 'hsim --policy gavel:obj'
offers objective=
typed 'hsim --policy=fifo,gavel:comp'
offers compat=
typed 'hsim --policy gavel:compat='
offers code fixed
typed 'hsim --policy gavel:compat=code:defi'
offers deficits=
typed 'hsim --policy fifo:backfill='
offers 0 1
typed 'hsim --policy nothing:'
offers
COMP_WORDBREAKS=$' \t\n"'
typed 'hsim --policy=gavel:compat=co'
offers --policy=gavel:compat=code
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
typed 'hsim --list-policies hadare'
offers hadare

# Every policy with every option.
run hsim --list-policies
grep -oE '^[a-z_]+:' "$out" | tr -d : | LC_ALL=C sort >"$work/policies"
typed 'hsim --policy '
expect 'all policies' test -z "$(comm -23 "$work/policies" "$out")"
while IFS= read -r policy; do
  run hsim --list-policies "$policy"
  grep -oE '^  [a-z_0-9]+ +=' "$out" | tr -d ' ' | LC_ALL=C sort >"$work/wanted"
  typed "hsim --policy $policy:"
  expect_same "$work/wanted" "$out"
done <"$work/policies"

# ---- files ----

typed 'hsim --trace jo'
offers jobs.csv
expect 'bash quotes the names' grep -qx filenames "$work/compopt"
typed 'hsim --trace=my'
offers 'my jobs.csv'
typed 'hsim inspect t'
offers traces
typed 'hsim --policy ./mi'
offers ./mine.so
typed 'hsim --policy fifo,./mi'
offers fifo,./mine.so
typed 'hsim --round j'
offers

# ---- what is offered is what is taken ----

# takes LINE: hsim says of a wrong value what it expects; the same is offered for LINE.
takes() {
  local line=$1
  shift
  typed "hsim $line"
  LC_ALL=C sort -u -- "$out" >"$work/offered"
  # shellcheck disable=SC2086 # plain words
  run hsim "$@" ${line}no_such_value
  expect_exit 2
  sed -n 's/ (default .*//; s/; did you mean .*//; s/.*[Ee]xpected \(one of: \)\{0,1\}//p' "$err" |
    tr -s ' ,|' '\n' | grep -vx or | LC_ALL=C sort -u >"$work/wanted"
  expect 'a list of values in the message' test "$(wc -l <"$work/wanted")" -ge 2
  expect_same "$work/wanted" "$work/offered"
}

run_options=(--policy fifo --trace "$SOURCE_DIR/traces/gavel/debug.trace")
for option in trace-format time-unit repeated-hour fractional attempts assign on-bad-row; do
  takes "--$option " "${run_options[@]}"
done
takes --assign= "${run_options[@]}"
takes '--semantics ' "${run_options[@]}"
takes '--semantics default:grid=' "${run_options[@]}"
takes '--semantics gavel:freed=' "${run_options[@]}"
# A preset of costs may be a file, too.
mkdir -- "$work/empty"
cd -- "$work/empty"
takes '--costs ' "${run_options[@]}"
for option in preset arrivals durations; do
  takes "generate --$option "
done
takes 'generate --to '
for setting in gavel:objective= gavel:compat= voda:placement= fifo:consolidate=; do
  takes "--policy $setting" --trace "$SOURCE_DIR/traces/gavel/debug.trace"
done

# ---- the command itself ----

run hsim complete
expect_exit 2
expect_err 'complete'
