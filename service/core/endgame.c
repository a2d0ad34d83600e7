/* The end of a game between two players with an empty bag: both hands are known.
 *
 * The alpha-beta search of service/bots/endgame.py, evaluation for evaluation: the budget must
 * run out at the same position. */
#include "core.h"

#include <stdlib.h>

enum {
    ENDLESS = 10000,
    DEEPEST = 12,
    FEW = 6, /* with more tiles in both hands only one order of tiles that touch nothing */
};

typedef struct {
    Board *board;
    Plays plays; /* those of every position on the way to the current one, one after another */
    Play chosen;
    Pace *pace;
    int budget;
    bool every_order, cut, spent;
} Endgame;

static Kinds kinds_in(const Hand *hand) { return kinds_of(hand->tiles, hand->size); }

/* Count an evaluation. False if the budget is spent. */
static bool spend_one(Endgame *end) {
    if (end->budget <= 0 || end->pace->stopped) end->spent = true;
    end->budget--;
    return !end->spent;
}

/* Most points first, then most tiles, then reading order. */
static int most_promising(const void *one, const void *other) {
    const Play *a = one, *b = other;
    if (a->points != b->points) return b->points - a->points;
    if (a->size != b->size) return b->size - a->size;
    return by_reading(one, other);
}

/* Add the plays of a hand to the list, with the ending bonus. Their number, or 0 if stopped. */
static int find_plays(Endgame *end, const Hand *hand) {
    int first = end->plays.count;
    if (!spend_one(end)) return 0;
    if (!all_plays(end->board, kinds_in(hand), end->every_order, &end->plays, end->pace))
        end->spent = true;
    int count = end->plays.count - first;
    Play *plays = end->plays.items + first;
    for (int at = 0; at < count; at++)
        if (plays[at].size == hand->size) plays[at].points += ENDING_BONUS;
    if (count) qsort(plays, (size_t)count, sizeof *plays, most_promising);
    return end->spent ? 0 : count;
}

/* The lead of the player to move if both take the most points in every turn from here. */
static int greedy_lead(Endgame *end, Hand hand, Hand other) {
    Play placed[2 * HAND_SIZE];
    int count = 0, lead = 0, sign = 1;
    bool passed = false;
    end->cut = true;
    while (spend_one(end)) {
        Play play = best_play(end->board, kinds_in(&hand), end->pace);
        if (!play.size) {
            if (passed) break;
            passed = true;
        } else {
            passed = false;
            lead += sign * play.points;
            hand = without(hand, play.tiles, play.size);
            if (!hand.size) {
                lead += sign * ENDING_BONUS;
                break;
            }
            board_place(end->board, &play);
            placed[count++] = play;
        }
        Hand swapped = hand;
        hand = other;
        other = swapped;
        sign = -sign;
    }
    while (count > 0) board_lift(end->board, &placed[--count]);
    return lead;
}

static int lead_of(Endgame *end, Hand hand, Hand other, int depth, int low, int high);

/* The other player's lead after this play. */
static int rest(
    Endgame *end, Hand hand, Hand other, const Play *play, int depth, int low, int high) {
    if (play->size == hand.size) return 0;
    board_place(end->board, play);
    Hand kept = without(hand, play->tiles, play->size);
    int lead = lead_of(end, other, kept, depth - 1, low, high);
    board_lift(end->board, play);
    return lead;
}

/* The lead in points that the player to move can still gain over the other. Outside the bounds
 * only "at most low" or "at least high" is known. */
static int lead_of(Endgame *end, Hand hand, Hand other, int depth, int low, int high) {
    if (depth == 0) return greedy_lead(end, hand, other);
    int first = end->plays.count;
    int count = find_plays(end, &hand);
    int most = -ENDLESS;
    if (!count && !end->spent) {
        if (!board_takes_any(end->board, kinds_in(&other))) return 0;
        return -lead_of(end, other, hand, depth, -high, -low);
    }
    for (int at = 0; at < count && !end->spent; at++) {
        Play play = end->plays.items[first + at];
        int points = play.points;
        int worth = points - rest(end, hand, other, &play, depth, points - high, points - low);
        if (worth > most) most = worth;
        if (most > low) low = most;
        if (low >= high) break;
    }
    end->plays.count = first;
    return most;
}

/* Move the play chosen so far to the front of the list, with its points there. */
static void put_chosen_first(Endgame *end, int count) {
    Play *plays = end->plays.items;
    int at = 0;
    while (at < count && by_reading(&plays[at], &end->chosen) != 0) at++;
    if (at == count) return;
    Play first = plays[at];
    for (; at > 0; at--) plays[at] = plays[at - 1];
    plays[0] = first;
}

/* Choose again after a search of this depth, trying the play chosen so far first. */
static void deepen(Endgame *end, Hand hand, Hand other, int depth) {
    int count = find_plays(end, &hand);
    int most = -ENDLESS;
    put_chosen_first(end, count);
    for (int at = 0; at < count && !end->spent; at++) {
        Play play = end->plays.items[at];
        int points = play.points;
        int worth = points - rest(end, hand, other, &play, depth, -ENDLESS, points - most);
        if (worth > most && !end->spent) {
            most = worth;
            end->chosen = play;
            if (play.size == hand.size) end->chosen.points -= ENDING_BONUS; /* added above */
        }
    }
    end->plays.count = 0;
}

/* The play that gives the owner of the hand the greatest lead at the end. It must have one. */
Play best_endgame_play(Board *board, Hand hand, Hand other, int budget, Pace *pace) {
    Endgame end = {.board = board, .pace = pace, .budget = budget};
    end.every_order = hand.size + other.size <= FEW;
    end.chosen = best_play(board, kinds_in(&hand), pace);
    for (int depth = 1; depth <= DEEPEST; depth++) {
        end.cut = false;
        deepen(&end, hand, other, depth);
        if (!end.cut || end.spent) break;
    }
    free(end.plays.items);
    return end.chosen;
}
