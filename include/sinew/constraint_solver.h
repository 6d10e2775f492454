#pragma once

#include "sinew/constraints/constraint_solver.h"
