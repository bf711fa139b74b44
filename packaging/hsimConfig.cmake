# SPDX-License-Identifier: GPL-3.0-or-later
# find_package(hsim) gives
#   hsim::policy   what a policy in a library of its own is compiled with:
#                  add_library(mine MODULE mine.c)
#                  target_link_libraries(mine PRIVATE hsim::policy)
#   hsim::hsim     the program
include("${CMAKE_CURRENT_LIST_DIR}/hsimTargets.cmake")
