#pragma once

#include "sinew/constraints/contact_constraint.h"
