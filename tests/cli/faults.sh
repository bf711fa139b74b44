#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes that go, come and are slow, jobs that are withdrawn, as users say it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

cat >"$work/jobs.csv" <<'END'
job_id,arrival_s,model,workers,duration_s
one,0,ResNet-50 (batch size 64),1,2000
two,10,ResNet-50 (batch size 64),1,2000
three,20,ResNet-50 (batch size 64),1,2000
END
small=(--trace "$work/jobs.csv" --cluster v100=2x1 --restart-cost 0 --audit)

cat >"$work/events.csv" <<'END'
event,time_s,target,gpus
node_up,900,n0,
node_down,500,n0,
add_node,100,extra,v100=1
cancel,700,two,
END
hsim --policy fifo "${small[@]}" --events-in "$work/events.csv" --events-out "$work/out.csv" --json
expect_exit 0
expect_out '"cancelled": 1'
expect_out '"finished": 2'
expect_out '"restarts": 1'
expect_out "\"file\": \"$work/events.csv\""
expect 'the node comes when it is added' grep -q '^fifo,100,.*,node_up,,,,extra:v100:0,extra' "$work/out.csv"
expect 'the job is withdrawn' grep -q '^fifo,700,.*,cancel,two,' "$work/out.csv"
hsim --policy fifo "${small[@]}" --events-in "$work/events.csv"
expect_out 'semantics default, events of'

# wrong events: each row on its own
wrong() { # ROW MESSAGE
  printf 'time_s,event,target,gpus\n%s\n' "$1" >"$work/bad.csv"
  hsim --policy fifo "${small[@]}" --events-in "$work/bad.csv"
  expect_exit 1
  expect_err "$work/bad.csv:2: $2"
}
wrong '-1,node_down,n0,' 'column time_s: value "-1"'
wrong '5,node_dwn,n0,' 'column event: value "node_dwn": expected node_down, node_up, drain, undrain, add_node or cancel; did you mean "node_down"?'
wrong '5,node_down,n7,' 'column target: value "n7": expected a node of the cluster, such as n0'
wrong '5,node_down,,' 'column target: value ""'
wrong '5,node_down,n0,v100=1' 'column gpus: value "v100=1": expected nothing but beside add_node'
wrong '5,add_node,n0,v100=1' 'column target: value "n0": expected the name of a node that does not exist yet'
wrong '5,add_node,x,' 'column gpus: value "": expected TYPE=NUMBER'
wrong '5,add_node,x,v100=0' 'column gpus: value "v100=0": expected TYPE=NUMBER'
wrong '5,add_node,x,v100=4 ' 'column gpus: value "v100=4 ": expected TYPE=NUMBER'
wrong '5,cancel,four,' 'column target: value "four": expected the id of a job'
wrong '5,cancel,two,' 'column time_s: value 5: expected a time not before the arrival of job two'
hsim --policy fifo "${small[@]}" --events-in "$work/absent.csv"
expect_exit 1

# random failures: the same seed, the same run; another seed, another one
faulty=(--policy fifo --policy las --trace "$SOURCE_DIR/traces/philly.csv" --limit 60 --mtbf 24 --mttr 2
  --checkpoint-interval 1800 --checkpoint-cost 5 --stragglers 0.25:0.5 --audit --json)
hsim "${faulty[@]}"
expect_exit 0
expect_out '"rollback": "failure"'
expect_out '"mtbf_h": 24'
expect_out '"slow_share": 0.25'
cp -- "$out" "$work/first"
hsim "${faulty[@]}"
expect_same "$work/first" "$out"
hsim "${faulty[@]}" --seed 1
expect_exit 0
expect 'another seed gives another run' test "$(cksum <"$work/first")" != "$(cksum <"$out")"

# wrong usage
for wrong in '--mtbf 0' '--mtbf x' '--mttr 5' '--mtbf-shape 2' '--mtbf 5 --mtbf-shape 0' \
  '--stragglers 0.5' '--stragglers 2:0.5' '--stragglers 0.5:0' '--checkpoint-cost 5' \
  '--checkpoint-interval 0'; do
  read -r -a words <<<"$wrong"
  hsim --policy fifo "${small[@]}" "${words[@]}"
  expect_exit 2
done
