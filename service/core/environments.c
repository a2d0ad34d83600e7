/* Many games at once for Python. They write into arrays that the caller owns, and several threads
 * can work on different games: nothing here touches Python objects while it works. */
#include "python.h"

#include "episode.h"

#include <stdlib.h>

static const char NAME[] = "qwirkle games";

typedef struct {
    int count, seats;
    Episode *episodes;
} Games;

static void free_games(Games *games) {
    for (int at = 0; at < games->count; at++) {
        free(games->episodes[at].plays.items);
        free(games->episodes[at].spare.items);
    }
    free(games->episodes);
    free(games);
}

static void capsule_gone(PyObject *capsule) {
    Games *games = PyCapsule_GetPointer(capsule, NAME);
    if (games) free_games(games);
}

PyObject *core_new_games(PyObject *module, PyObject *args) {
    (void)module;
    int count, seats, most;
    if (!PyArg_ParseTuple(args, "iii:new_games", &count, &seats, &most)) return NULL;
    if (count < 1 || count > 1 << 20 || seats < 2 || seats > MOST_SEATS || most < 1 ||
        most > 1 << 16)
        return PyErr_Format(PyExc_ValueError, "no such games");
    Games *games = calloc(1, sizeof *games);
    if (games) games->episodes = calloc((size_t)count, sizeof *games->episodes);
    if (!games || !games->episodes) {
        free(games);
        return PyErr_NoMemory();
    }
    games->count = count;
    games->seats = seats;
    for (int at = 0; at < count; at++) {
        games->episodes[at].most = most;
        games->episodes[at].game.end = TOO_LONG; /* until it is dealt */
    }
    PyObject *capsule = PyCapsule_New(games, NAME, capsule_gone);
    if (!capsule) free_games(games);
    return capsule;
}

/* The games of a capsule if it has these; otherwise NULL with an exception set. */
static Games *games_in(PyObject *capsule, int first, int last) {
    Games *games = PyCapsule_GetPointer(capsule, NAME);
    if (games && (first < 0 || first > last || last > games->count)) {
        PyErr_SetString(PyExc_IndexError, "there are no such games");
        return NULL;
    }
    return games;
}

/* Open a contiguous array with room for so many bytes of every game. */
static bool open_array(PyObject *array, int count, size_t bytes, bool written, Py_buffer *view) {
    if (PyObject_GetBuffer(array, view, written ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return false;
    if ((size_t)view->len == (size_t)count * bytes) return true;
    PyErr_Format(PyExc_ValueError, "an array of %zu bytes is needed", (size_t)count * bytes);
    PyBuffer_Release(view);
    return false;
}

PyObject *core_deal_game(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *status;
    Py_buffer seed, out;
    int at;
    if (!PyArg_ParseTuple(args, "Oiy*O:deal_game", &capsule, &at, &seed, &status)) return NULL;
    Games *games = games_in(capsule, at, at + 1);
    bool done = false;
    if (games && seed.len != SEED_BYTES) {
        PyErr_SetString(PyExc_ValueError, "a seed has 32 bytes");
    } else if (games &&
               open_array(status, games->count, STATUS * sizeof(int32_t), true, &out)) {
        Episode *episode = &games->episodes[at];
        done = episode_deal(episode, games->seats, seed.buf);
        episode_status(episode, (int32_t *)out.buf + (size_t)at * STATUS);
        PyBuffer_Release(&out);
        if (!done) PyErr_NoMemory();
    }
    PyBuffer_Release(&seed);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* Act in the games from first on. If an action is not allowed nothing is done, and the number of
 * the game is returned; otherwise -1. */
static int act(Games *games, int first, int last, const int64_t *actions, int32_t *status) {
    for (int at = first; at < last; at++)
        if (!episode_allows(&games->episodes[at], actions[at])) return at;
    for (int at = first; at < last; at++) {
        if (!episode_act(&games->episodes[at], actions[at])) return -2;
        episode_status(&games->episodes[at], status + (size_t)at * STATUS);
    }
    return -1;
}

PyObject *core_act(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *actions, *status;
    Py_buffer given, out;
    int first, last;
    if (!PyArg_ParseTuple(args, "OiiOO:act", &capsule, &first, &last, &actions, &status))
        return NULL;
    Games *games = games_in(capsule, first, last);
    if (!games || !open_array(actions, games->count, sizeof(int64_t), false, &given)) return NULL;
    if (!open_array(status, games->count, STATUS * sizeof(int32_t), true, &out)) {
        PyBuffer_Release(&given);
        return NULL;
    }
    int refused;
    Py_BEGIN_ALLOW_THREADS
    refused = act(games, first, last, given.buf, out.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&given);
    PyBuffer_Release(&out);
    return refused == -2 ? PyErr_NoMemory() : PyLong_FromLong(refused);
}

PyObject *core_allowed(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *actions;
    Py_buffer given;
    if (!PyArg_ParseTuple(args, "OO:allowed", &capsule, &actions)) return NULL;
    Games *games = games_in(capsule, 0, 0);
    if (!games || !open_array(actions, games->count, sizeof(int64_t), false, &given)) return NULL;
    int at = 0;
    while (at < games->count &&
           episode_allows(&games->episodes[at], ((const int64_t *)given.buf)[at]))
        at++;
    PyBuffer_Release(&given);
    return PyLong_FromLong(at == games->count ? -1 : at);
}

/* Observe the games from first on; seat -1 is the player to move, or 0 if there is none. */
static void observe(Games *games, int first, int last, int seat, const Py_buffer *out) {
    int16_t *state = out[0].buf, *plays = out[2].buf;
    uint8_t *board = out[1].buf;
    int8_t *mask = out[3].buf;
    for (int at = first; at < last; at++) {
        const Episode *episode = &games->episodes[at];
        size_t most = (size_t)episode->most, row = (size_t)at;
        int mover = episode->game.end == RUNNING ? episode->game.mover : 0;
        episode_observe(
            episode, seat >= 0 ? seat : mover, state + row * STATE_FEATURES,
            board + row * VIEW_SIDE * VIEW_SIDE, plays + row * most * PLAY_FEATURES,
            mask + row * (most + EXCHANGES + 1));
    }
}

PyObject *core_observe(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule, *arrays[4];
    int first, last, seat, opened = 0;
    if (!PyArg_ParseTuple(
            args, "OiiiOOOO:observe", &capsule, &first, &last, &seat, &arrays[0], &arrays[1],
            &arrays[2], &arrays[3]))
        return NULL;
    Games *games = games_in(capsule, first, last);
    if (!games) return NULL;
    if (seat >= games->seats) return PyErr_Format(PyExc_IndexError, "there is no such seat");
    size_t most = (size_t)games->episodes[0].most;
    const size_t bytes[4] = {
        STATE_FEATURES * sizeof(int16_t), VIEW_SIDE * VIEW_SIDE,
        most * PLAY_FEATURES * sizeof(int16_t), most + EXCHANGES + 1};
    Py_buffer out[4];
    while (opened < 4 && open_array(arrays[opened], games->count, bytes[opened], true, &out[opened]))
        opened++;
    bool done = opened == 4;
    if (done) {
        Py_BEGIN_ALLOW_THREADS
        observe(games, first, last, seat, out);
        Py_END_ALLOW_THREADS
    }
    while (opened > 0) PyBuffer_Release(&out[--opened]);
    return done ? Py_NewRef(Py_None) : NULL;
}
