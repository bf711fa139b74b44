# SPDX-License-Identifier: GPL-3.0-or-later
# Two interface targets: hsim_warnings (warnings are errors) and hsim_options (code generation).

option(HSIM_WERROR "Treat warnings as errors" ON)
set(HSIM_SANITIZE "" CACHE STRING "Value for -fsanitize=, for example address,undefined")

option(HSIM_FUZZ "Build the fuzz targets of tests/fuzz instead of the other tests (clang)" OFF)
if(HSIM_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "HSIM_FUZZ needs clang, whose libFuzzer it uses: -DCMAKE_C_COMPILER=clang")
endif()

add_library(hsim_warnings INTERFACE)
target_compile_options(hsim_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual -Wwrite-strings -Wundef
  $<$<BOOL:${HSIM_WERROR}>:-Werror>)

# Contracting a*b+c into one rounding would give other digits on other compilers and machines.
# The same sources make the same bytes wherever they lie: no path of theirs is kept.
add_library(hsim_options INTERFACE)
target_compile_options(hsim_options INTERFACE
  -ffp-contract=off -fvisibility=hidden -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
target_compile_definitions(hsim_options INTERFACE _GNU_SOURCE)

if(HSIM_FUZZ)
  target_compile_options(hsim_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HSIM_SANITIZE)
  target_compile_options(hsim_options INTERFACE
    -fsanitize=${HSIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hsim_options INTERFACE -fsanitize=${HSIM_SANITIZE})
else()
  # _FORTIFY_SOURCE works on optimised code only, and hides faults from the sanitizers.
  target_compile_options(hsim_options INTERFACE
    -fstack-protector-strong
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(hsim_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()
