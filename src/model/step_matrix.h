#pragma once

namespace sinew {

/// What a step solves with.
enum class StepMatrix {
  Inertia,    ///< M. The factor is qLD: qacc is what the state moves on with
  Damped,     ///< Euler with implicit joint damping: M + h B, B the diagonal of damping rates. Factor in qH
  Symmetric,  ///< implicitfast, midpoint: M - h dF/dv without bias forces, but of standalone free bodies all of it.
              ///< Factor in qH, which has M for those; their matrix is in M and qDeriv
  General,    ///< implicit: M - h dF/dv. Factor in qLU
};

}  // namespace sinew
