#pragma once
#include <zlib.h>

// The initializers of zlib are macros, which Swift does not see. 15 + 16 is the largest window
// in the gzip format.

static inline int commute_gzip_inflate_start(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}

static inline int commute_gzip_deflate_start(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
