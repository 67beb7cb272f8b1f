# Build options and compiler flags of the whole project.

option(TILUS_STATIC "Link LLVM and MLIR statically, for tools that run on any Linux x86-64" OFF)
option(TILUS_BUILD_TESTS "Build the unit tests and configure the lit suites" ON)
option(TILUS_PYTHON_PACKAGE "Build the Python package; needs nanobind, which utils/setup.sh installs" ON)
option(TILUS_CHECKED "Enable internal invariant checks (TILUS_ASSERT and phase verification)" OFF)
set(TILUS_PREBUILT "" CACHE PATH "A build tree or prefix whose libTilus-C.so the Python package takes; nothing else is built")
set(TILUS_SANITIZE "" CACHE STRING "Sanitizers to build with, for example 'address;undefined' or 'thread'")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(TILUS_CCACHE ccache)
if(TILUS_CCACHE)
  set(_ccache ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TILUS_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_ccache})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_ccache})
endif()

# Debian's LLVM is built without assertions, and some of its class layouts depend on NDEBUG:
# every unit is compiled with it, in every build type. TILUS_CHECKED enables our own checks.
add_compile_definitions(NDEBUG)
if(TILUS_CHECKED)
  add_compile_definitions(TILUS_CHECKED)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type -fvisibility-inlines-hidden
                    -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # A stable precompiled header is what lets ccache work with it.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
string(APPEND CMAKE_CXX_FLAGS " -fno-exceptions")

foreach(_sanitizer IN LISTS TILUS_SANITIZE)
  add_compile_options(-fsanitize=${_sanitizer} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${_sanitizer})
endforeach()

find_program(TILUS_LLD NAMES ld.lld-22 ld.lld)
if(TILUS_LLD)
  add_link_options(-fuse-ld=${TILUS_LLD})
endif()
# By its build id the disk cache tells the kernels of one compiler from those of another.
add_link_options(-Wl,--build-id)
if(NOT TILUS_SANITIZE)
  add_link_options(-Wl,--gc-sections)
endif()
if(TILUS_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
