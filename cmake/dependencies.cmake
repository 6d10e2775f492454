# The libraries Sinew stands on, all from Debian packages (scripts/setup.sh names them). Imported targets are system
# includes, so their headers give no warnings.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(pugixml REQUIRED)
find_package(Qhull REQUIRED)
find_package(tinyobjloader REQUIRED)
find_package(TBB REQUIRED)
find_package(PNG REQUIRED)
find_package(Threads REQUIRED)

target_link_libraries(sinew_eigen INTERFACE Eigen3::Eigen)

# What the engine's sources use. Eigen is headers only and stays inside: whoever links Sinew does not need it.
# tinyobjloader in single precision, because mesh vertices are stored so.
set(SINEW_LIBRARY_DEPENDENCIES
  $<BUILD_INTERFACE:sinew_eigen>
  fmt::fmt pugixml::pugixml Qhull::qhull_r tinyobjloader::tinyobjloader TBB::tbb PNG::PNG Threads::Threads)

if(SINEW_BUILD_CLI OR SINEW_BUILD_TESTS)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
if(SINEW_BUILD_CLI)
  find_package(CLI11 REQUIRED)
  # optional, for programs beside the command: rollouts over machines, results in HDF5
  if(SINEW_MPI AND NOT SINEW_SANITIZE)
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(SINEW_HDF5 AND NOT SINEW_SANITIZE)
    find_package(HDF5 QUIET COMPONENTS C)
  endif()
endif()
if(SINEW_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(SINEW_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
