# The few functions every folder's CMakeLists.txt uses.

# Settings that crest's own code is compiled with (generated code is not).
add_library(crest_options INTERFACE)
target_include_directories(crest_options INTERFACE ${CMAKE_SOURCE_DIR})
# One rounding everywhere: a fused multiply-add would change random sequences between machines.
target_compile_options(crest_options INTERFACE -ffp-contract=off)
add_library(crest_warnings INTERFACE)
target_compile_options(crest_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
# Designated initialisers name what differs from the default.
target_compile_options(crest_warnings INTERFACE -Wno-missing-field-initializers)
# GCC 12 sees overlaps in std::string's own concatenation (gcc bug 105651).
target_compile_options(crest_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(CREST_WERROR)
  target_compile_options(crest_warnings INTERFACE -Werror)
endif()
if(CREST_SANITIZE)
  add_compile_options(-fsanitize=${CREST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CREST_SANITIZE})
endif()

# crest_library(NAME SRCS file... DEPS target...)
# Defines crest_NAME with the alias crest::NAME. NAME is the folder, '/' written '_'.
function(crest_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_library(crest_${name} STATIC ${ARG_SRCS})
  add_library(crest::${name} ALIAS crest_${name})
  target_link_libraries(crest_${name} PUBLIC crest_options ${ARG_DEPS} PRIVATE crest_warnings)
endfunction()

# crest_test(NAME SRCS file... DEPS target... [LABELS label...] [TIMEOUT seconds])
# A GoogleTest program NAME, run by ctest as one test. Labels say where it may run:
#   servers  needs real servers or the built programs; release build only
#   timing   measures time, or computes for minutes: release build only
#   tsan     is about threads; runs under the thread sanitizer too
# The targets sanitized_tests and tsan_tests build what `./dev test` runs under each sanitizer.
add_custom_target(sanitized_tests)
add_custom_target(tsan_tests)
function(crest_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE crest_options crest_warnings ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
  if(NOT "servers" IN_LIST ARG_LABELS AND NOT "timing" IN_LIST ARG_LABELS)
    add_dependencies(sanitized_tests ${name})
  endif()
  if("tsan" IN_LIST ARG_LABELS)
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()
