#pragma once
#include <zlib.h>

/// Begins to inflate bytes without zlib's own head and end, as ZIP has them: `inflateInit2` is a macro.
static inline int czlib_begin_raw(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }
