#pragma once

#include "sinew/model.h"
#include "targets.h"

/// Small files of every kind that Sinew reads, made here so that nothing need be stored.
namespace sinew::fuzz {

std::vector<Bytes> stlFiles();     ///< binary, ASCII
std::vector<Bytes> objFiles();     ///< triangles, polygons, lines
std::vector<Bytes> mshFiles();     ///< with and without normals and texture coordinates
std::vector<Bytes> gmshFiles();    ///< versions 2.2 and 4.1, text and binary, triangles and tetrahedra
std::vector<Bytes> pngFiles();     ///< 1 to 16 bits, gray and color, interlaced
std::vector<Bytes> hfieldFiles();  ///< the binary format

/// The model of the trace target, and a trace as the reference engine would write one of it.
inline constexpr std::string_view kTracedModel =
    R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .09"><freejoint/><geom size=".1"/>
<body name="b" pos=".2 0 0"><joint name="j" axis="0 1 0"/><geom type="box" size=".05 .05 .05"/></body></body></worldbody>
<actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor><keyframe><key/></keyframe></mujoco>)";
Bytes traceOf(const Model& m);

Bytes readAll(const std::filesystem::path& file);

}  // namespace sinew::fuzz
