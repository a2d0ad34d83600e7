/* What the opponents, and then the seat itself, could do after each candidate: the look ahead of
 * medium and hard. service/bots/rollouts.py explains the method. */
#include "core.h"

#include <string.h>

enum { AT_ONCE = 8 }; /* deals: a candidate is placed once for all of them */

/* The hidden tiles as they may lie: first the others' hands, then what is drawn next. */
typedef struct {
    uint8_t tiles[ALL_TILES];
    int hidden;
} Deal;

static Deal deal_tiles(const View *view, Rng *rng) {
    Deal deal = {.hidden = 0};
    for (int other = 0; other < view->others; other++) deal.hidden += view->held[other];
    int drawn = view->bag < HAND_SIZE ? view->bag : HAND_SIZE;
    memcpy(deal.tiles, view->unseen, (size_t)view->unseen_size);
    rng_sample(rng, deal.tiles, view->unseen_size, deal.hidden + drawn);
    return deal;
}

/* The best play of the seat itself once the others have replied. */
static int own_next(
    const Candidate *candidate, const Deal *deal, const View *view, int bag, Pace *pace) {
    Kinds own = kinds_of(candidate->kept.tiles, candidate->kept.size);
    own |= kinds_of(deal->tiles + deal->hidden, candidate->draws);
    Play next = best_play(view->board, own, pace);
    int points = next.points;
    if (bag <= 0 && next.size == candidate->kept.size + candidate->draws) points += ENDING_BONUS;
    return points;
}

/* What follows a candidate that is on the table: the seat's points, less the mean of the others',
 * times the number of others to keep it an integer. */
static int what_follows(
    const Candidate *candidate, const Deal *deal, const View *view, Pace *pace) {
    Play replies[MOST_SEATS - 1];
    int placed = 0, worth = 0, bag = view->bag - candidate->choice.play.size;
    const uint8_t *hand = deal->tiles;
    bool ended = false;
    for (int other = 0; other < view->others && !ended; other++) {
        int size = view->held[other];
        Play reply = best_play(view->board, kinds_of(hand, size), pace);
        hand += size;
        if (!reply.size) continue;
        worth -= reply.points;
        if (bag <= 0 && reply.size == size) {
            worth -= ENDING_BONUS;
            ended = true;
        } else {
            bag -= reply.size;
            board_place(view->board, &reply);
            replies[placed++] = reply;
        }
    }
    if (!ended) worth += own_next(candidate, deal, view, bag, pace) * view->others;
    while (placed > 0) board_lift(view->board, &replies[--placed]);
    return worth;
}

/* What a candidate is worth on all of these deals together. */
static long worth_of(
    const Candidate *candidate, const Deal *deals, int count, const View *view, Pace *pace) {
    long worth = (long)candidate->points * view->others * count;
    if (!candidate->kept.size && !candidate->draws) return worth;
    board_place(view->board, &candidate->choice.play);
    for (int at = 0; at < count && !pace->stopped; at++)
        worth += what_follows(candidate, &deals[at], view, pace);
    board_lift(view->board, &candidate->choice.play);
    return worth;
}

/* Each opponent replies once, then the seat itself. A few deals at a time. */
void try_replies(
    const Trial *trial, const Candidate *candidates, const int *left, int size, long *worth,
    int deals) {
    const View *view = trial->view;
    Deal some[AT_ONCE];
    for (; deals > 0 && !trial->pace->stopped; deals -= AT_ONCE) {
        int count = deals < AT_ONCE ? deals : AT_ONCE;
        for (int at = 0; at < count; at++) some[at] = deal_tiles(view, trial->rng);
        for (int at = 0; at < size; at++)
            worth[left[at]] += worth_of(&candidates[left[at]], some, count, view, trial->pace);
    }
}
