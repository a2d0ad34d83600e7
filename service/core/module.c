/* The module for Python: service/core/_native.pyi describes it.
 *
 * Searches run in memory of their own on the heap: greenlets copy the stack when they switch. */
#include "python.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Board board;
    Plays plays;
    Pace pace;
    View view;
} Task;

static Task *new_task(PyObject *pause) {
    Task *task = calloc(1, sizeof *task);
    if (!task) {
        PyErr_NoMemory();
        return NULL;
    }
    task->pace = (Pace){.left = PIECE, .rest = rest_in_python, .with = pause};
    task->view.board = &task->board;
    return task;
}

static void free_task(Task *task) {
    if (!task) return;
    free(task->plays.items);
    free(task);
}

static bool is_tuple_type(PyObject *type) {
    return PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type);
}

/* A value of a subclass of tuple, such as a NamedTuple, without calling into Python. */
static PyObject *of_type(PyObject *type, PyObject *items) {
    newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *args = items ? PyTuple_Pack(1, items) : NULL;
    PyObject *value = args ? make((PyTypeObject *)type, args, NULL) : NULL;
    Py_XDECREF(args);
    Py_XDECREF(items);
    return value;
}

static PyObject *tuple_of_lines(Board *board, const Play *play, PyObject *line_type) {
    Line lines[HAND_SIZE + 1];
    int count = lines_of(board, play, lines);
    PyObject *tuple = PyTuple_New(count);
    for (int at = 0; tuple && at < count; at++) {
        const Line *line = &lines[at];
        PyObject *items = Py_BuildValue("(iii)", line->start, line->step, line->length);
        PyObject *value = of_type(line_type, items);
        if (!value || PyTuple_SetItem(tuple, at, value) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *play_of(Board *board, const Play *play, PyObject *play_type, PyObject *line_type) {
    PyObject *placements = tuple_of_placements(play);
    PyObject *lines = tuple_of_lines(board, play, line_type);
    PyObject *items = NULL;
    if (placements && lines) items = Py_BuildValue("(OiO)", placements, play->points, lines);
    Py_XDECREF(placements);
    Py_XDECREF(lines);
    return of_type(play_type, items);
}

static PyObject *list_of_plays(Task *task, PyObject *play_type, PyObject *line_type) {
    PyObject *list = PyList_New(0);
    for (int at = 0; list && at < task->plays.count; at++) {
        PyObject *play = play_of(&task->board, &task->plays.items[at], play_type, line_type);
        /* Making an object takes as long as trying fifty tiles. */
        if (!play || PyList_Append(list, play) < 0 || !pace_on(&task->pace, 50)) Py_CLEAR(list);
        Py_XDECREF(play);
    }
    return list;
}

/* An exception for work that was stopped: that of the pause, or a lack of memory. */
static void *stopped(void) { return PyErr_Occurred() ? NULL : PyErr_NoMemory(); }

static PyObject *find_plays(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *tiles, *pause, *play_type, *line_type;
    unsigned long long kinds;
    int opening, order, limit;
    if (!PyArg_ParseTuple(
            args, "O!KiiiOO!O!:find_plays", &PyDict_Type, &tiles, &kinds, &opening, &order, &limit,
            &pause, &PyType_Type, &play_type, &PyType_Type, &line_type))
        return NULL;
    if (opening < 0 || opening > LONGEST || order < 0 || order > 2 || limit < 0)
        return PyErr_Format(PyExc_OverflowError, "no such search");
    if (!is_tuple_type(play_type) || !is_tuple_type(line_type))
        return PyErr_Format(PyExc_TypeError, "plays and lines are made as tuples");
    Task *task = new_task(pause);
    PyObject *found = NULL;
    if (task && read_board(tiles, &task->board)) {
        bool done = opening ? opening_plays(kinds & ALL_KINDS, opening, &task->plays, &task->pace)
                            : all_plays(&task->board, kinds & ALL_KINDS, true, &task->plays,
                                        &task->pace);
        int count = task->plays.count;
        if (done && order)
            plays_select(&task->plays, limit, order == 1 ? by_reading : by_points, &task->pace);
        else if (done && limit < count)
            task->plays.count = limit;
        PyObject *list =
            task->pace.stopped ? stopped() : list_of_plays(task, play_type, line_type);
        if (list) found = Py_BuildValue("(iN)", count, list);
    }
    free_task(task);
    return found;
}

/* The tiles of so many of each kind; -1 with an exception set if they are too many. */
static int read_unseen(PyObject *tuple, uint8_t *tiles) {
    uint8_t counts[KINDS] = {0};
    int size = 0;
    if (read_tiles(tuple, counts, KINDS) < 0) return -1;
    for (int kind = 0; kind < KINDS; kind++)
        for (; counts[kind] > 0 && size < ALL_TILES; counts[kind]--) tiles[size++] = (uint8_t)kind;
    return size;
}

/* Fill in what a bot sees. The tiles must not be more than there are. */
static bool read_view(View *view, PyObject *hand, PyObject *unseen, PyObject *held) {
    int hidden = view->bag < HAND_SIZE ? view->bag : HAND_SIZE;
    view->hand.size = read_tiles(hand, view->hand.tiles, HAND_SIZE);
    view->unseen_size = read_unseen(unseen, view->unseen);
    uint8_t sizes[MOST_SEATS - 1];
    view->others = read_tiles(held, sizes, MOST_SEATS - 1);
    if (view->hand.size < 0 || view->unseen_size < 0 || view->others < 0) return false;
    for (int other = 0; other < view->others; other++) {
        view->held[other] = sizes[other];
        hidden += sizes[other];
        if (sizes[other] > HAND_SIZE) hidden = ALL_TILES + 1;
    }
    bool possible = view->hand.size > 0 && view->others > 0 && hidden <= view->unseen_size &&
                    view->bag >= 0 && view->opening >= 0 && view->opening <= LONGEST &&
                    view->may_exchange >= 0 && view->may_exchange <= view->hand.size &&
                    view->board->tiles + view->hand.size + view->unseen_size <= ALL_TILES;
    if (!possible) PyErr_SetString(PyExc_OverflowError, "no game looks like this");
    return possible;
}

static PyObject *choose_action(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *tiles, *hand, *unseen, *held, *scores, *recent, *pause;
    int bot, bag, opening, may_exchange;
    unsigned long long state;
    long budget;
    if (!PyArg_ParseTuple(
            args, "iO!OOiOOiiOKlO:choose", &bot, &PyDict_Type, &tiles, &hand, &unseen, &bag, &held,
            &scores, &opening, &may_exchange, &recent, &state, &budget, &pause))
        return NULL;
    Task *task = new_task(pause);
    PyObject *chosen = NULL;
    if (task) {
        View *view = &task->view;
        view->bag = bag;
        view->opening = opening;
        view->may_exchange = may_exchange;
        if (read_board(tiles, &task->board) && read_view(view, hand, unseen, held) &&
            read_scores(scores, view) && read_turns(recent, view)) {
            Rng rng = {state};
            int looks = budget < MOST_BUDGET ? (int)budget : MOST_BUDGET;
            Choice choice = choose(bot, view, &rng, looks, &task->pace);
            chosen = task->pace.stopped ? stopped() : pair_of_choice(&choice);
        }
    }
    free_task(task);
    return chosen;
}

static PyMethodDef methods[] = {
    {"find_plays", find_plays, METH_VARARGS, "How many legal plays there are, and some of them."},
    {"choose", choose_action, METH_VARARGS, "The placements and the exchange that a bot chooses."},
    {"play_game", core_play_game, METH_VARARGS, "Play a game that has been dealt to its end."},
    {"new_games", core_new_games, METH_VARARGS, "Games that are acted in by numbers."},
    {"deal_game", core_deal_game, METH_VARARGS, "Deal one of the games."},
    {"allowed", core_allowed, METH_VARARGS, "The first game that does not allow its action, or -1."},
    {"act", core_act, METH_VARARGS, "Carry out an action in each of some games."},
    {"observe", core_observe, METH_VARARGS, "Write what is seen in each of some games."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The searches and the bots in C.", 0, methods, NULL, NULL,
    NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
