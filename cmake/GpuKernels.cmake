# Device kernels: kernels/*.hip.cpp, once for each compiler that is at hand. CMake's own HIP language is not used: 3.25 does
# not find Debian's ROCm.
#
#   sst_gpu_emulated   a C++ compiler plays device: for tests, and for the plugin that tests load
file(GLOB sst_gpu_sources CONFIGURE_DEPENDS kernels/*.hip.cpp)

if(BUILD_TESTING AND sst_gpu_sources)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    add_library(sst_gpu_emulated STATIC ${sst_gpu_sources})
    target_compile_features(sst_gpu_emulated PRIVATE cxx_std_17)
    target_include_directories(sst_gpu_emulated PRIVATE ${CMAKE_SOURCE_DIR})
    set_target_properties(sst_gpu_emulated PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
                          CXX_VISIBILITY_PRESET hidden)
  endif()
endif()
