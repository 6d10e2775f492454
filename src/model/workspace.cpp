#include "model/workspace.h"

namespace sinew {

WorkspaceOwner::WorkspaceOwner() : workspace_(std::make_unique<Workspace>()) {}
WorkspaceOwner::~WorkspaceOwner() = default;
WorkspaceOwner::WorkspaceOwner(WorkspaceOwner&&) noexcept = default;
WorkspaceOwner& WorkspaceOwner::operator=(WorkspaceOwner&&) noexcept = default;

WorkspaceOwner::WorkspaceOwner(const WorkspaceOwner& other)
    : workspace_(std::make_unique<Workspace>(*other.workspace_)) {}

WorkspaceOwner& WorkspaceOwner::operator=(const WorkspaceOwner& other) {
  if (this != &other) *workspace_ = *other.workspace_;
  return *this;
}

}  // namespace sinew
