#pragma once

/// All constants by which methods and forms of matrices are compared, in one table. Units are multiplications of a
/// dense factor, unless said. `make bench-costs` measures each of them where nothing else is said, and how much longer
/// the choices take than the fastest ones (bench/results/amd-epyc-costs.md); a wrong one costs time, never accuracy.
namespace sinew::solve::cost {

/// Dofs up to which a dense factor is always the cheapest: finding out would cost more.
inline constexpr int kLargestAlwaysDense = 60;
/// Dofs below which a factor is always cheaper than conjugate gradients, or both are cheap.
inline constexpr int kSmallestIterative = 250;
/// A multiplication of a sparse factor, which runs in shorter loops.
inline constexpr double kSparse = 4.8;
/// Finding an order of elimination for a new pattern, per node.
inline constexpr double kOrder = 6000;
/// Laying out a factor in the order of the parts that stay, per node.
inline constexpr double kKnownOrder = 2500;
/// A solve by sparse factors, per multiplication of the factor of the parts that stay, where no row can change state,
/// and where some can.
inline constexpr double kFactorsFixed = 5, kFactorsChanging = 7;
/// Conjugate gradients per 3 x 3 block of the matrix: to the accuracy of a factor, or of the solver's tolerance.
inline constexpr double kBlockOfAFactor = 2300, kBlockOfTheTolerance = 2200;

/// A preconditioner of two levels is cheaper than one for solids of so many nodes and so much stiffness
/// (sparse::stiffnessRatio): its iterations cost about twice as much, but their number does not grow with either. From
/// the series "elastic cube on a floor" of `make bench-growth` with a Young's modulus of 2e5 to 1e7.
inline constexpr int kSmallestTwoLevel = 1500;
inline constexpr double kTwoLevelStiffness = 300;

/// Iterations of nonlinear conjugate gradients on cloth held by length rows, factors of Newton's method on the same,
/// and multiplications of conjugate gradients that take as long as those of a factor, inverted.
inline constexpr double kGradientIterations = 40, kNewtonFactors = 7, kFactorSpeed = 15;

}  // namespace sinew::solve::cost
