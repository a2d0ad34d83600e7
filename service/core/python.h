/* What module.c, simulate.c, environments.c and convert.c share: they alone know Python. */
#ifndef QWIRKLE_CORE_PYTHON_H
#define QWIRKLE_CORE_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "core.h"

enum { MOST_BUDGET = 1 << 28 };

/* Each returns false, or NULL, with an exception set. */
int read_tiles(PyObject *tuple, uint8_t *tiles, int most); /* how many, or -1 */
bool read_board(PyObject *tiles, Board *board);
bool read_scores(PyObject *tuple, View *view);
bool read_turns(PyObject *pairs, View *view);
PyObject *tuple_of_tiles(const uint8_t *tiles, int size);
PyObject *tuple_of_placements(const Play *play);
PyObject *pair_of_choice(const Choice *choice);
bool rest_in_python(void *pause);

PyObject *core_play_game(PyObject *module, PyObject *args);
PyObject *core_new_games(PyObject *module, PyObject *args);
PyObject *core_deal_game(PyObject *module, PyObject *args);
PyObject *core_allowed(PyObject *module, PyObject *args);
PyObject *core_act(PyObject *module, PyObject *args);
PyObject *core_observe(PyObject *module, PyObject *args);

#endif
