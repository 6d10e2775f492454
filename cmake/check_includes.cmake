# Who may include what. The command, the examples, the bindings, the viewer and the acceptance tests see what users see:
# the headers in include/sinew, their own, and those of other libraries. Public headers include the standard library and
# each other. Run at configuration, and as the test `includes`:
#   cmake -D SOURCE_DIR=... -P cmake/check_includes.cmake

if(NOT SOURCE_DIR)
  set(SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/..)
endif()

file(GLOB internal_folders RELATIVE ${SOURCE_DIR}/src ${SOURCE_DIR}/src/*)
list(JOIN internal_folders "|" internal)
file(GLOB_RECURSE public_parts
  ${SOURCE_DIR}/cli/*.cpp ${SOURCE_DIR}/cli/*.h ${SOURCE_DIR}/examples/*.cpp ${SOURCE_DIR}/examples/*.h
  ${SOURCE_DIR}/scenes/*.cpp ${SOURCE_DIR}/scenes/*.h ${SOURCE_DIR}/validation/*.cpp ${SOURCE_DIR}/validation/*.h ${SOURCE_DIR}/python/*.cpp ${SOURCE_DIR}/python/*.h
  ${SOURCE_DIR}/visual/*.cpp ${SOURCE_DIR}/visual/*.h ${SOURCE_DIR}/viewer/*.cpp ${SOURCE_DIR}/viewer/*.h
  ${SOURCE_DIR}/rollout/*.cpp ${SOURCE_DIR}/rollout/*.h ${SOURCE_DIR}/tests/acceptance/*.cpp
  ${SOURCE_DIR}/tests/native/*.cpp)
list(FILTER public_parts EXCLUDE REGEX "/node_modules/")
foreach(file ${public_parts})
  cmake_path(GET file PARENT_PATH folder)
  file(STRINGS ${file} lines REGEX "^ *# *include *[\"<](src/|\\.\\./|(${internal})/)")
  foreach(line ${lines})
    string(REGEX REPLACE "^ *# *include *[\"<]([^\">]*).*" "\\1" name "${line}")
    if(EXISTS ${folder}/${name} AND NOT name MATCHES "src/")
      continue()  # a header of its own in a folder of that name
    endif()
    message(FATAL_ERROR "${file}: ${line}\nThis part includes sinew/ only. What users need belongs into include/sinew, "
      "tests of internals into tests/unit.")
  endforeach()
endforeach()

file(GLOB_RECURSE public_headers ${SOURCE_DIR}/include/sinew/*.h)
foreach(file ${public_headers})
  file(STRINGS ${file} lines REGEX "^ *# *include *\"")
  foreach(line ${lines})
    string(REGEX REPLACE "^ *# *include *\"([^\"]*).*" "\\1" name "${line}")
    if(NOT name MATCHES "^sinew/" OR NOT (EXISTS ${SOURCE_DIR}/include/${name} OR name STREQUAL "sinew/version.h"))
      message(FATAL_ERROR "${file}: ${line}\nA public header includes public headers only.")
    endif()
  endforeach()
  file(STRINGS ${file} lines REGEX "^ *# *include *<(Eigen|fmt|tbb|pugixml|nlohmann)")
  if(lines)
    message(FATAL_ERROR "${file}: ${lines}\nA public header needs the standard library alone.")
  endif()
endforeach()

# Folders that know no Model: what of src/ they may include beside their own files (docs/architecture.md).
set(pure_base "")
set(pure_math "base")
set(pure_geom "base|math")
set(pure_elastic "base|math")
set(pure_solve "base|math|model/solver_memory.h")
foreach(folder base math geom elastic solve)
  file(GLOB_RECURSE sources ${SOURCE_DIR}/src/${folder}/*.cpp ${SOURCE_DIR}/src/${folder}/*.h)
  foreach(file ${sources})
    file(STRINGS ${file} lines REGEX "^ *# *include *\"(${internal})/")
    foreach(line ${lines})
      if(NOT line MATCHES "\"${folder}/" AND (pure_${folder} STREQUAL "" OR NOT line MATCHES "\"(${pure_${folder}})[/\"]"))
        message(FATAL_ERROR "${file}: ${line}\nsrc/${folder} is a library of its own: see docs/architecture.md.")
      endif()
    endforeach()
  endforeach()
endforeach()
