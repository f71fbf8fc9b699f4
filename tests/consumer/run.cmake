# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the build BUILD into WORK, moves that tree, and builds and tests a
# user's project against it: by find_package(), and by pkg-config.
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${result}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)
set(installed ${WORK}/moved)

# One file that includes every installed header on its own account.
file(GLOB_RECURSE headers RELATIVE ${installed}/include
  ${installed}/include/reprise/*.h)
set(includes "")
foreach(header ${headers})
  string(APPEND includes "#include \"${header}\"\n")
endforeach()
file(WRITE ${WORK}/headers/AllHeaders.h "${includes}")

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G Ninja
  -DCMAKE_PREFIX_PATH=${installed} -DCMAKE_CXX_COMPILER=${COMPILER}
  "-DCMAKE_CXX_FLAGS=${FLAGS} -I${WORK}/headers")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure)

find_program(pkgconfig pkg-config)
if(pkgconfig)
  file(GLOB_RECURSE pc ${installed}/reprise.pc)
  get_filename_component(pc ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${pc})
  execute_process(COMMAND ${pkgconfig} --cflags --libs reprise
    OUTPUT_VARIABLE arguments COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(arguments UNIX_COMMAND "${FLAGS} ${arguments}")
  run(${COMPILER} -std=c++20
    ${CMAKE_CURRENT_LIST_DIR}/../../examples/pass/pass.cpp
    -o ${WORK}/pass ${arguments})
  run(${WORK}/pass)
endif()
file(REMOVE_RECURSE ${WORK})
