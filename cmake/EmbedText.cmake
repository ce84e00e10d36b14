# Makes the initialiser of a C array of text files, one after the other, with a 0 at the end:
# cmake -DTO=file.inc "-DFROM=file;file" -P EmbedText.cmake
set(items "")
foreach(file ${FROM})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" lines "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," lines "${lines}")
  string(APPEND items "${lines}\n")
endforeach()
file(WRITE ${TO} "${items}0x00\n")
