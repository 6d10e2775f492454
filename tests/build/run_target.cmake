# FIRST_1: what `make run` builds. Processor time depends on the machine; what is compiled does not.
#   cmake -D SOURCE_DIR=... -D BINARY_DIR=... -D NINJA=... -P run_target.cmake

# `make run` of a fresh clone configures neither tests nor benchmarks and builds the command alone
execute_process(COMMAND make --no-print-directory --dry-run run WORKING_DIRECTORY ${SOURCE_DIR}
  RESULT_VARIABLE result OUTPUT_VARIABLE recipe ERROR_VARIABLE err)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "make --dry-run run: ${err}")
endif()
foreach(word "setup.sh --run" "SINEW_BUILD_TESTS=OFF" "SINEW_BUILD_BENCH=OFF" "--target sinew_cli")
  string(FIND "${recipe}" "${word}" found)
  if(found LESS 0)
    message(FATAL_ERROR "`make run` does not say ${word}:\n${recipe}")
  endif()
endforeach()

# and the command needs no object of a test, a benchmark, an example or the Python package
execute_process(COMMAND ${NINJA} -C ${BINARY_DIR} -t commands sinew_cli
  RESULT_VARIABLE result OUTPUT_VARIABLE commands ERROR_VARIABLE err)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "ninja -t commands sinew_cli: ${err}")
endif()
string(REGEX MATCHALL " -o [^ \n]+\\.o " objects "${commands}")
list(LENGTH objects count)
if(count EQUAL 0)
  message(FATAL_ERROR "no object files in\n${commands}")
endif()
foreach(object ${objects})
  if(object MATCHES "^ -o (tests|bench|examples|python)/|verify_interface_header_sets|sinew_(mpi|hdf5)")
    message(FATAL_ERROR "sinew_cli depends on${object}")
  endif()
endforeach()
message(STATUS "sinew_cli: ${count} object files")
