#include "view/page.h"

#include <zlib.h>

#include "sinew/errors.h"

#ifdef SINEW_WITH_PAGE
#include "page_data.inc"  // kPage, kPageSize (before compression), kScriptHash; written by viewer/build.mjs
#else
namespace {
constexpr std::uint8_t kPage[1] = {0};
constexpr std::size_t kPageBytes = 0, kPageSize = 0;
constexpr std::string_view kScriptHash = "";
}  // namespace
#endif

namespace sinew::view {

bool hasPage() { return kPageBytes > 0; }

std::string_view noPageText() {
  return "this build has no viewer page: it needs Node and the npm packages of viewer/ (scripts/setup.sh installs them), "
         "then build again";
}

std::span<const std::uint8_t> pageGzip() { return {kPage, kPageBytes}; }

std::string pageText() {
  if (!hasPage()) throw LoadError(std::string(noPageText()));
  std::string text(kPageSize, '\0');
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(kPage);
  stream.avail_in = static_cast<uInt>(kPageBytes);
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const bool isGood = inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
  inflateEnd(&stream);
  if (!isGood) throw LoadError("the viewer page in this build is damaged");
  return text;
}

std::string_view pageScriptHash() { return kScriptHash; }

}  // namespace sinew::view
