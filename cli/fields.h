#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

enum class FieldKind { Integer, Single, Double, Text };

/// One array of a Model or Data, with its values as doubles (ints are exact in them).
struct Field {
  std::string_view name;
  std::string_view rowSize;  ///< name of the size that counts the rows: "nbody", "nv", ...
  std::string_view doc;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  FieldKind kind = FieldKind::Double;
  std::vector<double> values;
};

/// All arrays in the order of the field tables.
std::vector<Field> fieldsOf(const Model& m);
std::vector<Field> fieldsOf(const Model& m, const Data& d);

/// Contacts and constraint rows as arrays, under the names of the reference engine, contacts as contact_dist, ...
/// Each stage's arrays by themselves, because they belong between those of fieldsOf().
std::vector<Field> contactFields(const Data& d);    ///< collide, buildRows
std::vector<Field> rowMotionFields(const Data& d);  ///< referenceAcceleration
std::vector<Field> rowForceFields(const Data& d);   ///< solve

/// The object that owns a row of an array, for instance `body "thigh"` or `joint 3`; empty if rows are not objects.
std::string rowOwner(const Model& m, std::string_view rowSize, std::ptrdiff_t row);

/// The stage that writes an array of Data, as its documentation says: "kinematics", "massMatrix", ...
std::string_view stageOf(std::string_view doc);

}  // namespace sinew::cli
