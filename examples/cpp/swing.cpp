// Loads a model, steps it, and prints where a site goes: swing MODEL.xml [SITE]

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sinew/load.h"
#include "sinew/step.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.xml [SITE]\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    const sinew::Model m = sinew::load(argv[1]);
    const int site = sinew::findId(m, sinew::ObjType::Site, argc > 2 ? argv[2] : "tip");
    if (site < 0) throw sinew::LoadError(std::string(argv[1]) + ": no such site");

    sinew::Data d(m);
    for (int i = 0; d.time < 2; ++i) {
      if (i % 100 == 0) {
        sinew::forward(m, d);  // brings everything that follows from the state up to date
        const double* p = &d.site_xpos[3 * site];
        std::printf("%6.3f s  %8.4f %8.4f %8.4f m\n", d.time, p[0], p[1], p[2]);
      }
      sinew::step(m, d);
    }
    const std::string trouble = sinew::describeStatus(m, d);
    if (!trouble.empty()) std::fprintf(stderr, "%s\n", trouble.c_str());
    return trouble.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const sinew::LoadError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
