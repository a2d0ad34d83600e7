/* The look ahead of the expert: whole rounds of greedy play after each candidate.
 *
 * All hidden tiles are dealt, with hands that agree with what their owners have done. Then
 * everybody takes the most points in every turn and draws from the bag that was dealt, for two
 * rounds or to the end of the game. All candidates meet the same deals.
 *
 * Between two players a candidate is worth the lead that it brings. Among more it is worth the
 * chance to end ahead of everybody: a lead over the mean of the others may be one over the weakest
 * alone. */
#include "core.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS = 2,
    AT_ONCE = 8, /* deals: a candidate is placed once for all of them */
    MOST_TURNS = ROUNDS * MOST_SEATS,
    CERTAIN = 1000000, /* a chance is so many parts of it */
};

/* By how much a lead may still change, by the square root of the tiles that are not placed. */
static const double SPREAD = 2.4;

/* A game that goes on after a candidate. Seat 0 draws from the front of the bag, the others from
 * its back: so they draw the same tiles, however many the seat takes. */
typedef struct {
    Board *board;
    const uint8_t *bag;
    int front, back;
    Hand hands[MOST_SEATS];
    int scores[MOST_SEATS];
    Play placed[MOST_TURNS];
    int count;
} Outlook;

static void draw(Outlook *outlook, int seat, int count) {
    Hand *hand = &outlook->hands[seat];
    for (; count > 0 && outlook->front < outlook->back; count--)
        hand->tiles[hand->size++] =
            outlook->bag[seat ? --outlook->back : outlook->front++];
}

/* The normal distribution, by formula 26.2.18 of Abramowitz and Stegun: exact to 0.00025, and the
 * same on every machine, since it needs no function of the C library. */
static double chance_below(double x) {
    double y = fabs(x);
    double tail = 1 + y * (0.196854 + y * (0.115194 + y * (0.000344 + y * 0.019527)));
    tail = 0.5 / (tail * tail * tail * tail);
    return x < 0 ? tail : 1 - tail;
}

/* The chance to end ahead of everybody from here. */
static long chance_to_win(const Outlook *outlook, const View *view, bool ended) {
    double unplaced = 1 + outlook->back - outlook->front;
    for (int seat = 0; seat <= view->others; seat++) unplaced += outlook->hands[seat].size;
    double spread = ended ? 0.3 : SPREAD * sqrt(unplaced);
    double chance = CERTAIN;
    int own = view->scores[0] + outlook->scores[0];
    for (int other = 1; other <= view->others; other++)
        chance *= chance_below((own - view->scores[other] - outlook->scores[other]) / spread);
    return (long)chance;
}

/* The play with the most points for this seat. False if that ended the game. */
static bool take_turn(Outlook *outlook, int seat, bool last, Pace *pace) {
    Hand *hand = &outlook->hands[seat];
    Play play = best_play(outlook->board, kinds_of(hand->tiles, hand->size), pace);
    if (!play.size) return true;
    outlook->scores[seat] += play.points;
    *hand = without(*hand, play.tiles, play.size);
    draw(outlook, seat, play.size);
    if (!hand->size) {
        outlook->scores[seat] += ENDING_BONUS;
        return false;
    }
    if (last) return true; /* nobody looks at the table any more */
    board_place(outlook->board, &play);
    outlook->placed[outlook->count++] = play;
    return true;
}

/* What a candidate that is on the table is worth on a deal, with all that follows. */
static long what_follows(
    const Candidate *candidate, const FullDeal *deal, const View *view, Pace *pace) {
    int seats = view->others + 1;
    Outlook outlook = {.board = view->board, .bag = deal->bag, .back = view->bag};
    outlook.hands[0] = candidate->kept;
    outlook.scores[0] = candidate->points;
    memcpy(outlook.hands + 1, deal->hands, sizeof deal->hands);
    draw(&outlook, 0, candidate->draws);
    bool on = outlook.hands[0].size > 0;
    for (int turn = 1; on && turn <= ROUNDS * seats; turn++)
        on = take_turn(&outlook, turn % seats, turn == ROUNDS * seats, pace);
    while (outlook.count > 0) board_lift(view->board, &outlook.placed[--outlook.count]);
    if (view->others == 1) return outlook.scores[0] - outlook.scores[1];
    return chance_to_win(&outlook, view, !on);
}

/* Whole rounds of greedy play on so many deals, a few deals at a time. */
void try_rounds(
    const Trial *trial, const Candidate *candidates, const int *left, int size, long *worth,
    int deals) {
    Board *board = trial->view->board;
    FullDeal some[AT_ONCE];
    for (; deals > 0 && !trial->pace->stopped; deals -= AT_ONCE) {
        int count = deals < AT_ONCE ? deals : AT_ONCE;
        for (int at = 0; at < count; at++)
            deal_by_clues(&some[at], trial->clues, trial->view, trial->rng, trial->pace);
        for (int at = 0; at < size && !trial->pace->stopped; at++) {
            const Candidate *candidate = &candidates[left[at]];
            board_place(board, &candidate->choice.play);
            for (int each = 0; each < count; each++)
                worth[left[at]] +=
                    what_follows(candidate, &some[each], trial->view, trial->pace);
            board_lift(board, &candidate->choice.play);
        }
    }
}
