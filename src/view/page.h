#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The page in viewer/, bundled into one HTML text and compiled in.
namespace sinew::view {

/// Whether this build has it.
bool hasPage();

/// What to tell somebody who asks for it when it has not.
std::string_view noPageText();

std::span<const std::uint8_t> pageGzip();
/// Throws LoadError if this build has none.
std::string pageText();
/// Source expression of a content security policy for its script: "sha256-...".
std::string_view pageScriptHash();

}  // namespace sinew::view
