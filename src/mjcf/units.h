#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// Units of the numbers of MJCF, for docs/support.md.
namespace sinew::mjcf {

/// Unit of an attribute of the element at `path` ("body/geom"), one after the other if its numbers have different ones;
/// "-" for pure numbers. Nothing if the table does not know the attribute.
std::optional<std::string_view> unitOf(std::string_view path, std::string_view attribute);

/// A row of the table.
struct UnitRow {
  std::string_view element;    ///< a path, its beginning or its end; empty: every element
  std::string_view attribute;  ///< empty: every attribute of the element
  std::string_view unit;
};
/// All of them; special ones come before general ones.
const std::vector<UnitRow>& unitRows();
/// The first row that says something about the attribute; null if there is none.
const UnitRow* findUnit(std::string_view path, std::string_view attribute);

}  // namespace sinew::mjcf
