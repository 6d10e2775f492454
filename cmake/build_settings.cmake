# How Sinew's own targets are compiled. Nothing here reaches a project that embeds the library.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(SINEW_DEVELOPER)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # looked for once: a ccache that is installed later would compile everything again
    if(NOT DEFINED CACHE{SINEW_CCACHE})
      find_program(SINEW_CCACHE ccache)
    endif()
    if(SINEW_CCACHE)
      # Paths relative to the source tree, so that clones and worktrees share what is cached. Depend mode compares the
      # bytes of every header. The other mode compares preprocessed text, which does not see an edited comment, and then
      # hands out a precompiled header whose checksums of `#pragma once` files are no longer those of the files. The
      # namespace keeps entries of that mode apart.
      set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
        CCACHE_NAMESPACE=sinew-depend CCACHE_SLOPPINESS=pch_defines,time_macros ${SINEW_CCACHE})
    endif()
  endif()
endif()

# Eigen as all our targets must see it: one setting for the whole program, because its templates are inlined everywhere.
# A fresh matrix holds garbage; in debug builds it holds NaN, so that using it shows.
add_library(sinew_eigen INTERFACE)
target_compile_definitions(sinew_eigen INTERFACE
  EIGEN_MPL2_ONLY
  EIGEN_DONT_PARALLELIZE
  $<$<CONFIG:Debug>:EIGEN_INITIALIZE_MATRICES_BY_NAN>)

# Compile options of a target of ours.
function(sinew_target_settings target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)

  # The same source gives the same bits on every compiler and level: a*b+c is never fused behind our back.
  target_compile_options(${target} PRIVATE -ffp-contract=off $<$<CONFIG:Release>:-O3>)

  # GCC's garbage collection is a tenth of the time, and never frees what matters: only above 1 GB per process
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)

  # Functions of the library call each other directly and may be inlined, although its code is position independent and
  # they could be replaced at load time: nobody does that. Clang never allows for it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)

  # vectors are passed by value to functions that are always inlined only: no calling convention is at stake
  target_compile_options(${target} PRIVATE -Wno-psabi)

  if(SINEW_DEVELOPER)
    # int indexes arrays throughout, hence no -Wsign-conversion, which Clang alone counts as part of -Wconversion
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
    set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
    # GCC's flow analysis guesses wrong about inlined Eigen code at -O3: tell, but do not stop
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:
      -Wno-error=maybe-uninitialized -Wno-error=restrict -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread>)
  endif()

  if(SINEW_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # public, so that whatever links the static library gets the runtime
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${SINEW_SANITIZE}>)
  endif()
endfunction()

# Precompiled headers of a target that sees src/, if asked for. Every source includes what it uses all the same: the other
# presets compile without them.
function(sinew_precompile target)
  if(SINEW_PRECOMPILE)
    # so that ccache can tell what was compiled with which precompiled header
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstddef> <cstdint> <limits> <map> <optional> <span> <string> <string_view> <vector>
      <Eigen/Core> <Eigen/Geometry> <fmt/format.h>
      <sinew/data.h> <sinew/model.h> <sinew/spec.h> ${ARGN})  # no path of this clone, so that clones share it
  endif()
endfunction()
