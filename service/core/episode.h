/* Games for learning programs, which act by numbers: service/rl/actions.py describes them. */
#ifndef QWIRKLE_EPISODE_H
#define QWIRKLE_EPISODE_H

#include "core.h"

/* shuffle.c: every draw follows from a seed. */

enum { SEED_BYTES = 32 };

typedef struct {
    uint32_t inner[8], outer[8]; /* the two halves of HMAC after the key */
} ShuffleKey;

ShuffleKey shuffle_key(const uint8_t seed[SEED_BYTES]);
void shuffle_tiles(const ShuffleKey *key, uint8_t *tiles, int size, int event);
int draw_lot(const ShuffleKey *key, int count, int event);

/* play_order.c */

bool plays_order(Plays *plays, Plays *spare, int limit);

/* episode.c: a game from its deal to its end, action by action. */

enum {
    EXCHANGES = (1 << HAND_SIZE) - 1,
    STATE_FEATURES = 2 * KINDS + 2 + 3 * MOST_SEATS,
    PLAY_FEATURES = 4 + 3 * HAND_SIZE,
    REACH = 30,
    VIEW_SIDE = 2 * REACH + 1,
    STATUS = 5 + MOST_SEATS,
};

typedef struct {
    Game game;
    ShuffleKey key;
    Plays plays; /* what the player to move may place, most points first */
    Plays spare; /* room to sort them */
    int most;    /* how many plays are listed at the most */
    int gained;  /* the points of the last action */
    int laid;    /* the tiles on the table, in the order in which they were placed */
    Cell cells[ALL_TILES];
    uint8_t tiles[ALL_TILES];
} Episode;

/* Each returns false if memory ran out. */
bool episode_deal(Episode *episode, int seats, const uint8_t seed[SEED_BYTES]);
bool episode_act(Episode *episode, int64_t action);
bool episode_allows(const Episode *episode, int64_t action);
void episode_status(const Episode *episode, int32_t *status);
void episode_observe(
    const Episode *episode, int seat, int16_t *state, uint8_t *board, int16_t *plays, int8_t *mask);

#endif
