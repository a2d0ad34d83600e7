/* The bot of service/bots/cautious.py. */
#include "core.h"

#include <stdlib.h>

enum { QWIRKLE = 12, ALMOST = 5, PARTS = 1 << 20, KEPT = PARTS / 2 };

/* The kinds that complete a line of six somewhere on the table. */
static Kinds completing(const Board *board) {
    Kinds kinds = 0;
    for (int at = 0; at < board->open; at++) {
        const Spot *spot = &board->spots[at];
        if (spot->row.standing == ALMOST || spot->column.standing == ALMOST) kinds |= spot->fit;
    }
    return kinds;
}

/* The chance, in parts, that the next player holds a tile of these kinds. */
static int64_t chance_of(Kinds kinds, const View *view) {
    int absent = 0;
    for (int at = 0; at < view->unseen_size; at++) absent += !(kinds >> view->unseen[at] & 1);
    int64_t missing = PARTS;
    for (int drawn = 0; drawn < view->held[0]; drawn++)
        missing = missing * (absent > drawn ? absent - drawn : 0) / (view->unseen_size - drawn);
    return PARTS - missing;
}

static int64_t worth_of(const Candidate *candidate, Kinds before, const View *view) {
    int64_t worth = (int64_t)candidate->points * PARTS;
    if (!candidate->kept.size && !candidate->draws) return worth;
    board_place(view->board, &candidate->choice.play);
    worth -= QWIRKLE * chance_of(completing(view->board) & ~before, view);
    board_lift(view->board, &candidate->choice.play);
    Kinds line = longest_kinds(kinds_of(candidate->kept.tiles, candidate->kept.size));
    return worth + __builtin_popcountll(line) * KEPT;
}

Choice choose_cautious(const View *view, Pace *pace) {
    Plays plays = {0};
    Candidate candidates[WIDTH + 1];
    bool done = find_candidate_plays(view, &plays, pace);
    if (done) find_candidates(view, &plays, candidates, pace);
    int count = plays.count;
    free(plays.items);
    if (!done || !count) return choose_greedy(view, pace);
    int best = 0;
    Kinds before = completing(view->board);
    int64_t most = 0;
    for (int at = 0; at < count && pace_on(pace, 1); at++) {
        int64_t worth = worth_of(&candidates[at], before, view);
        if (at == 0 || worth > most) {
            most = worth;
            best = at;
        }
    }
    return candidates[best].choice;
}
