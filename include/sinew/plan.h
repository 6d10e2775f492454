#pragma once

#include <string>

/// What the solver did on an island, and why: see IslandReport.
namespace sinew {

struct IslandReport;

/// The method that solved for the rows of an island.
enum class SolveMethod : int {
  None = 0,
  Newton,             ///< solver="Newton"
  ConjugateGradient,  ///< solver="CG"
  GaussSeidel,        ///< solver="PGS"
  HardNewton,         ///< solver="Impulse" method="newton"
  HardSweep           ///< solver="Impulse" method="sweep"
};

/// What Newton's method does with its matrix.
enum class MatrixForm : int {
  None = 0,  ///< the method has no matrix
  Dense,     ///< dense Cholesky factor
  Sparse,    ///< sparse Cholesky factor
  Iterative  ///< conjugate gradients with an incomplete factor
};

/// Why that method, or that form of its matrix.
enum class PlanReason : int {
  None = 0,
  Asked,         ///< the options ask for it
  StiffMetric,   ///< stiffness in the metric: sweeps would need its inverse, which is full
  Equalities,    ///< equality constraints hold bodies together: along them sweeps converge too slowly
  Small,         ///< too few dofs for any other form to pay
  FewestFlops,   ///< it needs the fewest operations, as predicted
  NoConvergence  ///< conjugate gradients were chosen and did not converge
};

/// In words, for example "Newton's method, sparse factor: fewest operations".
std::string describePlan(const IslandReport& report);

}  // namespace sinew
