#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Reads the archives that `sinew run --out FILE.npz` writes, by a route of its own.
namespace sinew::test {

std::uint32_t littleEndian(const std::string& bytes, std::size_t at, int count);

/// The entries of an archive by way of its directory, as readers find them; fails the test if something in it is wrong.
std::map<std::string, std::string> unzip(const std::string& archive);

/// The doubles of a .npy file.
std::vector<double> doublesOf(const std::string& npy);

/// The texts of a .npy file of type <U, which must be ASCII.
std::vector<std::string> textsOf(const std::string& npy);

}  // namespace sinew::test
