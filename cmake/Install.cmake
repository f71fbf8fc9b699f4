# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where: the command, the library with its public
# headers, and what finds it (find_package(Reprise), pkg-config).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(REPRISE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise)
install(TARGETS reprise EXPORT RepriseTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(REPRISE_BUILD_TOOLS)
  install(TARGETS reprise-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The manual page and the completions, written by the command itself.
  foreach(text
      man:reprise.1:${CMAKE_INSTALL_MANDIR}/man1
      bash:reprise:${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      zsh:_reprise:${CMAKE_INSTALL_DATADIR}/zsh/site-functions
      fish:reprise.fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    string(REPLACE ":" ";" text ${text})
    list(GET text 0 kind)
    list(GET text 1 name)
    list(GET text 2 folder)
    set(file ${PROJECT_BINARY_DIR}/generated/${kind}/${name})
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory
        ${PROJECT_BINARY_DIR}/generated/${kind}
      COMMAND reprise-cli generate ${kind} > ${file}
      DEPENDS reprise-cli VERBATIM)
    list(APPEND REPRISE_GENERATED ${file})
    install(FILES ${file} DESTINATION ${folder})
  endforeach()
  add_custom_target(reprise-generated ALL DEPENDS ${REPRISE_GENERATED})
endif()

foreach(header ${REPRISE_PUBLIC_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/reprise/${folder})
endforeach()
install(FILES capi/reprise.h ${PROJECT_BINARY_DIR}/include/reprise/Version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/reprise)
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/reprise)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# CMake packages.
install(EXPORT RepriseTargets NAMESPACE Reprise::
  DESTINATION ${REPRISE_CMAKE_DIR})
configure_package_config_file(cmake/RepriseConfig.cmake.in
  ${PROJECT_BINARY_DIR}/RepriseConfig.cmake
  INSTALL_DESTINATION ${REPRISE_CMAKE_DIR})
# While the major number is 0, a minor one may break.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RepriseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RepriseConfig.cmake
  ${PROJECT_BINARY_DIR}/RepriseConfigVersion.cmake
  DESTINATION ${REPRISE_CMAKE_DIR})

# pkg-config: a static library names all that it needs.
set(REPRISE_PC_LIBS "-L${LLVM_LIBRARY_DIRS}")
if(TARGET LLVMSupport)
  string(APPEND REPRISE_PC_LIBS " -lLLVMSupport -lLLVMDemangle")
  get_target_property(needed LLVMSupport INTERFACE_LINK_LIBRARIES)
  foreach(library ${needed})
    if(library STREQUAL "ZLIB::ZLIB")
      string(APPEND REPRISE_PC_LIBS " -lz")
    elseif(library STREQUAL "Terminfo::terminfo")
      string(APPEND REPRISE_PC_LIBS " -ltinfo")
    elseif(library MATCHES "^-l")
      string(APPEND REPRISE_PC_LIBS " ${library}")
    endif()
  endforeach()
else()
  string(APPEND REPRISE_PC_LIBS " -lLLVM-${LLVM_VERSION_MAJOR}")
endif()
if(REPRISE_HAS_ONNX)
  string(APPEND REPRISE_PC_LIBS " -lonnx -lonnx_proto -lprotobuf")
endif()
if(REPRISE_WITH_CLP)
  string(APPEND REPRISE_PC_LIBS " -lClp -lCoinUtils")
endif()
string(APPEND REPRISE_PC_LIBS " ${CMAKE_THREAD_LIBS_INIT}")
if(REPRISE_SANITIZE)
  set(REPRISE_PC_FLAGS "-fsanitize=${REPRISE_SANITIZE}")
endif()
# The way back from the file to the prefix: an installed tree can be moved.
file(RELATIVE_PATH REPRISE_PC_UP
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/reprise.pc.in ${PROJECT_BINARY_DIR}/reprise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/reprise.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
