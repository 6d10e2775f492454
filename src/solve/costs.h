#pragma once

/// All constants by which methods and forms of matrices are compared, in one table. Units are multiplications of a
/// dense factor, unless said. `make bench-costs` measures each of them, and how much longer the choices take than the
/// fastest ones (bench/results/amd-epyc-costs.md); a wrong one costs time, never accuracy.
namespace sinew::solve::cost {

/// Dofs up to which a dense factor is always the cheapest: finding out would cost more.
inline constexpr int kLargestAlwaysDense = 60;
/// Dofs below which a factor is always cheaper than conjugate gradients, or both are cheap.
inline constexpr int kSmallestIterative = 250;
/// A multiplication of a sparse factor, which runs in shorter loops.
inline constexpr double kSparse = 1.5;
/// Finding an order of elimination for a new pattern, per node.
inline constexpr double kOrder = 6000;
/// Factors per solve that conjugate gradients save, where no row can change state, and where some can.
inline constexpr double kFactorsFixed = 2, kFactorsChanging = 3.3;
/// Conjugate gradients per 3 x 3 block of the matrix: to the accuracy of a factor, or of the solver's tolerance.
inline constexpr double kBlockOfAFactor = 1200, kBlockOfTheTolerance = 700;

/// Iterations of nonlinear conjugate gradients on cloth held by length rows, factors of Newton's method on the same,
/// and multiplications of conjugate gradients that take as long as those of a factor, inverted.
inline constexpr double kGradientIterations = 40, kNewtonFactors = 2, kFactorSpeed = 2;

}  // namespace sinew::solve::cost
