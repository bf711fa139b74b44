#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The program has the protections that cmake/Flags.cmake asks for, and exports the interface of
# policies and nothing else.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
needs readelf

run readelf --wide --file-header --program-headers --dynamic "$HSIM"
expect_exit 0
expect 'its addresses are random (PIE)' grep -qE '^ *Type: +DYN' "$out"
expect 'marked as such' grep -qE '\(FLAGS_1\).*\bPIE\b' "$out"
expect 'what the linker wrote is read-only (RELRO)' grep -q '^ *GNU_RELRO ' "$out"
expect 'all of it, at the start (BIND_NOW)' grep -qE '\(FLAGS(_1)?\).*\b(BIND_)?NOW\b' "$out"
expect 'no stack with code' grep -qE '^ *GNU_STACK .* RW +0x' "$out"
expect 'nothing is both writable and code' test -z "$(grep -E '^ *LOAD .* RWE ' "$out")"
expect 'no relocation of code' test -z "$(grep TEXTREL "$out")"
expect 'no folder for libraries of its own' test -z "$(grep -E 'RPATH|RUNPATH' "$out")"

run readelf --wide --dyn-syms "$HSIM"
expect 'checks of the stack' grep -qE ' UND __stack_chk_fail\b' "$out"
expect 'checks of buffers (FORTIFY)' grep -qE ' UND __(snprintf|memcpy|fprintf)_chk\b' "$out"
awk '($4 == "FUNC" || $4 == "OBJECT") && $5 != "LOCAL" && $7 ~ /^[0-9]+$/ { sub(/@.*/, "", $8); print $8 }' "$out" >"$work/exported"
expect 'functions of policies' grep -qx hsim_plan_place "$work/exported"
run grep -vE '^(hsim_[a-z_0-9]+|_start|_IO_stdin_used|stdin|stdout|stderr)$' "$work/exported"
expect_no_out
