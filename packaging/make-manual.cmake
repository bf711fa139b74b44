# SPDX-License-Identifier: GPL-3.0-or-later
# Writes all pages of the manual, compressed, into FOLDER: cmake -DHSIM=program -DFOLDER=folder
# -DGZIP=gzip -P make-manual.cmake. Which pages there are the program says itself.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${HSIM}" complete manual "" OUTPUT_VARIABLE words
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" words "${words}")
list(FILTER words EXCLUDE REGEX "^-")

function(write_page name)
  execute_process(COMMAND "${HSIM}" manual ${ARGN} OUTPUT_FILE "${FOLDER}/${name}.1"
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${GZIP}" -9 -n "${FOLDER}/${name}.1" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

write_page(hsim)
foreach(word IN LISTS words)
  write_page("hsim-${word}" "${word}")
endforeach()
