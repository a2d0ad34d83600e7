/* The table: which tile is where, and what fits each open cell. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static const int DIRECTIONS[4] = {-ACROSS, ACROSS, -DOWN, DOWN};

/* How many tiles follow without a gap from this cell in one direction; their kinds are added. */
static int run_of(const Board *board, Cell cell, int direction, Kinds *kinds) {
    int length = 0;
    int found;
    while (is_tile(found = look(board, cell))) {
        *kinds |= bit_of(found - 1);
        length++;
        cell += direction;
    }
    return length;
}

/* The kinds that fit one axis of an open cell: a tile there joins the runs before and after it. */
static Kinds fit_along(const Board *board, Cell cell, int step, Strand *strand) {
    Kinds before = 0;
    int length = run_of(board, cell - step, -step, &before);
    strand->reach = (int16_t)run_of(board, cell + step, step, &strand->beyond);
    strand->standing = (int16_t)(length + strand->reach);
    strand->line = before | strand->beyond;
    return before & strand->beyond ? 0 : room(strand->line);
}

static void close_spot(Board *board, int place) {
    Spot *gone = &board->spots[board->at[place] - FIRST_OPEN];
    const Spot *last = &board->spots[--board->open];
    board->at[place_of(last->cell)] = board->at[place];
    board->at[place] = 0;
    *gone = *last;
}

/* Work out an empty cell anew. */
static void refresh(Board *board, Cell cell) {
    int place = place_of(cell);
    Spot spot = {.cell = cell};
    Kinds row = fit_along(board, cell, ACROSS, &spot.row);
    spot.fit = row & fit_along(board, cell, DOWN, &spot.column);
    if (spot.row.standing + spot.column.standing == 0) {
        if (board->at[place]) close_spot(board, place);
        return;
    }
    if (!board->at[place]) board->at[place] = (uint16_t)(FIRST_OPEN + board->open++);
    board->spots[board->at[place] - FIRST_OPEN] = spot;
}

/* Only the ends of the lines through a changed cell can change. The line that the changed cells
 * have in common has two ends: before the first of them and after the last. */
static void refresh_ends(Board *board, const Play *play) {
    int last = play->size - 1;
    bool down = last > 0 && (play->cells[1] - play->cells[0]) % DOWN == 0;
    for (int at = 0; at <= last; at++)
        for (int way = 0; way < 4; way++) {
            bool common = down == (way >= 2);
            if (common && at != (way % 2 ? last : 0)) continue;
            Cell end = play->cells[at] + DIRECTIONS[way];
            while (is_tile(look(board, end))) end += DIRECTIONS[way];
            refresh(board, end);
        }
}

/* Put tiles on an empty table. False if it has more open cells than connected tiles can have.
 * Otherwise the rest of the tiles can follow: each opens at most two cells more than it covers. */
bool board_load(Board *board, const Cell *cells, const uint8_t *tiles, int count) {
    memset(board->at, 0, sizeof board->at);
    board->open = 0;
    board->tiles = count;
    for (int at = 0; at < count; at++) board->at[place_of(cells[at])] = (uint16_t)(tiles[at] + 1);
    for (int at = 0; at < count; at++)
        for (int way = 0; way < 4; way++) {
            Cell beside = cells[at] + DIRECTIONS[way];
            if (look(board, beside)) continue;
            if (board->open == 2 * count + 2) return false;
            refresh(board, beside);
        }
    return true;
}

/* Place tiles on empty cells. */
void board_place(Board *board, const Play *play) {
    for (int at = 0; at < play->size; at++) {
        int place = place_of(play->cells[at]);
        if (board->at[place]) close_spot(board, place);
        board->at[place] = (uint16_t)(play->tiles[at] + 1);
    }
    board->tiles += play->size;
    refresh_ends(board, play);
}

/* Take the tiles of the last play off again. */
void board_lift(Board *board, const Play *play) {
    for (int at = 0; at < play->size; at++) board->at[place_of(play->cells[at])] = 0;
    board->tiles -= play->size;
    refresh_ends(board, play);
    for (int at = 0; at < play->size; at++) refresh(board, play->cells[at]);
}

static int by_cell(const void *one, const void *other) {
    const Spot *a = one, *b = other;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Put the open cells into reading order. */
void board_sort(Board *board) {
    qsort(board->spots, (size_t)board->open, sizeof(Spot), by_cell);
    for (int at = 0; at < board->open; at++)
        board->at[place_of(board->spots[at].cell)] = (uint16_t)(FIRST_OPEN + at);
}

bool board_takes_any(const Board *board, Kinds kinds) {
    for (int at = 0; at < board->open; at++)
        if (board->spots[at].fit & kinds) return true;
    return false;
}
