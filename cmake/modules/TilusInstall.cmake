# What is installed, and the CMake package 'Tilus' in the build tree and in the prefix.
#
# Components, each of which can be installed alone (cmake --install build --component <name>):
#   RuntimeC   libTilusRuntime-C.so and the C headers; needs neither LLVM nor MLIR
#   CAPI       libTilus-C.so
#   Cxx        the C++ libraries, their headers and .td files; needs MLIR
#   Tools      the programs
# The first three have an export set each, so that a package without the others is whole.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TILUS_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Tilus")
# Programs and libraries find the dylibs of LLVM and MLIR where they were found at the build, and Tilus's own
# libraries beside them, wherever the prefix is moved.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
file(RELATIVE_PATH _tilus_lib_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${_tilus_lib_from_bin}")

# The name in the package, Tilus::<name>: the library's without 'Tilus', but for the dialect.
function(tilus_get_export_name result name)
  string(REGEX REPLACE "^Tilus" "" short ${name})
  if(short STREQUAL "IR")
    set(short Dialect)
  endif()
  set(${result} ${short} PARENT_SCOPE)
endfunction()

# A C++ library: Tilus::<Name> here as in the package.
function(tilus_install_library name)
  tilus_get_export_name(export_name ${name})
  add_library(Tilus::${export_name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  target_include_directories(${name} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  # Some class layouts of LLVM depend on it; see TilusOptions.cmake.
  target_compile_definitions(${name} INTERFACE NDEBUG)
  install(TARGETS ${name} EXPORT TilusCxxTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Cxx)
endfunction()

# A shared library of the C API, in a component and an export set of its own.
function(tilus_install_capi_library name component)
  add_library(Tilus::${component} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${component})
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  install(TARGETS ${name} EXPORT Tilus${component}Targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY TILUS_EXPORT_SETS ${component})
endfunction()

function(tilus_install_tool name)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Tools)
endfunction()

# To be called once, behind all targets.
function(tilus_install_package)
  set(package "${PROJECT_BINARY_DIR}/lib/cmake/Tilus")
  get_property(sets GLOBAL PROPERTY TILUS_EXPORT_SETS)
  foreach(set IN LISTS sets ITEMS Cxx)
    export(EXPORT Tilus${set}Targets NAMESPACE Tilus:: FILE "${package}/Tilus${set}Targets.cmake")
    install(EXPORT Tilus${set}Targets NAMESPACE Tilus:: DESTINATION ${TILUS_PACKAGE_DIR} COMPONENT ${set})
  endforeach()

  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/modules/TilusConfig.cmake.in"
    "${package}/TilusConfig.cmake"
    INSTALL_DESTINATION ${TILUS_PACKAGE_DIR} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file("${package}/TilusConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion)
  foreach(set IN LISTS sets ITEMS Cxx)
    install(FILES "${package}/TilusConfig.cmake"
                  "${package}/TilusConfigVersion.cmake"
            DESTINATION ${TILUS_PACKAGE_DIR} COMPONENT ${set})
  endforeach()
  if(TILUS_STATIC)
    file(COPY "${PROJECT_SOURCE_DIR}/cmake/modules/TilusStatic.cmake" DESTINATION "${package}")
    install(FILES "${package}/TilusStatic.cmake" DESTINATION ${TILUS_PACKAGE_DIR} COMPONENT Cxx)
  endif()
  foreach(set IN LISTS sets)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/Tilus-c" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            COMPONENT ${set} FILES_MATCHING PATTERN "*.h")
  endforeach()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/Tilus" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Cxx
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td"
          PATTERN "Tools" EXCLUDE)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/include/Tilus" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Cxx
          FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE PATTERN "Tools" EXCLUDE)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT RuntimeC)
endfunction()
