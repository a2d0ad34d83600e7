/* Every legal play of a hand, or only the best one.
 *
 * Each play is found exactly once, as in service/rules/legal_plays.py: a play of one tile at its
 * cell, a play of several at the first of its cells that is open. Before that cell it can only use
 * cells that touch nothing, after it any empty cell, skipping the tiles in between.
 *
 * Tiles on neighbouring cells that touch nothing else score the same in any order. Without
 * every_order they are tried in kind order only: `above` and `below` keep to it. */
#include "core.h"

#include <string.h>

typedef struct {
    const Board *board;
    Kinds kinds;
    bool every_order, failed;
    Plays *plays; /* where all plays go, or NULL if only the best one counts */
    Play best;
    int work;
    /* The tiles of the play being built: new ones are added at both ends. */
    int first, last;
    Cell cells[2 * HAND_SIZE];
    uint8_t tiles[2 * HAND_SIZE];
} Search;

/* Whether a play of so many points, with one tile more than now, is to be looked at. */
static bool wanted(const Search *search, int points) {
    if (search->plays || points > search->best.points) return true;
    return points == search->best.points && search->last - search->first < search->best.size;
}

static void take(Search *search, int points) {
    Play play = {.points = (int16_t)points, .size = (int16_t)(search->last - search->first)};
    /* All six, whatever the size: a fixed number of bytes is copied faster. */
    memcpy(play.cells, search->cells + search->first, sizeof play.cells);
    memcpy(play.tiles, search->tiles + search->first, sizeof play.tiles);
    if (search->plays) {
        if (!plays_add(search->plays, &play)) search->failed = true;
    } else if (!search->best.size || by_points(&play, &search->best) < 0) {
        search->best = play;
    }
}

/* What a tile on this cell scores in the line across this axis. */
static int crossing_points(const Spot *spot, int step) {
    return points_of((step == ACROSS ? spot->column : spot->row).standing + 1);
}

/* Extend the line over its far end: to the right, or down. */
static void after(
    Search *search, Cell cell, int step, Kinds line, int length, Kinds more, int crossed,
    Kinds above) {
    const Board *board = search->board;
    int found = look(board, cell);
    Cell onward = cell + step;
    Kinds suiting = more & above;
    bool free_order = search->every_order || found;
    if (found) {
        const Spot *spot = &board->spots[found - FIRST_OPEN];
        const Strand *strand = step == ACROSS ? &spot->row : &spot->column;
        suiting = more & spot->fit;
        if (!suiting || line & strand->beyond) return;
        if (strand->reach) {
            line |= strand->beyond;
            length += strand->reach;
            onward += step * strand->reach;
            suiting &= room(line);
        }
        crossed += crossing_points(spot, step);
    }
    length++;
    int points = crossed + points_of(length);
    bool takes = wanted(search, points);
    for (; suiting; suiting &= suiting - 1) {
        Kinds bit = suiting & -suiting;
        Kinds rest = room(line | bit) & search->kinds;
        search->work++;
        search->cells[search->last] = cell;
        search->tiles[search->last++] = (uint8_t)lowest(bit);
        if (takes) take(search, points);
        if (rest)
            after(search, onward, step, line | bit, length, rest, crossed,
                  free_order ? ALL_KINDS : ~(bit | (bit - 1)));
        search->last--;
    }
}

/* Extend the line over its near end, where it touches nothing: to the left, or up. */
static void before(
    Search *search, Cell cell, int step, Kinds line, int length, Kinds more, int crossed,
    Cell onward, Kinds below) {
    bool bare = look(search->board, cell - step) == 0;
    length++;
    int points = crossed + points_of(length);
    bool takes = wanted(search, points);
    for (Kinds suiting = more & below; suiting; suiting &= suiting - 1) {
        Kinds bit = suiting & -suiting;
        Kinds rest = room(line | bit) & search->kinds;
        search->work++;
        search->cells[--search->first] = cell;
        search->tiles[search->first] = (uint8_t)lowest(bit);
        if (takes) take(search, points);
        if (rest) {
            after(search, onward, step, line | bit, length, rest, crossed, ALL_KINDS);
            if (bare)
                before(search, cell - step, step, line | bit, length, rest, crossed, onward,
                       search->every_order ? ALL_KINDS : bit - 1);
        }
        search->first++;
    }
}

/* What can be added along one axis to the tile on an open cell. */
static void along(Search *search, const Spot *spot, int step, Kinds bit) {
    const Strand *strand = step == ACROSS ? &spot->row : &spot->column;
    Kinds line = strand->line | bit;
    Kinds more = room(line) & search->kinds;
    if (!more) return;
    int crossed = crossing_points(spot, step);
    int length = strand->standing + 1;
    Cell onward = spot->cell + step * (strand->reach + 1);
    after(search, onward, step, line, length, more, crossed, ALL_KINDS);
    if (strand->standing == strand->reach && look(search->board, spot->cell - step) == 0)
        before(search, spot->cell - step, step, line, length, more, crossed, onward, ALL_KINDS);
}

/* The single tile on this cell, and what can be added to it along either axis. */
static void from(Search *search, const Spot *spot, Kinds suiting) {
    int points = crossing_points(spot, ACROSS) + crossing_points(spot, DOWN);
    for (; suiting; suiting &= suiting - 1) {
        Kinds bit = suiting & -suiting;
        search->work++;
        search->cells[search->first] = spot->cell;
        search->tiles[search->first] = (uint8_t)lowest(bit);
        bool takes = wanted(search, points);
        search->last++;
        if (takes) take(search, points);
        along(search, spot, ACROSS, bit);
        along(search, spot, DOWN, bit);
        search->last--;
    }
}

static void run(Search *search, Pace *pace) {
    const Board *board = search->board;
    search->first = search->last = HAND_SIZE;
    search->work = board->open;
    for (int at = 0; at < board->open; at++) {
        Kinds suiting = board->spots[at].fit & search->kinds;
        if (!suiting) continue;
        from(search, &board->spots[at], suiting);
        if (search->failed) pace->stopped = true;
        if (!pace_on(pace, search->work)) return;
        search->work = 0;
    }
}

/* The first of the plays by points; of size 0 if there is none. */
Play best_play(const Board *board, Kinds kinds, Pace *pace) {
    Search search = {.board = board, .kinds = kinds};
    run(&search, pace);
    return search.best;
}

/* Add all plays, in no particular order. False if the work was stopped. */
bool unordered_plays(const Board *board, Kinds kinds, Plays *plays, Pace *pace) {
    Search search = {.board = board, .kinds = kinds, .every_order = true, .plays = plays};
    run(&search, pace);
    return !pace->stopped;
}

/* Add all plays, found from the open cells in reading order. False if the work was stopped. */
bool all_plays(Board *board, Kinds kinds, bool every_order, Plays *plays, Pace *pace) {
    Search search = {.board = board, .kinds = kinds, .every_order = every_order, .plays = plays};
    board_sort(board);
    run(&search, pace);
    return !pace->stopped;
}
