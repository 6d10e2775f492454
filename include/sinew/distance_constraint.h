#pragma once

#include "sinew/constraints/distance_constraint.h"
