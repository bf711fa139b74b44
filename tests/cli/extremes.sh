#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers and files that are far too large: a clear answer within little memory, never a crash, an
# endless loop or an allocation of whatever a file asks for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# A sanitizer reserves more address space than any machine has memory.
if [ -z "${SANITIZE:-}" ]; then
  ulimit -v 3000000
fi
header=job_id,arrival_s,model,workers,steps
printf '%s\n' "$header" 'a,0,CycleGAN,1,10' >"$work/one.csv"
one=(--trace "$work/one.csv")

# refused EXIT MESSAGE ARGUMENT...
refused() {
  local code=$1 message=$2
  shift 2
  hsim "$@"
  expect_exit "$code"
  expect_err "$message"
}

# gangs
printf '%s\n' "$header" 'a,0,CycleGAN,2147483647,10' >"$work/gang.csv"
for policy in fifo las hadar gavel; do
  refused 1 'no job of the trace could run' --policy "$policy" --trace "$work/gang.csv"
done
for policy in hadare themis voda; do # the gang shrinks, or is cut into copies
  hsim --policy "$policy" --trace "$work/gang.csv" --elastic 1:1000000x --audit
  expect_exit 0
done
printf '%s\n' "$header" 'a,0,CycleGAN,2147483648,10' >"$work/gang.csv"
refused 1 'column workers: value "2147483648": expected a whole number from 1 to 2147483647' \
  --policy fifo --trace "$work/gang.csv"

# clusters
refused 2 'numbers from 1 to 10000000' --policy fifo "${one[@]}" --cluster v100=1000000000x1
refused 2 'numbers from 1 to 10000000' --policy fifo "${one[@]}" --cluster v100=1x1000000000
refused 2 '10000000' --policy fifo "${one[@]}" --cluster v100=10000000x10000000
refused 2 'from 0 to 10000000' --policy fifo "${one[@]}" --cluster 1000000000:1:1
for text in '"count":1000000000,"gpus":{"v100":4}' '"count":1e300,"gpus":{"v100":4}' \
  '"gpus":{"v100":1000000000}'; do
  echo "{\"name\":\"x\",\"nodes\":[{$text}]}" >"$work/cluster.json"
  refused 1 'to 10000000' --policy fifo "${one[@]}" --cluster "$work/cluster.json"
done
printf 'sn,cpu_milli,memory_mib,gpu,model\nn1,1,1,1000000000,V100\n' >"$work/list.csv"
refused 1 'column gpu: value "1000000000": expected a whole number from 0 to 10000000' \
  --policy fifo "${one[@]}" --cluster "$work/list.csv"
printf 'event,time_s,target,gpus\nadd_node,0,x,v100=1000000000\n' >"$work/events.csv"
refused 1 'column gpus: value "v100=1000000000"' --policy fifo "${one[@]}" --events-in "$work/events.csv"

# depth: the reader of JSON has a limit of its own
repeat() { # TEXT N
  printf "%.0s$1" $(seq "$2")
}
repeat '[' 100000 >"$work/deep.json"
refused 1 'deep.json:1:1001: arrays and objects nested more than 1000 deep' \
  --policy fifo "${one[@]}" --cluster "$work/deep.json"
refused 1 'nested more than 1000 deep' --policy fifo "${one[@]}" --costs "$work/deep.json"
(
  repeat '{"a[":' 2000
  printf 1
  repeat '}' 2000
) >"$work/deep.json"
refused 1 'nested more than 1000 deep' --policy fifo "${one[@]}" --rates "$work/deep.json"
refused 1 'not valid JSON' --policy fifo "${one[@]}" --check "$work/deep.json"

# length
printf '%s\n' "$header" >"$work/long.csv"
head -c 100000000 /dev/zero | tr '\0' a >>"$work/long.csv"
refused 1 'long.csv:2: a row of more than 1048576 bytes' --policy fifo --trace "$work/long.csv"
truncate -s 257M "$work/long.json"
refused 1 'larger than 268435456 bytes' --policy fifo "${one[@]}" --cluster "$work/long.json"
gzip -1 <"$work/long.json" >"$work/bomb.gz" # 257 MiB in 1
refused 1 'bomb.gz:1: ' --policy fifo --trace "$work/bomb.gz"
refused 1 'larger than 268435456 bytes' --policy fifo "${one[@]}" --cluster "$work/bomb.gz"
rm -f -- "$work"/long.* "$work/bomb.gz"

# times
printf '%s\n' "$header" 'a,0,CycleGAN,1,10' 'b,1e12,CycleGAN,1,10' >"$work/far.csv"
refused 2 'option --mtbf: about 2.08e+12 failures of the 15 nodes' --policy fifo \
  --trace "$work/far.csv" --mtbf 0.001 --mttr 0.001
hsim --policy fifo,las --trace "$work/far.csv" --mtbf 0.001 --mttr 0.001 --until 1000
expect_exit 0
refused 2 'from 0.001 to 1e+12' --policy las "${one[@]}" --round 1e-300
hsim --policy fifo,las,hadar --trace "$work/far.csv" --until 1e-9
expect_exit 0
printf '%s\n' "$header" 'a,0,CycleGAN,1,1e300' >"$work/endless.csv"
for policy in fifo las gavel voda; do
  refused 1 'the run would go on to' --policy "$policy" --trace "$work/endless.csv"
done
for policy in hadar themis; do
  refused 4 'makes no headway' --policy "$policy" --trace "$work/endless.csv"
done

# Nothing to do for long, while nodes fail: no reason to end.
printf '%s\n' "$header" 'a,0,CycleGAN,1,10' 'b,4e6,CycleGAN,1,10' >"$work/pause.csv"
hsim --policy fifo,las --trace "$work/pause.csv" --mtbf 0.1 --mttr 0.1 --restart-cost 0
expect_exit 0
expect_out '2/2'

# generate
refused 2 'from 1 to 100000000' generate --jobs 1000000000000
refused 2 'sizes from 1 to 1000000' generate --gangs 2147483647=1
refused 2 'expected' generate --arrivals diurnal:gap=1e-9
refused 2 'expected at most the 1 jobs' --policy fifo "${one[@]}" --sample 2147483647

# More runs at once than the system has room for: they take turns.
run bash -c 'ulimit -n 64 && "$@"' _ "$HSIM" --policy \
  "$(repeat fifo, 40 | sed 's/,$//')" "${one[@]}" --json --jobs 1000000
expect_exit 0
expect 'all have run' test "$(grep -c '"policy": "fifo"' "$out")" = 40

# More rounds than anyone can wait for.
printf 'job_id,arrival_s,model,workers,steps\na,0,A3C,1,1e13\n' >"$work/endless.csv"
hsim --policy las --trace "$work/endless.csv" --round 0.001
expect_exit 2
expect_err 'option --round: value "0.001": the longest job alone takes'
hsim --policy las --trace "$work/endless.csv" --round 0.001 --until 0.05
expect_exit 0
hsim --policy fifo --trace "$work/endless.csv" --round 0.001 # it acts on events
expect_exit 0
