#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An installation works wherever it is put, needs nothing of the source or build tree, and gives
# policies in libraries of their own what they need: by pkg-config and by CMake.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
needs cc pkg-config cmake man groff

# ---- the files ----

run env DESTDIR="$work/staged" cmake --install "$BUILD_DIR" --prefix /opt/some
expect_exit 0
# Moved to another place than it was made for, one with a blank.
mkdir -- "$work/a place"
mv -- "$work/staged/opt/some" "$work/a place/hsim"
here="$work/a place/hsim"
for file in bin/hsim include/hsim/policy.h share/pkgconfig/hsim.pc share/cmake/hsim/hsimConfig.cmake \
  share/man/man1/hsim.1.gz share/man/man1/hsim-inspect.1.gz share/hsim/traces/philly.csv \
  share/hsim/configs/clusters/philly.json share/bash-completion/completions/hsim \
  share/doc/hsim/{README.md,CHANGELOG.md,LICENSE,CITATION.cff,docs/model.md,traces/philly.csv} \
  share/doc/hsim/{configs/clusters/philly.json,examples/policy/lifo.c}; do
  expect "$file is installed" test -s "$here/$file"
done
expect 'nothing outside the prefix' test -z "$(find "$work/staged" -type f)"
for header in "$SOURCE_DIR"/include/hsim/*.h; do
  expect_same "$header" "$here/include/hsim/$(basename -- "$header")"
done
run grep -rlF -e "$SOURCE_DIR" -e "$BUILD_DIR" "$here"
expect 'no path of the source or build tree in it' test "$status" -eq 1

# --prefix alone puts the same files there.
run cmake --install "$BUILD_DIR" --prefix "$work/prefix"
expect_exit 0
run diff -r "$work/prefix" "$here"
expect_exit 0

# ---- the program ----

mkdir -- "$work/results"
simulate "$HSIM" "$SOURCE_DIR" "$work/results/built"
simulate "$here/bin/hsim" "$here/share/doc/hsim" "$work/results/installed"
expect_same_results "$work/results/built" "$work/results/installed"

# The manual's examples, with the data that is installed.
cp -R -- "$here/share/hsim" "$work/examples"
man -l "$here/share/man/man1/hsim.1.gz" 2>/dev/null | sed -n '/^EXAMPLES/,/^SEE ALSO/p' |
  grep '^ *hsim ' >"$work/commands"
expect 'examples in the manual' test "$(wc -l <"$work/commands")" -ge 5
while IFS= read -r line; do
  run env --chdir="$work/examples" "PATH=$here/bin:$PATH" bash -c "$line"
  expect_exit 0
done <"$work/commands"

# ---- policies ----

export PKG_CONFIG_PATH="$here/share/pkgconfig"
version=$(pkg-config --modversion hsim)
run "$here/bin/hsim" --version
expect_out_line "hsim $version"

mkdir -- "$work/pc"
for name in lifo template; do
  run sh -c "cc -std=c17 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags hsim) -o \"\$1\" \"\$2\"" \
    sh "$work/pc/$name.so" "$here/share/doc/hsim/examples/policy/$name.c"
  expect_exit 0
done

run cmake -S "$here/share/doc/hsim/examples/policy" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$here"
expect_exit 0
run cmake --build "$work/cmake"
expect_exit 0

# A project that asks for another version than there is.
mkdir -- "$work/newer"
cat >"$work/newer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(newer LANGUAGES C)
find_package(hsim 99 REQUIRED)
END
run cmake -S "$work/newer" -B "$work/newer/build" "-DCMAKE_PREFIX_PATH=$here"
expect_exit 1
expect_err "version: $version"

# Each set of libraries in a folder of its own, by the same names, with its own hsim.
ln -s -- "$BUILD_DIR/examples/policy" "$work/built"
for way in built pc cmake; do
  mkdir -- "$work/run.$way"
  ln -s -- "$work/$way/lifo.so" "$work/$way/template.so" "$here/share/hsim/traces" "$work/run.$way/"
  program=$here/bin/hsim
  [ "$way" != built ] || program=$HSIM
  simulate "$program" "$work/run.$way" "$work/results/$way" \
    --policy ./lifo.so,./lifo.so:young=3600,./template.so
done
expect_same_results "$work/results/built" "$work/results/pc"
expect_same_results "$work/results/built" "$work/results/cmake"
