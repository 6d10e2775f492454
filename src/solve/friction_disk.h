#pragma once

#include "solve/block_solve.h"  // IWYU pragma: export
