#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"

// Copying, moving and listing the hundreds of members of Model and Data: much to compile, whatever the level of
// optimization, and no loop in it.
namespace sinew {

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

std::array<Field, Model::kFields> Model::fields() const {
  return {{
#define SINEW_X(type, name, rows, cols, doc) {#name, &name, Types::indexOf<type>(), rows, cols, doc},
      SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  }};
}

Data::Data(const Data&) = default;
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(const Data&) = default;
Data& Data::operator=(Data&&) noexcept = default;
Data::~Data() = default;

#define SINEW_X(type, name, rows, cols, doc) {#name, &name, Types::indexOf<type>(), rows, cols, doc},
std::array<Field, Data::kStateFields> Data::stateFields(const Model& m) const {
  return {{SINEW_STATE_ARRAYS(SINEW_X)}};
}
std::array<Field, Data::kFields> Data::fields(const Model& m) const {
  return {{SINEW_STATE_ARRAYS(SINEW_X) SINEW_DERIVED_ARRAYS(SINEW_X)}};
}
#undef SINEW_X

}  // namespace sinew
