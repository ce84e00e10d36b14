# Warnings are errors in every preset but a plain configure.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
  -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings)
if(SST_WERROR)
  add_compile_options(-Werror)
endif()
