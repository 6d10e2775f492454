# `cmake --install` gives a tree in which find_package(sinew) finds target sinew::sinew; tests/consumer holds us to it.

include(CMakePackageConfigHelpers)

# Eigen is needed to build Sinew, not to link it: without this the export would name it as an empty library.
foreach(library sinew sinew_constraints)
  get_target_property(sinew_link_libraries ${library} INTERFACE_LINK_LIBRARIES)
  if(sinew_link_libraries)
    list(FILTER sinew_link_libraries EXCLUDE REGEX sinew_eigen)
    set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${sinew_link_libraries}")
  endif()
endforeach()

set(sinew_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(TARGETS sinew sinew_constraints EXPORT sinew_targets FILE_SET HEADERS)
install(EXPORT sinew_targets FILE sinew-targets.cmake NAMESPACE sinew:: DESTINATION ${sinew_config_dir})
configure_package_config_file(cmake/sinew-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sinew-config.cmake
  INSTALL_DESTINATION ${sinew_config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sinew-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinew-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sinew-config-version.cmake
  DESTINATION ${sinew_config_dir})
