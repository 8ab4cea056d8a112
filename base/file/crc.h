// CRC-32, as gzip and zlib have it.
#ifndef BITTER_CRC_H
#define BITTER_CRC_H

#include <stddef.h>
#include <stdint.h>

// The CRC-32 of all bytes so far, of which those before have `crc` (0 when there are none). zlib's own function counts
// in 32 bits, so it must not be given a size_t.
uint32_t crc_bytes(uint32_t crc, const void *bytes, size_t size);

#define CRC_CAPACITY 9
// A CRC as files hold it: eight hexadecimal digits. Returns `text`.
const char *crc_text(char text[CRC_CAPACITY], uint32_t crc);

#endif
