#pragma once

#include "sinew/constraints/constraint.h"
