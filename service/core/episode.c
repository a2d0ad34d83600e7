/* A game for a learning program: service/rl/rules_games.py in C. */
#include "episode.h"

#include <stdlib.h>
#include <string.h>

enum { DEAL = 2, HALF = DOWN / 2 };

static bool shuffle(void *with, uint8_t *tiles, int size, int event) {
    shuffle_tiles(with, tiles, size, event);
    return true;
}

static bool nothing_to_note(void *with, int seat, const Choice *choice) {
    (void)with, (void)seat, (void)choice;
    return true;
}

static Kinds kinds_to_move(const Game *game) {
    const Hand *hand = &game->hands[game->mover];
    return kinds_of(hand->tiles, hand->size);
}

/* Find what the player to move may place, most points first. */
static bool list_plays(Episode *episode) {
    Game *game = &episode->game;
    Pace pace = {.left = PIECE};
    episode->plays.count = 0;
    if (game->end != RUNNING) return true;
    Kinds kinds = kinds_to_move(game);
    bool done = game->opening ? opening_plays(kinds, game->opening, &episode->plays, &pace)
                              : unordered_plays(&game->board, kinds, &episode->plays, &pace);
    return done && plays_order(&episode->plays, &episode->spare, episode->most);
}

/* The highest bid opens; a lot decides among equals. */
static void open_game(Episode *episode) {
    Game *game = &episode->game;
    int tied[MOST_SEATS], count = 0;
    game->opening = 0;
    for (int seat = 0; seat < game->seats; seat++) {
        const Hand *hand = &game->hands[seat];
        int bid = __builtin_popcountll(longest_kinds(kinds_of(hand->tiles, hand->size)));
        if (bid > game->opening) count = 0;
        if (bid >= game->opening) {
            game->opening = bid;
            tied[count++] = seat;
        }
    }
    game->mover = tied[draw_lot(&episode->key, count, DEAL)];
}

bool episode_deal(Episode *episode, int seats, const uint8_t seed[SEED_BYTES]) {
    Game *game = &episode->game;
    memset(game, 0, sizeof *game);
    episode->key = shuffle_key(seed);
    episode->laid = episode->gained = 0;
    game->seats = seats;
    game->version = DEAL;
    game->turn = 1;
    game->bag_size = ALL_TILES;
    for (int at = 0; at < ALL_TILES; at++) game->bag[at] = (uint8_t)(at % KINDS);
    shuffle_tiles(&episode->key, game->bag, ALL_TILES, DEAL);
    for (int seat = 0; seat < seats; seat++)
        for (int tile = 0; tile < HAND_SIZE; tile++)
            hand_add(&game->hands[seat], game->bag[game->bag_first++]);
    open_game(episode);
    return list_plays(episode);
}

static int may_exchange(const Game *game) {
    int bag = game->bag_size - game->bag_first, held = game->hands[game->mover].size;
    if (game->opening) return 0;
    return held < bag ? held : bag;
}

/* The places in a hand that hold the same tile as the one before, a bit for each. */
static int repeats_in(const Hand *hand) {
    int repeats = 0;
    for (int at = 1; at < hand->size; at++)
        if (hand->tiles[at] == hand->tiles[at - 1]) repeats |= 1 << at;
    return repeats;
}

/* Whether these tiles of the hand may be exchanged; of equal tiles only the first ones. */
static bool allows_exchange(const Game *game, int repeats, int chosen) {
    int held = game->hands[game->mover].size, most = may_exchange(game);
    if (chosen >> held || chosen & repeats & ~(chosen << 1)) return false;
    return most == held || __builtin_popcount((unsigned)chosen) <= most;
}

static bool allows_pass(const Episode *episode) {
    const Game *game = &episode->game;
    return !episode->plays.count && !game->opening && game->bag_size == game->bag_first;
}

bool episode_allows(const Episode *episode, int64_t action) {
    if (episode->game.end != RUNNING || action < 0) return false;
    if (action < episode->most) return action < episode->plays.count;
    int64_t chosen = action - episode->most + 1;
    const Game *game = &episode->game;
    if (chosen <= EXCHANGES)
        return allows_exchange(game, repeats_in(&game->hands[game->mover]), (int)chosen);
    return chosen == EXCHANGES + 1 && allows_pass(episode);
}

/* Carry out an action that is allowed. */
bool episode_act(Episode *episode, int64_t action) {
    Game *game = &episode->game;
    World world = {.with = &episode->key, .shuffle = shuffle, .moved = nothing_to_note};
    int seat = game->mover, before = game->scores[seat];
    Choice choice = {.play = {.size = 0}};
    if (action < episode->most) {
        choice.play = episode->plays.items[action];
        for (int at = 0; at < choice.play.size; at++) {
            episode->cells[episode->laid] = choice.play.cells[at];
            episode->tiles[episode->laid++] = choice.play.tiles[at];
        }
    } else {
        int chosen = (int)(action - episode->most + 1) & EXCHANGES; /* 0 is a pass */
        for (int at = 0; at < HAND_SIZE; at++)
            if (chosen >> at & 1) hand_add(&choice.exchange, game->hands[seat].tiles[at]);
    }
    game_move(game, &choice, &world);
    episode->gained = game->scores[seat] - before;
    return list_plays(episode);
}

/* Who is to move (-1: nobody), the end, the turn, the version, the last points, the scores. */
void episode_status(const Episode *episode, int32_t *status) {
    const Game *game = &episode->game;
    status[0] = game->end == RUNNING ? game->mover : -1;
    status[1] = (int32_t)game->end;
    status[2] = game->turn;
    status[3] = game->version;
    status[4] = episode->gained;
    for (int seat = 0; seat < MOST_SEATS; seat++) status[5 + seat] = game->scores[seat];
}

static void write_state(const Game *game, int seat, int16_t *state) {
    int16_t *unseen = state + KINDS, *rest = state + 2 * KINDS;
    memset(state, 0, STATE_FEATURES * sizeof *state);
    for (int at = game->bag_first; at < game->bag_size; at++) unseen[game->bag[at]]++;
    *rest++ = (int16_t)(game->bag_size - game->bag_first);
    *rest++ = (int16_t)game->turn;
    for (int step = 0; step < game->seats; step++) {
        int other = (seat + step) % game->seats;
        const Hand *hand = &game->hands[other];
        int16_t *counted = step ? unseen : state;
        for (int at = 0; at < hand->size; at++) counted[hand->tiles[at]]++;
        *rest++ = 1;
        *rest++ = (int16_t)game->scores[other];
        *rest++ = (int16_t)hand->size;
    }
}

static int column_of(Cell cell) { return ((cell + HALF) & (DOWN - 1)) - HALF; }

static int row_of(Cell cell) { return (cell + HALF) >> 12; }

static void write_board(const Episode *episode, uint8_t *board) {
    memset(board, 0, VIEW_SIDE * VIEW_SIDE);
    for (int at = 0; at < episode->laid; at++) {
        int x = column_of(episode->cells[at]) + REACH, y = row_of(episode->cells[at]) + REACH;
        if (x >= 0 && x < VIEW_SIDE && y >= 0 && y < VIEW_SIDE)
            board[y * VIEW_SIDE + x] = (uint8_t)(episode->tiles[at] + 1);
    }
}

/* Count a line across an open cell; its points. */
static int count_line(const Strand *strand, int16_t *features) {
    int points = points_of(strand->standing + 1);
    features[2] += strand->standing > 0;
    features[3] += strand->standing + 1 == LONGEST;
    return points;
}

/* The open cells know the lines across a play. What they do not score, the line along it does. */
static void write_play(const Board *board, const Play *play, int16_t *features) {
    bool down = play->size > 1 && (play->cells[1] - play->cells[0]) % DOWN == 0;
    int along = play->points;
    features[0] = play->points;
    features[1] = play->size;
    for (int at = 0; at < play->size; at++) {
        int16_t *placement = features + 4 + 3 * at;
        int found = look(board, play->cells[at]);
        placement[0] = (int16_t)(play->tiles[at] + 1);
        placement[1] = (int16_t)column_of(play->cells[at]);
        placement[2] = (int16_t)row_of(play->cells[at]);
        if (found < FIRST_OPEN) continue;
        const Spot *spot = &board->spots[found - FIRST_OPEN];
        if (play->size == 1 || down) along -= count_line(&spot->row, features);
        if (play->size == 1 || !down) along -= count_line(&spot->column, features);
    }
    if (play->size == 1) return;
    features[2]++;
    features[3] += along == points_of(LONGEST);
}

/* What this seat sees; only the player to move has plays and a mask. */
void episode_observe(
    const Episode *episode, int seat, int16_t *state, uint8_t *board, int16_t *plays, int8_t *mask) {
    const Game *game = &episode->game;
    int count = game->mover == seat && game->end == RUNNING ? episode->plays.count : 0;
    write_state(game, seat, state);
    write_board(episode, board);
    memset(plays, 0, (size_t)episode->most * PLAY_FEATURES * sizeof *plays);
    memset(mask, 0, (size_t)episode->most + EXCHANGES + 1);
    for (int at = 0; at < count; at++)
        write_play(&game->board, &episode->plays.items[at], plays + at * PLAY_FEATURES);
    memset(mask, 1, (size_t)count);
    if (game->mover != seat || game->end != RUNNING) return;
    int repeats = repeats_in(&game->hands[seat]);
    for (int chosen = 1; may_exchange(game) && chosen <= EXCHANGES; chosen++)
        mask[episode->most + chosen - 1] = allows_exchange(game, repeats, chosen);
    mask[episode->most + EXCHANGES] = allows_pass(episode);
}
