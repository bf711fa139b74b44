# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries that hsim links. Each becomes a target hsim::NAME; a missing one ends the configuration
# with the name of the Debian package that has it.

function(hsim_require name library header package)
  find_path(HSIM_${name}_INCLUDE_DIR ${header})
  find_library(HSIM_${name}_LIBRARY ${library})
  mark_as_advanced(HSIM_${name}_INCLUDE_DIR HSIM_${name}_LIBRARY)
  if(NOT HSIM_${name}_INCLUDE_DIR OR NOT HSIM_${name}_LIBRARY)
    message(FATAL_ERROR "hsim needs ${name} (<${header}>, lib${library}): on Debian and Ubuntu, "
                        "apt-get install ${package} (scripts/setup installs all that is missing)."
                        " ${ARGN}")
  endif()
  add_library(hsim::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(hsim::${name} PROPERTIES
    IMPORTED_LOCATION "${HSIM_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HSIM_${name}_INCLUDE_DIR}")
endfunction()

hsim_require(glpk glpk glpk.h libglpk-dev)
hsim_require(cjson cjson cjson/cJSON.h libcjson-dev)
hsim_require(csv csv csv.h libcsv-dev)
hsim_require(zlib z zlib.h zlib1g-dev)
hsim_require(nettle nettle nettle/sha2.h nettle-dev)
hsim_require(gslcblas gslcblas gsl/gsl_cblas.h libgsl-dev)
hsim_require(gsl gsl gsl/gsl_randist.h libgsl-dev)
target_link_libraries(hsim::gsl INTERFACE hsim::gslcblas)
