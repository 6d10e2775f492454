#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sinew::cli {

class Team;
class MergeWriter;

/// Parts of the command that need libraries which the plain command does without. They live in programs of their own
/// beside it, sinew-mpi and sinew-hdf5: the same command, with one of these set.
struct Extras {
  std::unique_ptr<Team> (*makeTeam)() = nullptr;
  std::unique_ptr<MergeWriter> (*makeHdf5)(const std::string& file) = nullptr;
};
Extras& extras();

/// The words this program was started with.
void rememberCommandLine(int argc, char** argv);
const std::vector<std::string>& commandLine();

/// Goes on as another program beside this one, with the same words. Returns only if that program is not there.
void continueAs(const std::string& program);

/// The folder that this program lies in.
std::string programFolder();

}  // namespace sinew::cli
