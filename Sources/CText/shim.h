#pragma once
#include <iconv.h>
#include <uchardet/uchardet.h>
