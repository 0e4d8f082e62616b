#pragma once
#include <mysofa.h>
