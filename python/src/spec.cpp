#include <filesystem>

#include "common.h"
#include "sinew/load.h"
#include "sinew/reference_layout.h"
#include "sinew/state.h"

namespace sinew::python {
void bindSpec(nb::module_& module) {
  module.def(
      "resolve_file",
      [](const std::string& file, const std::string& directory) {
        std::string text;
        Warnings warnings;
        {
          const Unlocked release;
          text = writeMjcf(readMjcf(file, &warnings), directory);
        }
        return nb::make_tuple(text, warnings);
      },
      "file"_a, "directory"_a, "MJCF of a file with includes, defaults, replicates and attachments resolved.");
  module.def(
      "resolve_text",
      [](const std::string& text, const std::string& name, const std::string& folder, const std::string& directory) {
        Warnings warnings;
        return nb::make_tuple(writeMjcf(readMjcfText(text, name, folder, &warnings), directory), warnings);
      },
      "text"_a, "name"_a, "folder"_a, "directory"_a, "The same of text.");
  module.def("transfer_impulses",
             [](const ModelBox& from, const DataBox& before, const std::vector<int>& geom, const std::vector<int>& flex,
                const std::vector<int>& equality, const std::vector<int>& joint, const std::vector<int>& tendon,
                const ModelBox& to, DataBox& after) {
               requireSame(from, before);
               requireSame(to, after);
               transferImpulses(*from.model, *before.data,
                                {.geom = geom, .flex = flex, .equality = equality, .joint = joint, .tendon = tendon},
                                *to.model, *after.data);
             });
  module.def(
      "reference_layout",
      [](const ModelBox& m) {
        const ReferenceLayout layout(*m.model);
        return nb::make_tuple(layout.nq(), layout.nv(), layout.isSame());
      },
      "m"_a, "nq and nv of the reference engine, and whether it counts as Sinew does.");
}

}  // namespace sinew::python
