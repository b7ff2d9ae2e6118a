# What `cmake --install` lays down: headers, both libraries, the command, pkg-config and CMake packages, manual, completion.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/paimon-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS paimon_shared paimon_static
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS paimon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(paimon PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

set(PAIMON_PC_REQUIRES "libzstd liblz4 libdeflate liblzma jansson")
if(PAIMON_WITH_BROTLI)
    string(APPEND PAIMON_PC_REQUIRES " libbrotlidec")
endif()
file(RELATIVE_PATH PAIMON_LIB_TO_INCLUDE ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_SOURCE_DIR}/cmake/paimon-c.pc.in ${CMAKE_BINARY_DIR}/paimon-c.pc @ONLY)
configure_file(${CMAKE_SOURCE_DIR}/cmake/PaimonCConfig.cmake.in ${CMAKE_BINARY_DIR}/PaimonCConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PaimonCConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/paimon-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/PaimonCConfig.cmake ${CMAKE_BINARY_DIR}/PaimonCConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/PaimonC)
install(FILES ${CMAKE_SOURCE_DIR}/docs/paimon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME paimon OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
