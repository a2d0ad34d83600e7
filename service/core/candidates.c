/* What a bot that looks ahead chooses from, and how it tells the best. */
#include "core.h"

/* All plays but those that differ in an order that scores the same; of openings one for each set
 * of tiles. False if the work was stopped. */
bool find_candidate_plays(const View *view, Plays *plays, Pace *pace) {
    Kinds kinds = kinds_of(view->hand.tiles, view->hand.size);
    int length = view->opening;
    if (!length) return all_plays(view->board, kinds, false, plays, pace);
    return opening_sets(kinds, length, -ACROSS * (length - 1), ACROSS, plays, pace);
}

static Candidate placing(const View *view, const Play *play) {
    Candidate candidate = {.choice = {.play = *play}, .points = play->points};
    candidate.kept = without(view->hand, play->tiles, play->size);
    candidate.draws = play->size < view->bag ? play->size : view->bag;
    if (!candidate.kept.size && !candidate.draws) candidate.points += ENDING_BONUS;
    return candidate;
}

static Candidate exchanging(const View *view) {
    Candidate candidate = {.choice = {.exchange = tiles_to_exchange(view)}};
    const Hand *gone = &candidate.choice.exchange;
    candidate.kept = without(view->hand, gone->tiles, gone->size);
    candidate.draws = gone->size;
    return candidate;
}

/* The best plays by points and, if none scores much, an exchange; at most WIDTH + 1. */
int find_candidates(const View *view, Plays *plays, Candidate *candidates, Pace *pace) {
    int count = 0;
    plays_select(plays, WIDTH, by_points, pace);
    for (; count < plays->count; count++) candidates[count] = placing(view, &plays->items[count]);
    if (view->may_exchange && (!count || candidates[0].points <= 6))
        candidates[count++] = exchanging(view);
    return count;
}

/* Sort the candidates that are left by what they have been worth; equal ones stay in order. */
static void sort_by_worth(int *left, int count, const long *worth) {
    for (int at = 1; at < count; at++) {
        int moving = left[at], to = at;
        for (; to > 0; to--) {
            int before = left[to - 1];
            if (worth[before] > worth[moving]) break;
            if (worth[before] == worth[moving] && before < moving) break;
            left[to] = before;
        }
        left[to] = moving;
    }
}

/* The best candidate after this many trials, of equal ones the first: the worse half is dropped in
 * every round, so that most trials are spent on candidates of similar value. */
Choice best_candidate(
    const Candidate *candidates, int count, int budget, Trier *try, const Trial *trial) {
    long worth[WIDTH + 1] = {0};
    int left[WIDTH + 1];
    int rounds = 0;
    for (int at = 0; at < count; at++) left[at] = at;
    while (1 << rounds < count) rounds++;
    for (int size = count; size > 1 && !trial->pace->stopped; size = (size + 1) / 2) {
        int deals = budget / (rounds * size);
        try(trial, candidates, left, size, worth, deals < 1 ? 1 : deals);
        sort_by_worth(left, size, worth);
    }
    return candidates[left[0]].choice;
}
