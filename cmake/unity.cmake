# Unity builds: with SINEW_UNITY, the sources of a target are compiled several at a time, so that the headers they share
# are parsed once for all of them. For builds from nothing, which cost a fraction of the time; without it, a change of one
# file compiles that file alone. CMake's own unity files name absolute paths, which keeps clones from sharing what ccache
# holds; these name paths relative to an include directory of the target.

option(SINEW_UNITY "Compile several sources at once: for builds from nothing" OFF)

# sinew_unity(VARIABLE NAME ROOT SIZE): replaces the list of sources in VARIABLE, all below ROOT, by files that include up to
# SIZE sources of one folder each. ROOT must be an include directory of the target. Files that have compile options or
# definitions of their own are not for this list.
function(sinew_unity variable name root size)
  if(NOT SINEW_UNITY)
    return()
  endif()
  set(sources ${${variable}})
  list(SORT sources)
  set(result)
  set(folder "-")
  set(text "")
  set(part 0)
  set(count 0)
  foreach(source IN LISTS sources ITEMS "-end-/-")
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET source PARENT_PATH its_folder)
    if(NOT text STREQUAL "" AND (NOT its_folder STREQUAL folder OR count EQUAL size))
      cmake_path(GET folder FILENAME folder_name)
      set(file ${PROJECT_BINARY_DIR}/unity/${name}/${folder_name}_${part}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
      list(APPEND result ${file})
      math(EXPR part "${part} + 1")
      set(text "")
      set(count 0)
    endif()
    if(NOT its_folder STREQUAL folder)
      set(folder ${its_folder})
      set(part 0)
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${root} OUTPUT_VARIABLE relative)
    string(APPEND text "#include \"${relative}\"  // NOLINT\n")
    math(EXPR count "${count} + 1")
  endforeach()
  # the file that GCC takes for a header is a source with local types
  set_source_files_properties(${result} PROPERTIES
    COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
  set(${variable} ${result} PARENT_SCOPE)
endfunction()
