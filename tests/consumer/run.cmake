# Installs Sinew into an empty prefix, then configures, builds and runs the project beside this file against it, and
# with it the program that the README shows.

set(work ${SINEW_BINARY_DIR}/consumer)
file(REMOVE_RECURSE ${work})

file(READ ${CMAKE_CURRENT_LIST_DIR}/../../README.md readme)
if(NOT readme MATCHES "```cpp\n(([^`]|`[^`])*)```")
  message(FATAL_ERROR "README.md shows no C++ program")
endif()
file(WRITE ${work}/readme.cpp "${CMAKE_MATCH_1}")
if(NOT readme MATCHES "```xml\n(([^`]|`[^`])*)```")
  message(FATAL_ERROR "README.md shows no model")
endif()
file(WRITE ${work}/cloth.xml "${CMAKE_MATCH_1}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${SINEW_BINARY_DIR} --config ${CONFIG} --prefix ${work}/prefix)

# every library that a user has to have is named, and nothing else
file(GLOB_RECURSE targets ${work}/prefix/*/sinew-targets.cmake)
file(READ ${targets} exported)
if(exported MATCHES "LINK_ONLY:>" OR exported MATCHES "eigen")
  message(FATAL_ERROR "the installed target names an empty library or Eigen:\n${exported}")
endif()

# nothing internal is installed, and the constraints are where their library has them
foreach(name arena bounding_tree collide_memory near_pairs query_trees solver_memory workspace)
  if(EXISTS ${work}/prefix/include/sinew/${name}.h)
    message(FATAL_ERROR "sinew/${name}.h is internal and was installed")
  endif()
endforeach()
if(NOT EXISTS ${work}/prefix/include/sinew/constraints/contact_constraint.h)
  message(FATAL_ERROR "sinew/constraints/contact_constraint.h was not installed")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=${CONFIG}
  -D SINEW_VERSION=${SINEW_VERSION} -D SINEW_INCLUDE_DIR=${work}/prefix/include -D README_PROGRAM=${work}/readme.cpp)
run(${CMAKE_COMMAND} --build ${work}/build --config ${CONFIG})
run(${work}/build/consumer)
run(${work}/build/readme WORKING_DIRECTORY ${work})
run(${work}/build/constraints)
