# SPDX-License-Identifier: GPL-3.0-or-later
# CPack runs this on the tree that is to become a package. Adds what only a Debian package has, and
# gives all files one date, that of the sources, so that the same sources make the same package.
include("${CMAKE_CURRENT_LIST_DIR}/date.cmake")
set(tree "${CPACK_TEMPORARY_DIRECTORY}")

if(CPACK_GENERATOR STREQUAL "DEB")
  set(doc "${tree}/usr/share/doc/hsim")
  # The licence is in the copyright file by its name; Debian has a name for the list of changes.
  file(REMOVE "${doc}/LICENSE")
  file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
  file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/copyright" "${doc}/copyright")
  execute_process(COMMAND date --utc --rfc-email "--date=@${HSIM_DATE}" OUTPUT_VARIABLE date
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${doc}/changelog.Debian"
"hsim (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; the changes are in changelog.gz beside this file.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND "${CPACK_HSIM_GZIP}" -9 -n "${doc}/changelog" "${doc}/changelog.Debian"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD "${doc}/copyright" "${doc}/changelog.Debian.gz"
       PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()

# Folders above what is installed are made with the mask of whoever packs.
execute_process(COMMAND find "${tree}" -type d -exec chmod u=rwx,go=rx "{}" +
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find "${tree}" -exec touch --no-dereference "--date=@${HSIM_DATE}" "{}" +
                COMMAND_ERROR_IS_FATAL ANY)
