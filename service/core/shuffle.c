/* The fair draw of service/rules/shuffle.py: HMAC-SHA-256 as a stream of bytes. */
#include "episode.h"

#include <string.h>

enum { BLOCK = 64, LABEL = 11 };

static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int by) { return word >> by | word << (32 - by); }

static uint32_t word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_word(uint8_t *bytes, uint32_t word) {
    for (int at = 0; at < 4; at++) bytes[at] = (uint8_t)(word >> (24 - 8 * at));
}

/* One block of SHA-256. */
static void compress(uint32_t state[8], const uint8_t block[BLOCK]) {
    uint32_t words[64], s[8];
    for (int at = 0; at < 16; at++) words[at] = word_at(block + 4 * at);
    for (int at = 16; at < 64; at++) {
        uint32_t early = words[at - 15], late = words[at - 2];
        words[at] = words[at - 16] + words[at - 7] +
                    (turned(early, 7) ^ turned(early, 18) ^ early >> 3) +
                    (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int at = 0; at < 64; at++) {
        uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + ROUNDS[at] + words[at];
        uint32_t two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int at = 0; at < 8; at++) state[at] += s[at];
}

static void padded_key(const uint8_t seed[SEED_BYTES], uint8_t pad, uint32_t state[8]) {
    uint8_t block[BLOCK];
    for (int at = 0; at < BLOCK; at++) block[at] = (at < SEED_BYTES ? seed[at] : 0) ^ pad;
    memcpy(state, START, sizeof START);
    compress(state, block);
}

ShuffleKey shuffle_key(const uint8_t seed[SEED_BYTES]) {
    ShuffleKey key;
    padded_key(seed, 0x36, key.inner);
    padded_key(seed, 0x5c, key.outer);
    return key;
}

/* The last block of a message of so many bytes, after a first block that is in the state. */
static void finish(uint32_t state[8], const uint8_t *message, int size) {
    uint8_t block[BLOCK] = {0};
    memcpy(block, message, (size_t)size);
    block[size] = 0x80;
    write_word(block + BLOCK - 4, (uint32_t)(8 * (BLOCK + size)));
    compress(state, block);
}

typedef struct {
    const ShuffleKey *key;
    uint8_t message[LABEL + 16]; /* the label, the number of the event, that of the block */
    uint8_t bytes[SEED_BYTES];
    uint32_t block;
    int used;
} Stream;

static Stream stream_of(const ShuffleKey *key, const char *label, int event) {
    Stream stream = {.key = key, .used = SEED_BYTES};
    memcpy(stream.message, label, LABEL);
    write_word(stream.message + LABEL + 4, (uint32_t)event);
    return stream;
}

static uint8_t next_byte(Stream *stream) {
    if (stream->used == SEED_BYTES) {
        uint32_t state[8];
        write_word(stream->message + LABEL + 12, stream->block++);
        memcpy(state, stream->key->inner, sizeof state);
        finish(state, stream->message, sizeof stream->message);
        for (int at = 0; at < 8; at++) write_word(stream->bytes + 4 * at, state[at]);
        memcpy(state, stream->key->outer, sizeof state);
        finish(state, stream->bytes, SEED_BYTES);
        for (int at = 0; at < 8; at++) write_word(stream->bytes + 4 * at, state[at]);
        stream->used = 0;
    }
    return stream->bytes[stream->used++];
}

/* A number below the bound: bytes that would favour some are skipped. */
static int below(Stream *stream, int bound) {
    int fair = 256 - 256 % bound;
    int number = next_byte(stream);
    while (number >= fair) number = next_byte(stream);
    return number % bound;
}

/* Sort the tiles by kind, then shuffle them as at this event. */
void shuffle_tiles(const ShuffleKey *key, uint8_t *tiles, int size, int event) {
    int counts[KINDS] = {0};
    int sorted = 0;
    for (int at = 0; at < size; at++) counts[tiles[at]]++;
    for (int kind = 0; kind < KINDS; kind++)
        for (; counts[kind] > 0; counts[kind]--) tiles[sorted++] = (uint8_t)kind;
    Stream stream = stream_of(key, "qwirkle mix", event);
    for (int last = size - 1; last > 0; last--) {
        int chosen = below(&stream, last + 1);
        uint8_t tile = tiles[last];
        tiles[last] = tiles[chosen];
        tiles[chosen] = tile;
    }
}

/* One of so many, by lot at this event. */
int draw_lot(const ShuffleKey *key, int count, int event) {
    Stream stream = stream_of(key, "qwirkle lot", event);
    return below(&stream, count);
}
