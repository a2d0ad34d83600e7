/* The lines that a play forms or extends. */
#include "core.h"

#define OF(colour, shape) {(Kinds)0x3F << 6 * (colour), (Kinds)0x41041041 << (shape)}
#define ROW(colour) \
    OF(colour, 0), OF(colour, 1), OF(colour, 2), OF(colour, 3), OF(colour, 4), OF(colour, 5)

const Families FAMILIES[KINDS] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5)};

/* Put the tiles into the grid only, where the open cells do not notice. */
static void swap_in(Board *board, const Play *play, uint16_t *covered) {
    for (int at = 0; at < play->size; at++) {
        uint16_t *place = &board->at[place_of(play->cells[at])];
        covered[at] = *place;
        *place = (uint16_t)(play->tiles[at] + 1);
    }
}

static void swap_out(Board *board, const Play *play, const uint16_t *covered) {
    for (int at = 0; at < play->size; at++) board->at[place_of(play->cells[at])] = covered[at];
}

/* The line through a cell along one axis; of length 1 if the tile stands alone. */
static Line line_through(const Board *board, Cell cell, int step) {
    Line line = {.start = cell, .step = step, .length = 1};
    while (is_tile(look(board, line.start - step))) line.start -= step;
    for (Cell end = line.start; is_tile(look(board, end + step)); end += step) line.length++;
    return line;
}

static bool comes_before(const Line *one, const Line *other) {
    return one->start != other->start ? one->start < other->start : one->step < other->step;
}

/* Write the lines in reading order, a row before a column, at most seven; return their number. */
int lines_of(Board *board, const Play *play, Line *lines) {
    uint16_t covered[HAND_SIZE];
    int count = 0;
    swap_in(board, play, covered);
    bool down = play->size > 1 && (play->cells[1] - play->cells[0]) % DOWN == 0;
    for (int at = 0; at < play->size; at++)
        for (int step = ACROSS; step <= DOWN; step += DOWN - ACROSS) {
            bool main_line = play->size > 1 && (step == DOWN) == down;
            if (main_line && at > 0) continue; /* all tiles are in the same one */
            Line line = line_through(board, play->cells[at], step);
            if (line.length < 2) continue;
            int to = count++;
            for (; to > 0 && comes_before(&line, &lines[to - 1]); to--) lines[to] = lines[to - 1];
            lines[to] = line;
        }
    swap_out(board, play, covered);
    return count;
}
