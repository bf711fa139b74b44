#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/sweep --slurm: a job array on a Slurm of this test's own (munged, slurmctld and slurmd with
# their own settings, ports, keys and folders), the same table as GNU parallel's.
# shellcheck disable=SC2016 # names of files with a $ that must stay one
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/sweep.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/sweep.sh"

export PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue sinfo scontrol setpriv; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" -eq 0 ] || skip 'not root: slurmd needs to be'
cd -- "$work"

# The daemons stay children of this shell (-D, --foreground), so that their ids are sure; they end with
# it, even if it is killed.
daemons=()
# shellcheck disable=SC2317 # called by the trap
stop() {
  local ended=$? i
  for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
    kill "${daemons[i]}" 2>/dev/null || true
    wait "${daemons[i]}" 2>/dev/null || true
  done
  (exit "$ended")
  finish
}
trap stop EXIT
background() {
  setpriv --pdeathsig TERM "$@" >>daemons.log 2>&1 </dev/null &
  daemons+=("$!")
}
# ready COMMAND...: waits for it; a daemon that ends, or that never answers, ends the test.
ready() {
  if ! until_true ready_or_ended "$@" || ! "$@"; then
    tail -n 20 -- daemons.log ctld.log slurmd.log >&2
    exit 1
  fi
}
ready_or_ended() {
  local daemon
  "$@" && return 0
  for daemon in "${daemons[@]}"; do
    kill -0 "$daemon" 2>/dev/null || return 0
  done
  return 1
}

# Others may enter the folder of munge's socket, and not write there.
s=$work
mkdir -- munge state spool
chmod 755 . munge
head -c 1024 /dev/urandom >munge/key
chmod 600 munge/key
host=$(hostname -s)
port=$((20000 + $$ % 10000))
cat >slurm.conf <<CONF
ClusterName=sweeptest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
AuthType=auth/munge
AuthInfo=socket=$s/munge/socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MaxArraySize=4
ReturnToService=2
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
SlurmctldPidFile=$s/ctld.pid
SlurmdPidFile=$s/slurmd.pid
SlurmctldLogFile=$s/ctld.log
SlurmdLogFile=$s/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
# Named, so that slurmd does not look for a mounted cgroup; nothing here uses one.
echo 'CgroupPlugin=cgroup/v1' >cgroup.conf
export SLURM_CONF=$s/slurm.conf
touch ctld.log slurmd.log

munge_answers() {
  munge --socket="$s/munge/socket" --no-input 2>/dev/null | unmunge --socket="$s/munge/socket" >/dev/null 2>&1
}
node_is_idle() {
  [[ $(timeout 5 sinfo --noheader --format %T 2>/dev/null) == idle* ]]
}
background munged --foreground --force --num-threads=2 --key-file="$s/munge/key" \
  --socket="$s/munge/socket" --pid-file="$s/munge/pid" --log-file="$s/munge/log" --seed-file="$s/munge/seed"
ready munge_answers
background slurmctld -D
background slurmd -D
ready node_is_idle

mkdir -- 'a $(touch oops); %a'
cd -- 'a $(touch oops); %a'
trace='t $(touch oops);.csv'
cp -- "$SOURCE_DIR/traces/philly.csv" "$trace"
cat >grid.json <<JSON
{ "fixed": { "trace": "$trace" },
  "vary": { "policy": [ "fifo", "las", "hadar:bean=1" ], "limit": [ 10, 20, 30 ] } }
JSON

# Nine points in an array of three tasks at most, one task at a time; a policy that does not work.
sweep grid.json --out slurm --slurm --jobs 1 --slurm-options='--partition all'
expect_exit 4
expect_err '9 points, 9 to run'
expect_err '3 of 9 points failed'
expect_err 'bean'
expect 'three tasks' test "$(find slurm/engine -name 'slurm.*.out' | wc -l)" = 3
sweep grid.json --out parallel --quiet
expect_exit 4
expect_same slurm/results.csv parallel/results.csv
expect 'six rows' test "$(wc -l <slurm/results.csv)" = 7
expect 'nothing in a name was run' test ! -e oops -a ! -e "$HOME/oops" -a ! -e "$work/oops"

# An array that an earlier call left behind is noticed: here one that is held.
name=hsim-sweep-$(printf '%s' "$PWD/slurm" | sha256sum | cut -c 1-12)
sbatch --hold --job-name "$name" --output /dev/null --wrap true >held
sweep grid.json --out slurm --slurm
expect_exit 4
expect_err "scancel --name $name"
scancel --name "$name"

# What Slurm refuses is said.
sweep grid.json --out slurm --slurm --slurm-options='--partition none'
expect_exit 4
expect_err 'sbatch ended with exit 1'
