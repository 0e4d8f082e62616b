#pragma once
#include <kiss_fftr.h>
