#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The policy themis on a made-up workload of its own kind: the same bytes twice, its log, its rho
# against the summary's, and the shapes that must not get lost.
# shellcheck disable=SC2016 # the dollars are awk's
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

configs=$SOURCE_DIR/configs
generate() {
  "$SOURCE_DIR/scripts/generate-themis" --apps 12 --days 0.4 --jobs 0.1 --workload 2 "$@"
}
themis() { # TRACE POLICIES [OPTION...]
  local trace=$1 policies=$2
  shift 2
  hsim --policy "$policies" --trace "$trace" --cluster "$configs/clusters/themis64.json" \
    --rates "$configs/rates/themis.csv" --reference-gpu p100 --round 300 --audit \
    --semantics "default:spread=$configs/rates/themis_efficiency.csv" "$@"
  expect_exit 0
}
# The values of a figure, a line a run. The trace has gpu_hours as well, before all runs.
figures() {
  sed -n 's/^ *"'"$1"'": *\([-0-9.e+]*\),*$/\1/p' "$out"
}
near() { # A B RELATIVE
  awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; exit !(d <= r * b && d >= -r * b) }'
}

generate >"$work/t.csv"
generate >"$work/again.csv"
expect_same "$work/t.csv" "$work/again.csv"
run "$SOURCE_DIR/scripts/generate-themis" --apps many
expect_exit 2
expect_err 'usage:'

themis "$work/t.csv" themis --json --policy-log "$work/log.json"
cp -- "$out" "$work/first.json"
expect_out '"rho_paper_max"'
expect_out '"rho_contention_max"'
own=$(figures rho_share_max)
its=$(sed -n '/"rho": {/,/}/s/^ *"max": *\([0-9.e+-]*\),*$/\1/p' "$out")
expect "rho_share_max $own is the summary's $its" near "$own" "$its" 1e-9
expect 'the log tells of auctions' grep -q '"event":"auction","type":"p100","gpus":' "$work/log.json"
expect 'and of payments' grep -q '"c":0\.[0-9]*,"kept":{' "$work/log.json"
expect 'and of leftovers' grep -q '"leftovers":\[{"app":' "$work/log.json"
cp -- "$work/log.json" "$work/first.log"
themis "$work/t.csv" themis --json --policy-log "$work/log.json"
expect_same "$work/first.json" "$out"
expect_same "$work/first.log" "$work/log.json"

hsim --policy themis:lease_s=0 --trace "$work/t.csv"
expect_exit 2
expect_err 'lease_s'
themis "$work/t.csv" themis:preset=authors_sim --json
expect_out '"payment": "none"'
expect_out '"leftover": "none"'
expect_out '"valuation": "speedup"'
expect_out '"lease_s": 1200'

# Without network-bound models placement hardly matters: all take the same GPU time.
generate --network 0 >"$work/compute.csv"
themis "$work/compute.csv" "$(printf 'themis:algorithm=%s,' auction gandiva tiresias optimus slaq srtf)themis:algorithm=srsf" --json
figures gpu_hours | tail -n +2 >"$work/hours"
expect 'seven runs' test "$(wc -l <"$work/hours")" -eq 7
expect 'GPU time within 5 %' awk '{ if (NR == 1 || $1 < lo) lo = $1; if ($1 > hi) hi = $1 }
  END { exit !(hi <= 1.05 * lo) }' "$work/hours"

# The worst app alone gets the offer (f = 1), or all do (f = 0): packing is better with more bids.
for seed in 1 2 3 4 5; do
  generate --network 1 --seed "$seed" >"$work/seed.csv"
  themis "$work/seed.csv" themis:f=0,themis:f=1 --json
  figures gpu_hours | tail -n +2 | paste -sd' ' >>"$work/knob"
done
expect 'GPU time does not fall as f rises' awk '{ a += $1; b += $2 } END { exit !(b >= a) }' "$work/knob"
