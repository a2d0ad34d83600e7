/* The types of the core, and what each file of it offers.
 *
 * Everything here is plain C; python.h names the files that know Python. There are no global
 * variables, so that a greenlet that pauses in the middle of a search never meets the search of
 * another one.
 *
 * The rules in Python are the reference: names and order of work follow service/rules and
 * service/bots, and the tests compare the two position by position.
 */
#ifndef QWIRKLE_CORE_H
#define QWIRKLE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KINDS = 36,
    ALL_TILES = 108,
    HAND_SIZE = 6,
    LONGEST = 6,
    ENDING_BONUS = 6,
    MOST_SEATS = 4,
    ACROSS = 1,
    DOWN = 4096,
    WIDTH = 16, /* how many plays a bot that looks ahead evaluates closely */
    ROUNDS_REMEMBERED = 3, /* service/bots/observation.py */
    RECENT = ROUNDS_REMEMBERED * MOST_SEATS,
};

typedef int32_t Cell;   /* y * DOWN + x, as in the rules */
typedef uint64_t Kinds; /* a set of kinds, one bit for each */

#define ALL_KINDS ((Kinds)0xFFFFFFFFF)

static inline Kinds bit_of(int tile) { return (Kinds)1 << tile; }

static inline int lowest(Kinds kinds) { return __builtin_ctzll(kinds); }

/* play_lines.c: for each tile, all tiles of its colour and all tiles of its shape. */
typedef struct {
    Kinds colour, shape;
} Families;

extern const Families FAMILIES[KINDS];

/* The kinds that can be added to a line; none if it is not a line. */
static inline Kinds room(Kinds line) {
    if (line == 0) return ALL_KINDS;
    const Families *families = &FAMILIES[lowest(line)];
    Kinds colour = line & ~families->colour ? 0 : families->colour;
    Kinds shape = line & ~families->shape ? 0 : families->shape;
    return (colour | shape) & ~line;
}

/* The points of a line of this length; a single tile is not a line. */
static inline int points_of(int length) {
    if (length < 2) return 0;
    return length == LONGEST ? 12 : length;
}

/* board.c: the tiles on the table, and what fits where.
 *
 * The table has no edges. The grid repeats every SIDE cells in both directions: connected tiles
 * never reach so far that two of them share a place on it. convert.c refuses other boards. */

enum {
    SIDE = 128,
    /* n connected tiles have at most 2n + 2 open cells, and some more while tiles are lifted. */
    MOST_OPEN = 2 * ALL_TILES + 2 + HAND_SIZE,
    FIRST_OPEN = KINDS + 1,
};

/* One axis through an open cell: the kinds of the line that a tile there extends and how many they
 * are, then the same two for the part after the cell (to the right, or below). */
typedef struct {
    Kinds line, beyond;
    int16_t standing, reach;
} Strand;

/* An open cell (empty, next to a tile): the kinds that fit both of its lines, and these lines. */
typedef struct {
    Kinds fit;
    Cell cell;
    Strand row, column;
} Spot;

typedef struct {
    uint16_t at[SIDE * SIDE]; /* 0: empty; 1 to 36: a tile; from FIRST_OPEN on: a spot */
    Spot spots[MOST_OPEN];    /* in any order */
    int open, tiles;
} Board;

/* Tiles placed in a turn, in reading order. No tiles: there is no such play. */
typedef struct {
    int16_t points, size;
    Cell cells[HAND_SIZE];
    uint8_t tiles[HAND_SIZE];
} Play;

static inline int place_of(Cell cell) {
    return ((cell >> 12) & (SIDE - 1)) * SIDE + (cell & (SIDE - 1));
}

static inline int look(const Board *board, Cell cell) { return board->at[place_of(cell)]; }

static inline bool is_tile(int found) { return found > 0 && found < FIRST_OPEN; }

bool board_load(Board *board, const Cell *cells, const uint8_t *tiles, int count);
void board_place(Board *board, const Play *play);
void board_lift(Board *board, const Play *play);
void board_sort(Board *board);
bool board_takes_any(const Board *board, Kinds kinds);

/* play_list.c: long work pauses from time to time; lists of plays, and their order. */

typedef struct {
    int left;                /* units of work until the next pause */
    bool stopped;            /* the pause failed, or memory ran out: everybody has to return */
    bool (*rest)(void *with); /* false if it failed; NULL if nobody waits */
    void *with;
} Pace;

enum { PIECE = 20000 }; /* units of work, tiles tried, between two pauses: one or two milliseconds */

bool pace_on(Pace *pace, int work);

typedef struct {
    Play *items;
    int count, space;
} Plays;

bool plays_add(Plays *plays, const Play *play);
int by_points(const void *one, const void *other);
int by_reading(const void *one, const void *other);
void plays_select(Plays *plays, int limit, int (*order)(const void *, const void *), Pace *pace);

/* legal_plays.c: the plays of a hand. */

Play best_play(const Board *board, Kinds kinds, Pace *pace);
bool unordered_plays(const Board *board, Kinds kinds, Plays *plays, Pace *pace);
bool all_plays(Board *board, Kinds kinds, bool every_order, Plays *plays, Pace *pace);

/* opening_plays.c: the plays of the opener. */

bool opening_plays(Kinds kinds, int length, Plays *plays, Pace *pace);
bool opening_sets(Kinds kinds, int length, Cell start, int step, Plays *plays, Pace *pace);

/* bots.c: random numbers, what a bot sees, and what it chooses. */

typedef struct {
    uint64_t state;
} Rng;

int rng_below(Rng *rng, int bound);
void rng_sample(Rng *rng, uint8_t *items, int size, int count);

typedef struct {
    uint8_t tiles[HAND_SIZE]; /* in kind order */
    int size;
} Hand;

/* A turn: who moved (0 is the seat itself, then the others in order) and what was placed; nothing
 * in an exchange or a pass. */
typedef struct {
    int by;
    Play play;
} Turn;

typedef struct {
    Board *board; /* changed while a bot thinks, and as before when it has chosen */
    Hand hand;
    uint8_t unseen[ALL_TILES]; /* in kind order */
    int unseen_size, bag, may_exchange;
    int opening;              /* the length of the line to open with, or 0 */
    int others;               /* the others, in the order in which they move after this seat */
    int held[MOST_SEATS - 1]; /* how many tiles each of them holds */
    int scores[MOST_SEATS];   /* the points so far: of the seat itself, then of the others */
    int turns;                /* the last turns, the newest first */
    Turn recent[RECENT];
} View;

/* Neither a play nor an exchange is a pass. */
typedef struct {
    Play play;
    Hand exchange;
} Choice;

typedef enum { RANDOM, EASY, GREEDY, CAUTIOUS, MEDIUM, HARD, EXPERT } Bot;

Choice choose(Bot bot, const View *view, Rng *rng, int budget, Pace *pace);
Kinds kinds_of(const uint8_t *tiles, int size);
Hand without(Hand hand, const uint8_t *gone, int size);
Hand tiles_to_exchange(const View *view);
Choice choose_greedy(const View *view, Pace *pace);
void hand_add(Hand *hand, uint8_t tile);
Kinds longest_kinds(Kinds kinds);

/* candidates.c: what a bot that looks ahead chooses from, and how it tells the best. */

typedef struct {
    Choice choice;
    int points, draws;
    Hand kept;
} Candidate;

/* What trials of candidates need. The clues are the expert's. */
typedef struct Clues Clues;

typedef struct {
    const View *view;
    const Clues *clues;
    Rng *rng;
    Pace *pace;
} Trial;

/* Try those that are left on so many deals, and add to what each has been worth. */
typedef void Trier(
    const Trial *trial, const Candidate *candidates, const int *left, int size, long *worth,
    int deals);

bool find_candidate_plays(const View *view, Plays *plays, Pace *pace);
int find_candidates(const View *view, Plays *plays, Candidate *candidates, Pace *pace);
Choice best_candidate(
    const Candidate *candidates, int count, int budget, Trier *try, const Trial *trial);

/* cautious.c, rollouts.c, rounds.c, endgame.c: how bots think. */

Choice choose_cautious(const View *view, Pace *pace);
Trier try_replies;
Trier try_rounds;
Play best_endgame_play(Board *board, Hand hand, Hand other, int budget, Pace *pace);

/* clues.c: what the others may hold, after what they have done. */

/* The hidden tiles as they may lie: the others' hands, and the bag. */
typedef struct {
    Hand hands[MOST_SEATS - 1];
    uint8_t bag[ALL_TILES];
} FullDeal;

Clues *find_clues(const View *view); /* to be freed; NULL if memory ran out */
void deal_by_clues(FullDeal *deal, const Clues *clues, const View *view, Rng *rng, Pace *pace);

/* game.c: a whole game of bots. */

typedef enum { RUNNING, HAND_EMPTY, ALL_PASSED, BLOCKED, TOO_LONG } End;

typedef struct {
    Board board;
    int seats, mover, opening, version, turn, passed, bag_size, bag_first;
    Hand hands[MOST_SEATS];
    uint8_t bag[ALL_TILES];
    int scores[MOST_SEATS], qwirkles[MOST_SEATS];
    int turns; /* the last turns, by seats, the newest first */
    Turn recent[RECENT];
    End end;
} Game;

/* What a game needs from outside. Each returns false if it failed. */
typedef struct {
    void *with;
    bool (*shuffle)(void *with, uint8_t *tiles, int size, int event);
    bool (*luck)(void *with, int version, Rng *rng);
    bool (*moved)(void *with, int seat, const Choice *choice);
} World;

bool game_move(Game *game, const Choice *choice, const World *world);
bool game_play(Game *game, const Bot *bots, int budget, const World *world, Pace *pace);

/* play_lines.c: the lines that a play forms or extends. */

typedef struct {
    Cell start;
    int step, length;
} Line;

int lines_of(Board *board, const Play *play, Line *lines);

#endif
