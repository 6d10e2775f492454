#pragma once

#include "sinew/constraints/two_body_constraint.h"
