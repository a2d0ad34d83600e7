/* A whole game for `qwirkle simulate`. Shuffles, random states and the clock come from Python. */
#include "python.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Game game;
    Bot bots[MOST_SEATS];
    int moves[MOST_SEATS];
    double seconds[MOST_SEATS], since;
    PyObject *shuffle, *luck, *clock, *actions;
} Simulation;

static bool shuffle_in_python(void *with, uint8_t *tiles, int size, int event) {
    Simulation *simulation = with;
    PyObject *before = tuple_of_tiles(tiles, size);
    PyObject *after = before ? PyObject_CallFunction(simulation->shuffle, "Oi", before, event) : NULL;
    bool done = after && read_tiles(after, tiles, size) == size;
    if (after && !done && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a shuffle keeps the number of tiles");
    Py_XDECREF(before);
    Py_XDECREF(after);
    return done;
}

static bool luck_in_python(void *with, int version, Rng *rng) {
    Simulation *simulation = with;
    PyObject *state = PyObject_CallFunction(simulation->luck, "i", version);
    rng->state = state ? PyLong_AsUnsignedLongLongMask(state) : 0;
    Py_XDECREF(state);
    return state && !PyErr_Occurred();
}

static bool read_clock(const Simulation *simulation, double *now) {
    PyObject *seconds = PyObject_CallNoArgs(simulation->clock);
    *now = seconds ? PyFloat_AsDouble(seconds) : 0;
    Py_XDECREF(seconds);
    return seconds && !PyErr_Occurred();
}

/* Note who moved, how long it took and, if asked, what was chosen. */
static bool note_move(void *with, int seat, const Choice *choice) {
    Simulation *simulation = with;
    double now;
    if (!read_clock(simulation, &now)) return false;
    simulation->moves[seat]++;
    simulation->seconds[seat] += now - simulation->since;
    simulation->since = now;
    if (simulation->actions == Py_None) return true;
    PyObject *pair = pair_of_choice(choice);
    bool noted = pair && PyList_Append(simulation->actions, pair) == 0;
    Py_XDECREF(pair);
    return noted;
}

static bool read_game(Game *game, Bot *bots, PyObject *hands, PyObject *bag, PyObject *names) {
    uint8_t kinds[MOST_SEATS];
    int seats = read_tiles(names, kinds, MOST_SEATS);
    if (seats < 0) return false;
    if (!PyTuple_Check(hands) || PyTuple_Size(hands) != seats || seats < 2) {
        PyErr_SetString(PyExc_ValueError, "a hand and a bot for each of two to four seats");
        return false;
    }
    game->seats = seats;
    int tiles = game->bag_size = read_tiles(bag, game->bag, ALL_TILES);
    if (game->bag_size < 0) return false;
    for (int seat = 0; seat < seats; seat++) {
        Hand *hand = &game->hands[seat];
        bots[seat] = (Bot)kinds[seat];
        hand->size = read_tiles(PyTuple_GetItem(hands, seat), hand->tiles, HAND_SIZE);
        if (hand->size < 0) return false;
        tiles += hand->size;
        if (hand->size == 0) tiles = ALL_TILES + 1;
    }
    bool possible = tiles <= ALL_TILES && game->mover >= 0 && game->mover < seats &&
                    game->opening >= 1 && game->opening <= LONGEST && game->version >= 1;
    if (!possible) PyErr_SetString(PyExc_ValueError, "no game is dealt like this");
    return possible;
}

static PyObject *played(Simulation *simulation, int budget) {
    Game *game = &simulation->game;
    World world = {simulation, shuffle_in_python, luck_in_python, note_move};
    Pace pace = {.left = PIECE};
    if (!read_clock(simulation, &simulation->since)) return NULL;
    if (!game_play(game, simulation->bots, budget, &world, &pace))
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    if (game->end == TOO_LONG)
        return PyErr_Format(PyExc_RuntimeError, "the game went on for too long");
    const int *scores = game->scores, *qwirkles = game->qwirkles, *moves = simulation->moves;
    const double *seconds = simulation->seconds;
    return Py_BuildValue(
        "(iiii)(iiii)(iiii)(dddd)ii", scores[0], scores[1], scores[2], scores[3], qwirkles[0],
        qwirkles[1], qwirkles[2], qwirkles[3], moves[0], moves[1], moves[2], moves[3], seconds[0],
        seconds[1], seconds[2], seconds[3], game->turn, (int)game->end);
}

PyObject *core_play_game(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *bots, *hands, *bag;
    long budget;
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation) return PyErr_NoMemory();
    Game *game = &simulation->game;
    PyObject *outcome = NULL;
    game->turn = 1;
    if (PyArg_ParseTuple(
            args, "OOOiiilOOOO:play_game", &bots, &hands, &bag, &game->mover, &game->opening,
            &game->version, &budget, &simulation->shuffle, &simulation->luck, &simulation->clock,
            &simulation->actions) &&
        read_game(game, simulation->bots, hands, bag, bots))
        outcome = played(simulation, budget < MOST_BUDGET ? (int)budget : MOST_BUDGET);
    free(simulation);
    return outcome;
}
