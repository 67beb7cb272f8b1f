# The project's build rules: libraries, tools, table generation, unit tests.

# What every MLIR-based target links: the two dylibs, or the archives it names (see TilusStatic.cmake).
if(TILUS_STATIC)
  include(TilusStatic)
endif()

# tilus_tablegen(<Td file> <target> "<output> <generator flags>"...)
# Outputs land in the current binary directory, which mirrors include/Tilus.
function(tilus_tablegen td target)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(group IN LISTS ARGN)
    separate_arguments(words UNIX_COMMAND "${group}")
    list(POP_FRONT words output)
    mlir_tablegen(${output} ${words})
  endforeach()
  add_public_tablegen_target(${target})
  add_dependencies(tilus-headers ${target})
endfunction()

add_custom_target(tilus-headers)

# The precompiled header of the common MLIR headers, compiled once and reused by all MLIR-based targets.
add_library(TilusPCH OBJECT ${PROJECT_SOURCE_DIR}/lib/PCH.cpp)
target_precompile_headers(TilusPCH PRIVATE ${PROJECT_SOURCE_DIR}/lib/PCH.h)

# Precompiles the common MLIR headers of the target. Programs are compiled like libraries (-fPIC, not -fPIE),
# without which the compiler refuses the shared header.
function(tilus_use_pch target)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM TilusPCH)
endfunction()

# tilus_add_library(<Name> <sources>... [LINK <targets>...] [MLIR <archives>...] [PLAIN] [PRIVATE_TO_BUILD])
# One library a folder. PLAIN: on LLVM's ADT and Support alone, without MLIR. The MLIR list names the
# MLIR libraries used; with the dylibs they collapse to 'MLIR' and 'LLVM'. PRIVATE_TO_BUILD: not installed.
function(tilus_add_library name)
  cmake_parse_arguments(ARG "PLAIN;PRIVATE_TO_BUILD" "" "LINK;MLIR;LLVM" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_PLAIN)
    tilus_link_llvm(${name} Support ${ARG_LLVM})
  else()
    add_dependencies(${name} tilus-headers)
    tilus_use_pch(${name})
    tilus_link_llvm(${name} Support ${ARG_LLVM})
    tilus_link_mlir(${name} ${ARG_MLIR})
  endif()
  if(NOT ARG_PRIVATE_TO_BUILD)
    tilus_install_library(${name})
  endif()
endfunction()

if(NOT TILUS_STATIC)
  function(tilus_link_llvm target)
    target_link_libraries(${target} PUBLIC LLVM)
  endfunction()
  function(tilus_link_mlir target)
    target_link_libraries(${target} PUBLIC MLIR LLVM)
  endfunction()
endif()

# Gives a program the options of the sanitizers that it is built with.
function(tilus_add_sanitizer_defaults target)
  if(TILUS_SANITIZE)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/SanitizerDefaults.cpp")
  endif()
endfunction()

# tilus_add_tool(<name> <sources>... LINK <targets>... [MLIR <archives>...] [LLVM <components>...]
#                [ARCHIVES <archives>...])
# ARCHIVES are archives of MLIR that its dylib has not. They are named by path, since their targets name the
# archives of MLIR beside the dylib.
function(tilus_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR;LLVM;ARCHIVES" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tilus_add_sanitizer_defaults(${name})
  add_dependencies(${name} tilus-headers)
  tilus_use_pch(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT TILUS_STATIC)
    foreach(archive IN LISTS ARG_ARCHIVES)
      target_link_libraries(${name} PRIVATE $<TARGET_FILE:${archive}>)
    endforeach()
  endif()
  tilus_link_mlir(${name} ${ARG_MLIR})
  tilus_link_llvm(${name} ${ARG_LLVM})
endfunction()

# tilus_add_unittest(<Name> <sources>... LINK <targets>... [MLIR <archives>...]): a gtest program, registered
# with ctest. With MLIR it uses MLIR's headers, precompiled.
function(tilus_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tilus_add_sanitizer_defaults(${name})
  if(ARG_MLIR)
    add_dependencies(${name} tilus-headers)
    tilus_use_pch(${name})
    tilus_link_mlir(${name} ${ARG_MLIR})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME unit.${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY TILUS_UNITTESTS ${name})
endfunction()
