# Warnings are errors in every preset but a plain configure.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wformat=2 -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # Says that a loop was not vectorised, which no one expects of a sanitizer's build.
  add_compile_options(-Wno-pass-failed)
endif()
if(SST_WERROR)
  add_compile_options(-Werror)
endif()
