# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed, and the packages: cmake --install, cpack -G DEB, cpack -G TGZ.

include(GNUInstallDirs)

# ---- for policies in libraries of their own ----

add_library(hsim_policy INTERFACE)
add_library(hsim::policy ALIAS hsim_policy)
set_target_properties(hsim_policy PROPERTIES
  EXPORT_NAME policy
  INTERFACE_POSITION_INDEPENDENT_CODE ON)
target_include_directories(hsim_policy INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(hsim_policy INTERFACE c_std_17)
target_compile_options(hsim_policy INTERFACE -ffp-contract=off)

if(HSIM_FUZZ) # without the program there is nothing to install
  return()
endif()

set(packaging "${PROJECT_SOURCE_DIR}/packaging")
set(made "${PROJECT_BINARY_DIR}/packaging")
set(data "${CMAKE_INSTALL_DATADIR}/hsim")
# Not the mask of whoever installs.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# ---- pkg-config and CMake ----

include(CMakePackageConfigHelpers)

# Relative to the file itself where it can be, so that an installation may be moved.
set(HSIM_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(HSIM_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_DATADIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(HSIM_PC_PREFIX "\${pcfiledir}/${up}")
  set(HSIM_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${packaging}/hsim.pc.in" "${made}/hsim.pc" @ONLY)
write_basic_package_version_file("${made}/hsimConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

# ---- the manual ----

find_program(HSIM_GZIP gzip REQUIRED)
mark_as_advanced(HSIM_GZIP)

add_custom_command(OUTPUT "${made}/manual.stamp"
  COMMAND "${CMAKE_COMMAND}" "-DHSIM=$<TARGET_FILE:hsim>" "-DFOLDER=${made}/man1"
          "-DGZIP=${HSIM_GZIP}" -P "${packaging}/make-manual.cmake"
  COMMAND "${CMAKE_COMMAND}" -E touch "${made}/manual.stamp"
  DEPENDS hsim "${packaging}/make-manual.cmake"
  VERBATIM)
add_custom_target(manual ALL DEPENDS "${made}/manual.stamp")

# ---- what goes where ----

install(TARGETS hsim hsim_policy EXPORT hsimTargets RUNTIME)
install(EXPORT hsimTargets NAMESPACE hsim:: DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/hsim")
install(FILES "${packaging}/hsimConfig.cmake" "${made}/hsimConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/hsim")
install(FILES "${made}/hsim.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(DIRECTORY include/hsim TYPE INCLUDE)
install(DIRECTORY "${made}/man1" TYPE MAN)
install(FILES "${packaging}/hsim.bash" RENAME hsim
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(DIRECTORY configs traces DESTINATION "${data}")
install(DIRECTORY docs examples TYPE DOC)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE TYPE DOC)

# The documentation speaks of traces/ and configs/ beside it.
file(RELATIVE_PATH doc_to_data "${CMAKE_INSTALL_FULL_DOCDIR}" "${CMAKE_INSTALL_FULL_DATADIR}/hsim")
foreach(folder traces configs)
  file(CREATE_LINK "${doc_to_data}/${folder}" "${made}/${folder}" SYMBOLIC)
  install(FILES "${made}/${folder}" TYPE DOC)
endforeach()

# ---- packages ----

set(HSIM_MAINTAINER "The hsim authors <authors@hsim.invalid>"
    CACHE STRING "Who is named as maintainer of the packages")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_PACKAGE_VENDOR "The hsim authors")
set(CPACK_PACKAGE_CONTACT "${HSIM_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trace-driven simulator of GPU cluster schedulers")
string(TOLOWER "${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}"
       CPACK_PACKAGE_FILE_NAME)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"hsim replays traces of deep-learning training jobs against a modelled GPU
cluster with several GPU types and reports what each scheduling policy makes
of them: makespan, job completion times, queueing, fairness, utilisation.
The same input gives the same output, byte for byte.
.
The policies of Gavel, Hadar, HadarE, Themis, Tiresias and Voda are built in
beside FIFO, SRTF and others; policies of one's own are loaded from shared
libraries, for which the header files are part of this package.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# One thread: how many there are shows in the bytes.
set(CPACK_THREADS 1)
# What the scripts need to know; CPack hands on what begins with CPACK_.
set(CPACK_HSIM_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_HSIM_GZIP "${HSIM_GZIP}")
set(CPACK_PRE_BUILD_SCRIPTS "${packaging}/before-package.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${packaging}/after-package.cmake")
include(CPack)
