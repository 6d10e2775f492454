#include "urdf/notices.h"

#include <fmt/format.h>

#include <vector>

namespace sinew::urdf {

void Notices::add(const mjcf::Node& node, const std::string& message) {
  const std::size_t known = notices_.size();
  Notice& notice = notices_[message];
  if (notice.count++ > 0) return;
  notice.text = mjcf::located(node, message);
  notice.order = known;
}

void Notices::report(Warnings& warnings) const {
  std::vector<const Notice*> inOrder(notices_.size());
  for (const auto& [message, notice] : notices_) inOrder[notice.order] = &notice;
  for (const Notice* notice : inOrder) {
    const std::string more = notice->count > 1 ? fmt::format(" ({} more of this kind)", notice->count - 1) : "";
    warnings.push_back(notice->text + more);
  }
}

}  // namespace sinew::urdf
