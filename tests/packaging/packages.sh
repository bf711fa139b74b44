#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The packages: a second build of the same sources, in another place, by another path, with another
# mask, makes the same program and the same packages, byte for byte; both packages work where they
# are unpacked, and Debian's own tools find nothing wrong.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
needs cmake cpack ar dpkg-deb dpkg-shlibdeps tar

export SOURCE_DATE_EPOCH=1700000000

# ---- the same bytes twice ----

mkdir -- "$work/another place" "$work/first" "$work/second"
(
  cd -- "$SOURCE_DIR"
  cp -R -- CMakeLists.txt ./*.md LICENSE CITATION.cff cmake configs docs examples include packaging \
    src traces "$work/another place/"
)
(
  umask 077
  export LC_ALL=C TZ=Asia/Tokyo HOME=$work
  run cmake -S "$work/another place" -B "$work/made here" -DBUILD_TESTING=OFF \
    "-DCMAKE_C_COMPILER=$(cached CMAKE_C_COMPILER)" "-DCMAKE_C_FLAGS=$(cached CMAKE_C_FLAGS)" \
    "-DCMAKE_C_FLAGS_RELEASE=$(cached CMAKE_C_FLAGS_RELEASE)"
  expect_exit 0
  run cmake --build "$work/made here" --parallel "$(nproc)"
  expect_exit 0
  run cpack --config "$work/made here/CPackConfig.cmake" -B "$work/second"
  expect_exit 0
  [ "$failures" -eq 0 ]
)
run cpack --config "$BUILD_DIR/CPackConfig.cmake" -B "$work/first"
expect_exit 0
expect_same "$HSIM" "$work/made here/hsim"

packages=()
for package in "$work"/first/hsim*; do
  packages+=("$(basename -- "$package")")
  expect_same "$package" "$work/second/$(basename -- "$package")"
done
expect 'two packages' test "${#packages[@]}" -eq 2
deb=$(echo "$work"/first/hsim_*.deb)
tgz=$(echo "$work"/first/hsim-*.tar.gz)

# ---- what is in them ----

version=$(sed -n 's/^project(hsim VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
run dpkg-deb --field "$deb"
for line in "Package: hsim" "Version: $version-1" "Section: science" "Priority: optional"; do
  expect_out_line "$line"
done
for library in libc6 libcjson1 libcsv3 libglpk libgsl libnettle zlib1g; do
  expect "it depends on $library" grep -q "^Depends:.*$library" "$out"
done
run dpkg-deb --contents "$deb"
expect 'everything is root'"'"'s' test -z "$(grep -v ' root/root ' "$out")"
expect 'everything has the date of the sources' test -z "$(grep -v ' 2023-11-14 ' "$out")"
expect 'nobody else may write' test -z "$(grep '^.....w\|^........w' "$out" | grep -v '^l')"
expect_out './usr/share/doc/hsim/copyright'
expect_out './usr/share/doc/hsim/changelog.Debian.gz'
expect_out './usr/share/man/man1/hsim.1.gz'

if command -v lintian >/dev/null; then
  # The package is not an upload to Debian, which would close the bug that asks for it.
  run lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    --allow-root "$deb"
  expect_exit 0
  expect_no_out
else
  echo "lintian is not installed: its findings are not tested"
fi

# ---- that they work ----

dpkg-deb --extract "$deb" "$work/deb"
mkdir -- "$work/tgz" "$work/results"
tar -xzf "$tgz" -C "$work/tgz" --strip-components=1
simulate "$HSIM" "$SOURCE_DIR" "$work/results/built"
simulate "$work/deb/usr/bin/hsim" "$work/deb/usr/share/hsim" "$work/results/deb"
simulate "$work/tgz/bin/hsim" "$work/tgz/share/doc/hsim" "$work/results/tgz"
expect_same_results "$work/results/built" "$work/results/deb"
expect_same_results "$work/results/built" "$work/results/tgz"

# Into a system of its own, and out of it again.
if [ "$(id -u)" -eq 0 ]; then
  root=$work/root
  mkdir -p -- "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
  touch -- "$root/var/lib/dpkg/status"
  run dpkg --root "$root" --force-depends "--path-include=*" --install "$deb"
  expect_exit 0
  simulate "$root/usr/bin/hsim" "$root/usr/share/hsim" "$work/results/root"
  expect_same_results "$work/results/built" "$work/results/root"
  run dpkg --root "$root" --verify hsim
  expect_exit 0
  expect_no_out
  run dpkg --root "$root" --purge hsim
  expect_exit 0
  expect 'nothing is left' test -z "$(find "$root" -path "$root/var" -prune -o -type f -print)"
fi
