#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/sweep --sshloginfile: over ssh to this machine, with a server, keys and settings of its own.
# shellcheck disable=SC2016 # names of files with a $ that must stay one
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/sweep.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/sweep.sh"

for program in /usr/sbin/sshd ssh ssh-keygen setpriv; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" -eq 0 ] || skip 'not root: sshd needs its folder /run/sshd'
cd -- "$work"
[ -d /run/sshd ] || mkdir -m 755 -- /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
server=''
# shellcheck disable=SC2317 # called by the trap
stop() {
  local ended=$?
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  (exit "$ended")
  finish
}
trap stop EXIT

# A port that is free: the first of some on which the server stays up and answers.
answers() {
  ssh -F ssh_config sweep-test true 2>ssh.err || ! kill -0 "$server" 2>/dev/null
}
port=$((20000 + $$ % 10000))
for ((attempt = 0; attempt < 5; attempt++, port++)); do
  cat >sshd_config <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $work/host
AuthorizedKeysFile $work/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
CONF
  cat >ssh_config <<CONF
Host sweep-test
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $work/user
  IdentitiesOnly yes
  UserKnownHostsFile $work/known_hosts
  StrictHostKeyChecking accept-new
  LogLevel ERROR
CONF
  setpriv --pdeathsig TERM /usr/sbin/sshd -D -e -f "$work/sshd_config" 2>sshd.log &
  server=$!
  if ! until_true answers; then
    cat -- ssh.err sshd.log
    break
  fi
  kill -0 "$server" 2>/dev/null && break
  wait "$server" || true
  server=''
done
[ -n "$server" ] || skip "sshd does not start: $(tail -n 1 -- sshd.log)"

mkdir -- 'a $(touch oops); b'
cd -- 'a $(touch oops); b'
trace='t $(touch oops);.csv'
cp -- "$SOURCE_DIR/traces/philly.csv" "$trace"
cat >grid.json <<JSON
{ "fixed": { "trace": "$trace", "limit": 20 }, "vary": { "policy": [ "fifo", "las", "srtf", "hadar:bean=1" ] } }
JSON
printf '2/ssh -F %s/ssh_config sweep-test\n' "$work" >machines
sweep grid.json --out remote --sshloginfile machines
expect_exit 4
expect_err '1 of 4 points failed'
expect_err 'bean'
expect 'they came by ssh' grep -q 'Accepted publickey\|Connection from\|Starting session' "$work/sshd.log"
sweep grid.json --out here --jobs 1
expect_exit 4
expect_same remote/results.csv here/results.csv
expect 'three rows' test "$(wc -l <here/results.csv)" = 4
expect 'nothing in a name was run' test ! -e oops -a ! -e "$HOME/oops" -a ! -e "$work/oops"
