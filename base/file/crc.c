#include "base/file/crc.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

uint32_t crc_bytes(uint32_t crc, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        const uInt part = size < (1u << 30) ? (uInt)size : 1u << 30;
        crc = (uint32_t)crc32(crc, at, part);
        at += part;
        size -= part;
    }
    return crc;
}

const char *crc_text(char text[CRC_CAPACITY], uint32_t crc) {
    snprintf(text, CRC_CAPACITY, "%08" PRIx32, crc);
    return text;
}
