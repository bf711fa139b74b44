# SPDX-License-Identifier: GPL-3.0-or-later
# Sets HSIM_DATE, seconds since 1970, and SOURCE_DATE_EPOCH of the environment, which CPack heeds:
# what that says already, else the date of the commit, else that of the change log.
set(HSIM_DATE "$ENV{SOURCE_DATE_EPOCH}")
if(HSIM_DATE STREQUAL "" AND EXISTS "${CPACK_HSIM_SOURCE_DIR}/.git")
  execute_process(COMMAND git -C "${CPACK_HSIM_SOURCE_DIR}" log -1 --format=%ct
                  OUTPUT_VARIABLE HSIM_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(HSIM_DATE STREQUAL "")
  file(TIMESTAMP "${CPACK_HSIM_SOURCE_DIR}/CHANGELOG.md" HSIM_DATE "%s" UTC)
endif()
if(NOT HSIM_DATE MATCHES "^[0-9]+$")
  message(FATAL_ERROR "SOURCE_DATE_EPOCH is \"${HSIM_DATE}\": expected seconds since 1970")
endif()
set(ENV{SOURCE_DATE_EPOCH} "${HSIM_DATE}")
