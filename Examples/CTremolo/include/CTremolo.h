#pragma once
#include "crealtime_unit.h"

/// The functions of a tremolo in C.
struct crealtime_unit ctremolo_functions(void);
