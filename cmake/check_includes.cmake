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

# What a folder of src/ may include of the others: folders, or single headers (docs/architecture.md says why). What stands
# for a stage may use earlier stages, never later ones.
set(stages "kinematics|inertia|forces|collision|query|constraint|metric|integrate|sensor|step")
set(may_base "")
set(may_math "base")
set(may_geom "base|math")
set(may_elastic "base|math")
set(may_solve "base|math|model/solver_memory.h")
set(may_spec "base|math|model/actuator_states.h")
set(may_mjcf "base|math|spec|model/actuator_states.h|urdf/reader.h")  # urdf/reader.h for a root <robot>
set(may_urdf "math|spec|mjcf")
set(may_model "base|math")
set(may_compile "base|math|spec|geom|elastic|model|${stages}")  # runs stages at qpos0
set(may_kinematics "base|math|model|elastic/element.h")
set(may_inertia "math|model|kinematics")
set(may_forces "base|math|model|elastic|solve|kinematics|inertia")
set(may_collision "base|math|model|geom|kinematics/dof_chains.h|kinematics/interpolate.h")
set(may_query "base|math|model|geom|collision|constraint/constraint.h")
set(may_constraint "base|math|model|elastic|solve|kinematics|inertia|forces|collision")
set(may_metric "base|math|model|kinematics|inertia|forces")
set(may_integrate "math|model|kinematics|inertia|forces|metric")
set(may_sensor "base|math|model|geom|kinematics|inertia|forces|collision|query|constraint")
set(may_step "base|math|model|geom|elastic|solve|${stages}")
set(may_dynamics "base|math|model|solve|${stages}")
set(may_derivatives "base|math|model|solve|dynamics|${stages}")
set(may_rollout "base|math|compile|mjcf")
set(may_batch "base|math|rollout/derived_constants.h")
set(may_scene "base|math|spec|model|geom|compile|kinematics|constraint/constraint.h")
set(may_render "geom|math")  # and sinew/scene.h
set(may_view "geom|model")  # and sinew/scene.h
set(may_replay "view")
set(may_constraints "base|math|solve|constraint/contact_target.h")
set(may_world "base|math|model|geom|constraints|dynamics|${stages}")
foreach(folder ${internal_folders})
  if(NOT DEFINED may_${folder})
    message(FATAL_ERROR "src/${folder} is not in cmake/check_includes.cmake: say what it may include, here and in "
      "docs/architecture.md.")
  endif()
  file(GLOB_RECURSE sources ${SOURCE_DIR}/src/${folder}/*.cpp ${SOURCE_DIR}/src/${folder}/*.h)
  foreach(file ${sources})
    file(STRINGS ${file} lines REGEX "^ *# *include *\"(${internal})/")
    foreach(line ${lines})
      if(NOT line MATCHES "\"${folder}/" AND (may_${folder} STREQUAL "" OR NOT line MATCHES "\"(${may_${folder}})[/\"]"))
        message(FATAL_ERROR "${file}: ${line}\nsrc/${folder} may include ${may_${folder}}: see docs/architecture.md.")
      endif()
    endforeach()
  endforeach()
endforeach()
