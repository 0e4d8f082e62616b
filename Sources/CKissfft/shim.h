#pragma once
// Its folder by name: what pkg-config says of it holds defines that the package manager refuses.
#include <kissfft/kiss_fftr.h>
