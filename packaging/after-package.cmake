# SPDX-License-Identifier: GPL-3.0-or-later
# CPack runs this on the packages that it made. Its tar archives hold the order of the file system
# and the name of whoever made them, its Debian packages that one's mask: packed again, they do not.
include("${CMAKE_CURRENT_LIST_DIR}/date.cmake")

cmake_path(GET CPACK_TEMPORARY_DIRECTORY PARENT_PATH folder)
cmake_path(GET CPACK_TEMPORARY_DIRECTORY FILENAME name)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(CPACK_GENERATOR STREQUAL "TGZ")
    execute_process(
      COMMAND tar --create --directory "${folder}" --sort=name --format=gnu "--mtime=@${HSIM_DATE}"
              --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s "${name}"
      COMMAND "${CPACK_HSIM_GZIP}" -9 -n
      OUTPUT_FILE "${package}"
      COMMAND_ERROR_IS_FATAL ANY)
  elseif(CPACK_GENERATOR STREQUAL "DEB")
    execute_process(COMMAND ar t "${package}" OUTPUT_VARIABLE members
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" members "${members}")
    execute_process(COMMAND ar xo "${package}" WORKING_DIRECTORY "${folder}"
                    COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${package}")
    execute_process(COMMAND ar qcD "${package}" ${members} WORKING_DIRECTORY "${folder}"
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
