#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "sinew/array.h"

namespace sinew {

/// An array of Model or Data whose type of elements is known by number.
struct Field {
  const char* name;
  const void* array;  ///< an Array<T>
  int type;           ///< the place of T in a FieldTypes
  int rows, columns;
  const char* doc;
};

/// The types of the elements of a list of fields.
template <class... T>
struct FieldTypes {
  template <class U>
  static constexpr int indexOf() {
    static_assert((std::is_same_v<T, U> || ...), "a type of elements that is missing in FieldTypes");
    int index = -1, i = 0;
    ((std::is_same_v<T, U> ? void(index = i) : void(), ++i), ...);
    return index;
  }

  /// Calls f(name, array, rows, columns, doc) for every field. One call per type is compiled, not one per field.
  template <std::size_t N, class F>
  static void visit(const std::array<Field, N>& fields, F&& f) {
    for (const Field& field : fields) {
      int i = 0;
      (void)((field.type == i++ && (f(field.name, *static_cast<Array<T>*>(const_cast<void*>(field.array)), field.rows,
                                      field.columns, field.doc),
                                    true)) ||
             ...);
    }
  }
  template <std::size_t N, class F>
  static void visitConst(const std::array<Field, N>& fields, F&& f) {
    for (const Field& field : fields) {
      int i = 0;
      (void)((field.type == i++ &&
              (f(field.name, *static_cast<const Array<T>*>(field.array), field.rows, field.columns, field.doc),
               true)) ||
             ...);
    }
  }
};

}  // namespace sinew
