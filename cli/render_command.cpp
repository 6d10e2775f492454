#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "numbers.h"
#include "pictures.h"

namespace sinew::cli {

Command addRenderCommand(CLI::App& app) {
  auto c = std::make_shared<RenderChoices>();
  CLI::App* render = app.add_subcommand("render", "Draw a picture or a film of a model, without a display");
  render->add_option("MODEL", c->model, "MJCF or URDF file; without it the demo scene");
  render->add_option("--out", c->out, "FILE.png, or a film: FILE.gif, FILE.mp4 (needs ffmpeg)")
      ->required()
      ->type_name("FILE");
  render->add_option("--camera", c->camera, "free, or name or number of a camera of the model")->type_name("NAME");
  render->add_option("--azimuth", c->azimuth, "Of the free camera, degrees");
  render->add_option("--elevation", c->elevation, "Of the free camera, degrees; negative: from above");
  render->add_option("--distance", c->distance, "Of the free camera, m")->transform(positiveNumber());
  render->add_option("--lookat", c->lookat, "Point the free camera looks at")->type_name("X,Y,Z");
  render->add_option("--track", c->track, "Body the free camera follows")->type_name("BODY");
  render->add_option("--size", c->size, "Pixels (default: as <visual><global> says, 640x480)")->type_name("WxH");
  render->add_option("--time", c->time, "Simulate this long before the first picture, s")
      ->transform(nonNegativeNumber())
      ->capture_default_str();
  render->add_option("--duration", c->duration, "Length of a film, s")
      ->transform(positiveNumber())
      ->capture_default_str();
  render->add_option("--fps", c->fps, "Pictures per second of a film")
      ->transform(positiveNumber())
      ->capture_default_str();
  render
      ->add_option("--show", c->show,
                   "What is drawn besides: contacts,forces,split,joints,actuators,com,inertia,constraints,frames,"
                   "cameras,lights,applied,transparent; colours of soft things: stress,strain,contactforce,energy")
      ->delimiter(',');
  render->add_option("--hide", c->hide, "What is not drawn: sites,tendons,flexes,skins")->delimiter(',');
  render->add_option("--groups", c->groups, "Groups that are drawn (default 0,1,2)")
      ->delimiter(',')
      ->check(CLI::Range(0, 5));
  render->add_option("--what", c->what, "rgb, depth, segmentation or normals")
      ->check(CLI::IsMember({"rgb", "depth", "segmentation", "normals"}))
      ->capture_default_str();
  render->add_option("--samples", c->samples, "Rays per pixel at edges, 1 to 64 (default: as <quality offsamples>)")
      ->transform(wholeNumber(1, 64));
  render->add_option("--occlusion", c->occlusion, "Rays for ambient occlusion, 0: none")
      ->transform(wholeNumber(0, 256));
  render->add_flag("--no-shadows", c->noShadows, "Without shadows");
  render->add_flag("--no-reflections", c->noReflections, "Without reflections");
  render->add_option("--key", c->key, "Start from this keyframe")->type_name("NAME|INDEX");
  render->add_option("--ctrl", c->controls, "Controls, as for run")->type_name("zero|sine|keep|FILE.csv");
  render
      ->add_option("--threads", c->threads, "Threads that draw (default: all); the picture is the same for any number")
      ->transform(wholeNumber(1, 256));
  addModelChoices(*render, c->choices);
  return {render, [c] { return renderPictures(*c); }};
}

}  // namespace sinew::cli
