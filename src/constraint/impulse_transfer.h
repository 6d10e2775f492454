#pragma once

#include "sinew/state.h"  // ModelRenumbering, transferImpulses(): part of the public interface
