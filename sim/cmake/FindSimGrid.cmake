# SimGrid through pkg-config, which Debian's package and SimGrid's own installation both provide.
# Defines SimGrid_FOUND, SimGrid_VERSION and the target SimGrid::SimGrid.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(SimGrid QUIET IMPORTED_TARGET GLOBAL simgrid)
endif()
if(TARGET PkgConfig::SimGrid AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid ALIAS PkgConfig::SimGrid)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid
  REQUIRED_VARS SimGrid_LINK_LIBRARIES
  VERSION_VAR SimGrid_VERSION
  REASON_FAILURE_MESSAGE "install libsimgrid-dev and pkg-config, or build without it: -DFOURFOLD_SIM=OFF")
