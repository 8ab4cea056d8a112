// CRC-32, as gzip and zlib define it.
#ifndef BITTER_CRC_H
#define BITTER_CRC_H

#include <stddef.h>
#include <stdint.h>

// The CRC-32 after `size` more bytes, where `crc` is that of the bytes before (0 when there are none). zlib's own
// function counts in 32 bits, so it must not be given a size_t.
uint32_t crc_bytes(uint32_t crc, const void *bytes, size_t size);

#define CRC_CAPACITY 9
// A CRC as files write it: eight hexadecimal digits. Returns `text`.
const char *crc_text(char text[CRC_CAPACITY], uint32_t crc);

#endif
