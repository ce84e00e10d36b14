# Device kernels: kernels/*.hip.cpp, once for each compiler that is at hand. CMake's own HIP language is not used: 3.25 does
# not find Debian's ROCm.
#
#   sststream_gpu_hip.so        AMD, DCU    hipcc, or the vendor's own by SST_HIPCC      beside the program; installed
#   sststream_gpu_cuda.so       NVIDIA      nvcc                                         beside the program; installed
#   sst_gpu_emulated            a C++ compiler plays device: a library for tests
#   sststream_gpu_emulated.so   the same as a plugin, in emulated/, where the program does not look by itself
#
# What a compiler says of a source, resources of its kernels included, stands beside the object, in NAME.o.said.
set(SST_GPU AUTO CACHE STRING "Device plugins: AUTO builds those whose compiler is there, ON warns if there is none, OFF")
set_property(CACHE SST_GPU PROPERTY STRINGS AUTO ON OFF)
set(SST_HIP_ARCHS "gfx906;gfx90a" CACHE STRING "Devices of AMD and DCU to build for; never left to the compiler")
set(SST_CUDA_ARCHS "90" CACHE STRING "Devices of NVIDIA to build for; the last also for what comes after it")
find_program(SST_HIPCC hipcc HINTS ENV ROCM_PATH PATHS /opt/rocm /opt/dtk PATH_SUFFIXES bin DOC "Compiler for AMD and DCU")
find_program(SST_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin DOC "Compiler for NVIDIA")

file(GLOB sst_gpu_sources CONFIGURE_DEPENDS kernels/*.hip.cpp)
set(sst_gpu_dir ${CMAKE_BINARY_DIR}/gpu)

# Whether a compiler can make a plugin at all: one that is there, but without its libraries or its devices, must not take the
# build of the rest with it. Only success is remembered: what was lacking may have been installed.
function(sst_gpu_probe kind)
  set(probe "${ARGN}")
  if(NOT SST_GPU_${kind}_WORKS OR NOT "${probe}" STREQUAL "${SST_GPU_${kind}_PROBED}")
    file(WRITE ${sst_gpu_dir}/${kind}/probe.hip.cpp
         "#include \"gpu_rt.h\"\nGPU_KERNEL(64, 1) k_probe(int *a) { *a = 1; }\n"
         "int probe(int *a) { return GPU_LAUNCH(k_probe, 1, 1, 64, 0, nullptr, a); }\n")
    execute_process(COMMAND ${probe} -I${CMAKE_SOURCE_DIR}/kernels -c ${sst_gpu_dir}/${kind}/probe.hip.cpp
                            -o ${sst_gpu_dir}/${kind}/probe.o
                    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    file(WRITE ${sst_gpu_dir}/${kind}/probe.said "${said}")
    set(works ON)
    if(failed)
      set(works OFF)
    endif()
    set(SST_GPU_${kind}_PROBED "${probe}" CACHE INTERNAL "")
    set(SST_GPU_${kind}_WORKS ${works} CACHE INTERNAL "")
  endif()
  if(NOT SST_GPU_${kind}_WORKS)
    message(WARNING "${ARGV1} does not compile for ${kind} devices, so there is no plugin for them; it said what stands "
                    "in ${sst_gpu_dir}/${kind}/probe.said")
  endif()
endfunction()

# Benchmarks are built with all else where SST_WERROR is on, else by name.
set(sst_gpu_bench_all)
if(SST_WERROR)
  set(sst_gpu_bench_all ALL)
endif()

# sst_gpu_plugin(KIND ARCHITECTURES COMPILE command... LINK command...): one object for each source, and the plugin of them.
function(sst_gpu_plugin kind architectures)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMPILE;LINK")
  sst_gpu_probe(${kind} ${arg_COMPILE})
  if(NOT SST_GPU_${kind}_WORKS)
    return()
  endif()
  set(plugin ${CMAKE_BINARY_DIR}/sststream_gpu_${kind}.so)
  set(objects)
  foreach(source ${sst_gpu_sources})
    get_filename_component(name ${source} NAME_WE)
    set(object ${sst_gpu_dir}/${kind}/${name}.o)
    add_custom_command(OUTPUT ${object} BYPRODUCTS ${object}.said
      COMMAND ${CMAKE_SOURCE_DIR}/cmake/gpu_compile.sh ${object}.said ${arg_COMPILE}
              -DSST_GPU_ARCHITECTURES=${architectures} -I${CMAKE_SOURCE_DIR}/kernels
              -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} ${CMAKE_SOURCE_DIR}/cmake/gpu_compile.sh DEPFILE ${object}.d
      COMMENT "Compiling ${name} for ${kind} devices (${architectures})" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${plugin} COMMAND ${arg_LINK} -shared ${objects} -o ${plugin} DEPENDS ${objects}
    COMMENT "Linking sststream_gpu_${kind}.so" VERBATIM)
  add_custom_target(sststream_gpu_${kind} ALL DEPENDS ${plugin})
  install(FILES ${plugin} DESTINATION ${CMAKE_INSTALL_LIBDIR}/sststream)
  # A benchmark (bench/README.md), with the runtime's part of the plugin.
  set(ceilings ${sst_gpu_dir}/${kind}/gpu_ceilings)
  set(source ${CMAKE_SOURCE_DIR}/bench/gpu_ceilings.hip.cpp)
  add_custom_command(OUTPUT ${ceilings} BYPRODUCTS ${ceilings}.o ${ceilings}.o.said
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/gpu_compile.sh ${ceilings}.o.said ${arg_COMPILE} -I${CMAKE_SOURCE_DIR}
            -MD -MF ${ceilings}.d -MT ${ceilings} -c ${source} -o ${ceilings}.o
    COMMAND ${arg_LINK} ${ceilings}.o ${sst_gpu_dir}/${kind}/plugin_runtime.o -o ${ceilings}
    DEPENDS ${source} ${sst_gpu_dir}/${kind}/plugin_runtime.o DEPFILE ${ceilings}.d
    COMMENT "Building gpu_ceilings for ${kind} devices" VERBATIM)
  add_custom_target(gpu_ceilings_${kind} ${sst_gpu_bench_all} DEPENDS ${ceilings})
endfunction()

set(sst_gpu_hip_warnings -Wall -Wextra)
set(sst_gpu_cuda_warnings)
if(SST_WERROR)
  list(APPEND sst_gpu_hip_warnings -Werror)
  list(APPEND sst_gpu_cuda_warnings -Werror all-warnings)
endif()

if(NOT SST_GPU STREQUAL "OFF" AND sst_gpu_sources)
  if(SST_HIPCC)
    list(TRANSFORM SST_HIP_ARCHS PREPEND --offload-arch= OUTPUT_VARIABLE archs)
    list(JOIN SST_HIP_ARCHS "," names)
    sst_gpu_plugin(hip "${names}"
      COMPILE ${SST_HIPCC} ${archs} -x hip -O3 -std=c++17 -ffp-contract=off -fPIC -fvisibility=hidden
              ${sst_gpu_hip_warnings} -Rpass-analysis=kernel-resource-usage
      LINK ${SST_HIPCC} ${archs} -Wl,--exclude-libs,ALL)
  endif()
  if(SST_NVCC)
    set(archs)
    foreach(arch ${SST_CUDA_ARCHS})
      list(APPEND archs -gencode arch=compute_${arch},code=sm_${arch})
      set(last ${arch})
    endforeach()
    list(APPEND archs -gencode arch=compute_${last},code=compute_${last})
    list(TRANSFORM SST_CUDA_ARCHS PREPEND sm_ OUTPUT_VARIABLE names)
    list(JOIN names "," names)
    sst_gpu_plugin(cuda "${names}"
      COMPILE ${SST_NVCC} ${archs} -x cu -O3 -std=c++17 --fmad=false ${sst_gpu_cuda_warnings} -Xptxas -v
              -Xcompiler -fPIC,-fvisibility=hidden,-ffp-contract=off
      LINK ${SST_NVCC} ${archs} -cudart static -Xlinker --exclude-libs=ALL)
  endif()
  if(NOT SST_HIPCC AND NOT SST_NVCC)
    set(level STATUS)
    if(SST_GPU STREQUAL "ON")
      set(level WARNING)
    endif()
    message(${level} "No device plugin: neither hipcc nor nvcc is there (SST_HIPCC, SST_NVCC); the program runs on CPUs")
  endif()
endif()

if(BUILD_TESTING AND sst_gpu_sources)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    add_library(sst_gpu_emulated STATIC ${sst_gpu_sources})
    target_compile_features(sst_gpu_emulated PRIVATE cxx_std_17)
    if(SST_SANITIZE) # a kernel is a loop over many threads
      target_compile_options(sst_gpu_emulated PRIVATE -O2)
    endif()
    target_include_directories(sst_gpu_emulated PRIVATE ${CMAKE_SOURCE_DIR})
    set_target_properties(sst_gpu_emulated PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
                          CXX_VISIBILITY_PRESET hidden)
    add_library(sststream_gpu_emulated MODULE $<TARGET_OBJECTS:sst_gpu_emulated>)
    set_target_properties(sststream_gpu_emulated PROPERTIES PREFIX "" LINKER_LANGUAGE CXX
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/emulated)
    add_executable(gpu_ceilings_emulated bench/gpu_ceilings.hip.cpp)
    target_compile_features(gpu_ceilings_emulated PRIVATE cxx_std_17)
    target_include_directories(gpu_ceilings_emulated PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(gpu_ceilings_emulated PRIVATE sst_gpu_emulated)
    if(NOT SST_WERROR)
      set_target_properties(gpu_ceilings_emulated PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()
endif()
