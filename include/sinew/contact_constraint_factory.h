#pragma once

#include "sinew/constraints/contact_constraint_factory.h"
