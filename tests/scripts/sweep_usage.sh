#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/sweep: a wrong grid is named by its place, wrong usage and outputs by what is wrong.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/sweep.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/sweep.sh"
cd -- "$work"

# The pages of hsim --help are those of the real one; asking them once is enough.
"$HSIM" --help >run.help
"$HSIM" generate --help >generate.help
cat >quick <<'SH'
#!/bin/sh
case $1 in --help) exec cat run.help ;; generate) exec cat generate.help ;; *) echo hsim 0 ;; esac
SH
chmod +x quick

# wrong GRID MESSAGE: is refused with it. All are read by one process, below.
cases=()
wrong() {
  cases+=("$1" "$2")
}
# With a policy and a trace, and this in front.
base='"fixed": { "policy": "fifo", "trace": "x.csv" }'

wrong '[1' 'line 1, column 3'
wrong '[]' '$: expected an object, found a list'
wrong '{ "fixed": {}, "fixed": {} }' 'the key "fixed" stands twice in one object'
wrong '{ "fixd": {} }' '$.fixd: unknown key; known: description, fixed, vary'
wrong '{ "fixed": { "policy": "fifo" } }' '$: no "trace" in fixed, vary or zip'
wrong '{ "fixed": { "policy": "fifo", "trace": "-" } }' '$.fixed.trace: expected the name of a file'
wrong '{ "fixed": { "policy": [ "fifo" ] } }' '$.fixed.policy: expected a text, number, boolean or null, found a list'
wrong '{ "fixed": { "policy": { "nam": "fifo" } } }' '$.fixed.policy: expected {"value", "label"} or'
wrong '{ "fixed": { "policy": { "name": "fifo", "option": {} } } }' '$.fixed.policy.option: unknown key'
wrong '{ "fixed": { "policy": { "name": "fifo", "options": { "a": [ 1, {} ] } } } }' \
  '$.fixed.policy.options.a[1]: expected a text, number, boolean or null, found an object'
wrong '{ "fixed": { "policy": { "name": "fifo", "options": { "a": [ 1, 2 ] } } } }' \
  '$.fixed.policy: expected one value, found 2'
wrong '{ "fixed": { "policy": "a\u0000b" } }' '$.fixed.policy: a text with a NUL'
wrong '{ "fixed": { "quiet": 1 } }' '$.fixed.quiet: expected true or false, found a number'
wrong '{ "fixed": { "round": true } }' '$.fixed.round: expected a value, found a boolean'
wrong '{ "fixed": { "round": 1e999 } }' '$.fixed.round: a number beyond those that hsim can read'
wrong '{ "fixed": { "round": NaN } }' 'NaN is no JSON number'
wrong '{ "fixed": { "json": true } }' '$.fixed.json: --json is not for a grid'
wrong '{ "vary": { "sed": [ 1 ] } }' '$.vary.sed: hsim has no option --sed; did you mean "seed"?'
wrong '{ "vary": { "seed": 1 } }' '$.vary.seed: expected a list or a range {"from", "to"}, found a number'
wrong '{ "vary": { "seed": [] } }' '$.vary.seed: the list is empty'
wrong '{ "vary": { "seed": [ 1, [ 2 ] ] } }' '$.vary.seed[1]: expected a text, number, boolean or null, found a list'
wrong '{ "vary": { "seed": { "from": 1 } } }' '$.vary.seed: a range needs "to"'
wrong '{ "vary": { "seed": { "from": 1, "to": "x" } } }' '$.vary.seed.to: expected a number, found a text'
wrong '{ "vary": { "seed": { "from": 1, "to": 0 } } }' '$.vary.seed: "to" lies below "from"'
wrong '{ "vary": { "seed": { "from": 1, "to": 2, "step": 0 } } }' '$.vary.seed.step: expected a number above 0'
wrong '{ "vary": { "seed": { "from": 0, "to": 2, "factor": 2 } } }' '$.vary.seed.factor: expected a number above 1'
wrong '{ "vary": { "seed": { "from": 0, "to": 1e9 } } }' '$.vary.seed: a range of more than 1000000 values'
wrong "{ $base, \"vary\": { \"policy\": [ \"las\" ] } }" '$.vary.policy: policy stands at $.fixed.policy already'
wrong "{ $base, \"vary\": { \"seed\": [ 1, \"1\" ] } }" '$: the same run twice: --policy fifo --trace x.csv --seed 1'
wrong "{ $base, \"vary\": { \"seed\": { \"from\": 1, \"to\": 2000 }, \"round\": { \"from\": 1, \"to\": 2000 } } }" \
  '$: more than 1000000 combinations'
wrong "{ $base, \"zip\": [ { \"seed\": [ 1, 2 ], \"round\": [ 60 ] } ] }" '$.zip[0].round: 1 values, but seed has 2'
wrong "{ $base, \"vary\": { \"seed\": [ 1 ] }, \"only\": [ { \"sed\": 1 } ] }" '$.only[0].sed: not a parameter that varies'
wrong "{ $base, \"vary\": { \"seed\": [ 1 ] }, \"exclude\": [ { \"seed\": 2 } ] }" '$.exclude[0]: no combination is like that'
wrong "{ $base, \"vary\": { \"seed\": [ 1 ] }, \"exclude\": [ { \"seed\": 1 } ] }" '$: only and exclude leave no point'
wrong "{ $base, \"vary\": { \"seed\": [ 1 ] }, \"label\": \"{sed}\" }" '$.label: {sed} is not a parameter that varies'
wrong '{ "fixed": { "trace": { "generate": { "out": "x" } } } }' '$.fixed.trace.generate.out: --out is not for a grid'
wrong '{ "fixed": { "trace": { "generate": { "job": 1 } } } }' \
  '$.fixed.trace.generate.job: hsim generate has no option --job; did you mean "jobs"?'

cat >read.py <<'PY'
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from hsim_sweep import grid, values

options = [grid.help_options(open(page).read()) for page in ("run.help", "generate.help")]
bad = 0
for document, wanted in zip(sys.argv[2::2], sys.argv[3::2]):
    try:
        grid.parse(document, *options)
        said = "nothing"
    except values.GridError as error:
        said = str(error)
    if not said.startswith(wanted):
        print(f"{document}: expected: {wanted}, said: {said}", file=sys.stderr)
        bad += 1
sys.exit(bad > 0)
PY
run "$python" read.py "$SOURCE_DIR/scripts" "${cases[@]}"
expect_exit 0
expect 'all cases' test "${#cases[@]}" -ge 70

printf '[1' >wrong.json
sweep wrong.json --hsim ./quick --dry-run
expect_exit 1
expect_no_out
expect_err 'sweep: wrong.json: line 1, column 3'

printf '{ "fixed": { "policy": "fifo", "trace": "x\377" } }' >bytes.json
sweep bytes.json --hsim ./quick --dry-run
expect_exit 1
expect_err 'bytes.json: byte 42: not UTF-8'

# Numbers keep their digits, ranges are exact.
cat >range.json <<'JSON'
{ "fixed": { "policy": "fifo", "trace": "x.csv", "until": 1e3 },
  "vary": { "scale-arrivals": { "from": 0.1, "to": 0.5, "step": 0.2 }, "round": [ 360.0 ] } }
JSON
sweep range.json --hsim ./quick --dry-run
expect_exit 0
expect 'three points' test "$(grep -o -- '--round.*--until [0-9]*' "$out" | tr '\n' ';')" = \
  '--round 360.0 --scale-arrivals 0.1 --until 1000;--round 360.0 --scale-arrivals 0.3 --until 1000;--round 360.0 --scale-arrivals 0.5 --until 1000;'

run sh -c '"$1" - --hsim ./quick --dry-run <range.json' _ "$SOURCE_DIR/scripts/sweep"
expect_exit 2
expect_err 'a grid from standard input needs --out DIR'
run sh -c '"$1" - --hsim ./quick --out x --dry-run <range.json' _ "$SOURCE_DIR/scripts/sweep"
expect_exit 0

sweep
expect_exit 2
expect_err 'GRID.json is missing'
sweep range.json --rerun --force
expect_exit 2
sweep range.json --slurm --sshloginfile x
expect_exit 2
sweep range.json --chunk 3
expect_exit 2
expect_err '--slurm-options and --chunk need --slurm'
sweep range.json --outputs jobs,event
expect_exit 2
expect_err 'event: expected jobs, events, series, policy-log'
sweep range.json --hsim ./absent
expect_exit 2
expect_err '--hsim ./absent: no program'
sweep absent.json
expect_exit 1
expect_err 'absent.json: No such file or directory'
sweep range.json --hsim ./quick --out range.json --quiet
expect_exit 4
expect_err 'range.json'
run sh -c '"$1" range.json --hsim ./quick --dry-run >/dev/full' _ "$SOURCE_DIR/scripts/sweep"
expect_exit 4
expect_err 'standard output: No space left on device'
sweep --help
expect_exit 0
expect_out 'usage: sweep GRID.json [options]'
sweep --version
expect_exit 0
