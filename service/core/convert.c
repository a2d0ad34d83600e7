/* Values from Python and back. */
#include "python.h"

enum { MOST_POINTS = 1000000, HALF = DOWN / 2, MOST_SPAN = SIDE - 2 * HAND_SIZE - 2 };

/* Whether the value is an integer within these bounds; otherwise an exception is set. */
static bool read_number(PyObject *value, long least, long most, long *number) {
    *number = PyLong_Check(value) ? PyLong_AsLong(value) : least - 1;
    if (*number == -1 && PyErr_Occurred()) return false;
    if (*number >= least && *number <= most) return true;
    PyErr_Format(PyExc_OverflowError, "not an integer from %ld to %ld", least, most);
    return false;
}

int read_tiles(PyObject *tuple, uint8_t *tiles, int most) {
    Py_ssize_t size = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : most + 1;
    if (size > most) {
        PyErr_Format(PyExc_OverflowError, "not a tuple of at most %d tiles", most);
        return -1;
    }
    for (Py_ssize_t at = 0; at < size; at++) {
        long tile;
        if (!read_number(PyTuple_GetItem(tuple, at), 0, KINDS - 1, &tile)) return -1;
        tiles[at] = (uint8_t)tile;
    }
    return (int)size;
}

typedef struct {
    int low, high;
} Span;

static void widen(Span *span, int at) {
    if (at < span->low) span->low = at;
    if (at > span->high) span->high = at;
}

/* Tiles that are placed later widen the table by one cell each. If it then still fits the grid,
 * with a play and its neighbours on each side, no two cells share a place. */
static bool fits_grid(Span span, int tiles) {
    return span.high - span.low + 1 + (ALL_TILES - tiles) <= MOST_SPAN;
}

bool read_board(PyObject *tiles, Board *board) {
    Cell cells[ALL_TILES];
    uint8_t kinds[ALL_TILES];
    Span columns = {DOWN, -DOWN}, rows = {DOWN, -DOWN};
    PyObject *key, *value;
    Py_ssize_t position = 0;
    int count = 0;
    while (count < ALL_TILES && PyDict_Next(tiles, &position, &key, &value)) {
        long cell, tile;
        if (!read_number(key, -DOWN * HALF, DOWN * HALF, &cell)) return false;
        if (!read_number(value, 0, KINDS - 1, &tile)) return false;
        widen(&columns, (int)((cell + HALF) & (DOWN - 1)));
        widen(&rows, (int)((cell + HALF) >> 12));
        cells[count] = (Cell)cell;
        kinds[count++] = (uint8_t)tile;
    }
    bool fits = count == PyDict_Size(tiles);
    if (fits && count) fits = fits_grid(columns, count) && fits_grid(rows, count);
    if (fits && board_load(board, cells, kinds, count)) return true;
    PyErr_SetString(PyExc_OverflowError, "the core does not hold such a table");
    return false;
}

/* The points of everybody whom the view has. */
bool read_scores(PyObject *tuple, View *view) {
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != view->others + 1) {
        PyErr_SetString(PyExc_OverflowError, "not the scores of all");
        return false;
    }
    for (int at = 0; at <= view->others; at++) {
        long points;
        if (!read_number(PyTuple_GetItem(tuple, at), -MOST_POINTS, MOST_POINTS, &points))
            return false;
        view->scores[at] = (int)points;
    }
    return true;
}

static bool read_placements(PyObject *pairs, Play *play) {
    Py_ssize_t size = PyTuple_Check(pairs) ? PyTuple_Size(pairs) : HAND_SIZE + 1;
    for (Py_ssize_t at = 0; at < size && size <= HAND_SIZE; at++) {
        PyObject *pair = PyTuple_GetItem(pairs, at);
        long cell, tile;
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) size = HAND_SIZE + 1;
        else if (!read_number(PyTuple_GetItem(pair, 0), -DOWN * HALF, DOWN * HALF, &cell) ||
                 !read_number(PyTuple_GetItem(pair, 1), 0, KINDS - 1, &tile))
            return false;
        else {
            play->cells[at] = (Cell)cell;
            play->tiles[at] = (uint8_t)tile;
        }
    }
    play->size = (int16_t)size;
    if (size > HAND_SIZE) PyErr_SetString(PyExc_OverflowError, "no such placements");
    return size <= HAND_SIZE;
}

/* The last turns: pairs of who moved and the placements. */
bool read_turns(PyObject *pairs, View *view) {
    Py_ssize_t count = PyTuple_Check(pairs) ? PyTuple_Size(pairs) : RECENT + 1;
    for (Py_ssize_t at = 0; at < count && count <= RECENT; at++) {
        PyObject *pair = PyTuple_GetItem(pairs, at);
        Turn *turn = &view->recent[at];
        long by;
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) count = RECENT + 1;
        else if (!read_number(PyTuple_GetItem(pair, 0), 0, view->others, &by) ||
                 !read_placements(PyTuple_GetItem(pair, 1), &turn->play))
            return false;
        else
            turn->by = (int)by;
    }
    view->turns = (int)count;
    if (count > RECENT) PyErr_SetString(PyExc_OverflowError, "no such turns");
    return count <= RECENT;
}

PyObject *tuple_of_tiles(const uint8_t *tiles, int size) {
    PyObject *tuple = PyTuple_New(size);
    for (int at = 0; tuple && at < size; at++) {
        PyObject *tile = PyLong_FromLong(tiles[at]);
        if (!tile || PyTuple_SetItem(tuple, at, tile) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *tuple_of_placements(const Play *play) {
    PyObject *tuple = PyTuple_New(play->size);
    for (int at = 0; tuple && at < play->size; at++) {
        PyObject *pair = Py_BuildValue("(ii)", play->cells[at], play->tiles[at]);
        if (!pair || PyTuple_SetItem(tuple, at, pair) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* The placements and the tiles exchanged, at least one of them empty. */
PyObject *pair_of_choice(const Choice *choice) {
    PyObject *placements = tuple_of_placements(&choice->play);
    PyObject *tiles = tuple_of_tiles(choice->exchange.tiles, choice->exchange.size);
    PyObject *pair = placements && tiles ? PyTuple_Pack(2, placements, tiles) : NULL;
    Py_XDECREF(placements);
    Py_XDECREF(tiles);
    return pair;
}

bool rest_in_python(void *pause) {
    PyObject *done = PyObject_CallNoArgs(pause);
    Py_XDECREF(done);
    return done != NULL;
}
