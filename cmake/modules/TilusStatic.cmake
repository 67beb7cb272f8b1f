# Static linking of LLVM and MLIR (TILUS_STATIC), for programs that need only libc, libm, libz and libzstd.
#
# The packaged MLIR archives name the LLVM dylib in their interface, and LLVMSupport names libz3. Both would come
# back into every program, so the imported targets are corrected here, once.

# The LLVM components of which MLIR's archives use something. An archive that nothing refers to costs no space.
set(TILUS_STATIC_LLVM_COMPONENTS
    Analysis AsmParser BinaryFormat BitReader BitWriter Core Demangle FrontendAtomic FrontendOffloading
    FrontendOpenMP IPO IRReader Linker MC Object Passes Remarks Support Target TargetParser TransformUtils)

if(NOT TARGET zstd::libzstd_shared)
  find_library(TILUS_ZSTD zstd REQUIRED)
  add_library(zstd::libzstd_shared SHARED IMPORTED)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION "${TILUS_ZSTD}")
endif()

llvm_map_components_to_libnames(TILUS_STATIC_LLVM_LIBS ${TILUS_STATIC_LLVM_COMPONENTS})

function(_tilus_replace_in_interface target pattern)
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT libs)
    return()
  endif()
  set(kept "")
  foreach(lib IN LISTS libs)
    if(lib MATCHES "${pattern}")
      list(APPEND kept ${ARGN})
    else()
      list(APPEND kept ${lib})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${kept}")
endfunction()

_tilus_replace_in_interface(LLVMSupport "libz3")
get_property(_mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(_lib IN LISTS _mlir_libs)
  if(TARGET ${_lib} AND NOT _lib STREQUAL "MLIR")
    _tilus_replace_in_interface(${_lib} "^(LLVM|\\$<LINK_ONLY:LLVM>)$" ${TILUS_STATIC_LLVM_LIBS})
  endif()
endforeach()
# Not part of MLIR's dylib, so it names that.
_tilus_replace_in_interface(MLIRExecutionEngine "^(LLVM|MLIR)$" MLIRTargetLLVMIRExport)

# tilus_link_llvm(<target> <LLVM components>...)
function(tilus_link_llvm target)
  llvm_map_components_to_libnames(libs ${ARGN})
  target_link_libraries(${target} PUBLIC ${libs})
endfunction()

# tilus_link_mlir(<target> <MLIR archives>...)
function(tilus_link_mlir target)
  target_link_libraries(${target} PUBLIC ${ARGN})
endfunction()
