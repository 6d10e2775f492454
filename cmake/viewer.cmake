# The viewer and replay files: Boost (Beast), nlohmann-json and zlib; the page in viewer/ is bundled by Node. All of it is
# optional: without it the library and the command say so when asked.

option(SINEW_VIEWER "Build the viewer and replay files, where Boost, nlohmann-json and zlib are found" ON)
option(SINEW_PAGE "Bundle the viewer's page, where Node and the npm packages of viewer/ are found" ON)

set(sinew_has_viewer OFF)
if(SINEW_VIEWER)
  find_package(Boost 1.74 QUIET)
  find_package(nlohmann_json 3.11 QUIET)
  find_package(ZLIB QUIET)
  if(Boost_FOUND AND nlohmann_json_FOUND AND ZLIB_FOUND)
    set(sinew_has_viewer ON)
  else()
    message(STATUS "Sinew: no viewer (needs libboost-dev, nlohmann-json3-dev, zlib1g-dev)")
  endif()
endif()
if(sinew_has_viewer)
  list(FILTER sinew_sources EXCLUDE REGEX "/src/view/absent\\.cpp$")
else()
  list(FILTER sinew_sources EXCLUDE REGEX "/src/(view|replay)/.*\\.cpp$")
  list(APPEND sinew_sources src/view/absent.cpp)
endif()

# `target` compiles the viewer, `library` holds it
function(sinew_viewer_settings target library)
  if(NOT sinew_has_viewer)
    return()
  endif()
  # headers only: whoever links Sinew does not need them
  get_target_property(json_headers nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(${target} SYSTEM PRIVATE ${Boost_INCLUDE_DIRS} ${json_headers})
  target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
  target_link_libraries(${library} PRIVATE ZLIB::ZLIB)
  find_program(SINEW_NODE node)
  set(modules ${PROJECT_SOURCE_DIR}/viewer/node_modules)
  if(NOT SINEW_PAGE OR NOT SINEW_NODE OR NOT EXISTS ${modules}/esbuild OR NOT EXISTS ${modules}/three)
    message(STATUS "Sinew: no page for the viewer (needs Node and `npm ci` in viewer/, which scripts/setup.sh does)")
    return()
  endif()
  file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
  set(page ${PROJECT_BINARY_DIR}/page/page_data.inc)
  add_custom_command(OUTPUT ${page}
    COMMAND ${SINEW_NODE} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${PROJECT_BINARY_DIR}/page
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
    COMMENT "Bundling the viewer's page" VERBATIM)
  target_sources(${target} PRIVATE ${page})
  set_source_files_properties(src/view/page.cpp PROPERTIES
    COMPILE_DEFINITIONS SINEW_WITH_PAGE INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/page OBJECT_DEPENDS ${page})
endfunction()
