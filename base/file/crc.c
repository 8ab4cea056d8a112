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

uint32_t crc32c_bytes(const void *bytes, size_t size) {
    // What four bits become: entry i is i after four steps of division by the reflected polynomial 0x82f63b78.
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
        0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const uint8_t *at = bytes;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}
