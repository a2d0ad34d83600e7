/* What each bot chooses: service/bots/simple.py and service/bots/lookahead.py. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOTICED = 12, /* plays that the easy bot chooses from */
    MEDIUM_SHARE = 96,
    HARD_SHARE = 8, /* of the expert's budget: service/bots/__init__.py */
};

/* The generator of service/bots/rng.py: xorshift*, with 64 bits of state. */
int rng_below(Rng *rng, int bound) {
    uint64_t state = rng->state;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    rng->state = state;
    return (int)(((state * UINT64_C(2685821657736338717)) >> 32) * (uint64_t)bound >> 32);
}

/* Draw so many of the items, without replacement, to the front. */
void rng_sample(Rng *rng, uint8_t *items, int size, int count) {
    for (int at = 0; at < count; at++) {
        int chosen = at + rng_below(rng, size - at);
        uint8_t item = items[at];
        items[at] = items[chosen];
        items[chosen] = item;
    }
}

Kinds kinds_of(const uint8_t *tiles, int size) {
    Kinds kinds = 0;
    for (int at = 0; at < size; at++) kinds |= bit_of(tiles[at]);
    return kinds;
}

/* The hand without these tiles, which it must hold. */
Hand without(Hand hand, const uint8_t *gone, int size) {
    for (int at = 0; at < size; at++) {
        int held = 0;
        while (held < hand.size - 1 && hand.tiles[held] != gone[at]) held++;
        for (hand.size--; held < hand.size; held++) hand.tiles[held] = hand.tiles[held + 1];
    }
    return hand;
}

/* Keep a hand in kind order. */
void hand_add(Hand *hand, uint8_t tile) {
    int at = hand->size++;
    for (; at > 0 && hand->tiles[at - 1] > tile; at--) hand->tiles[at] = hand->tiles[at - 1];
    hand->tiles[at] = tile;
}

/* The kinds of the longest line that these can form; colours come before shapes. */
Kinds longest_kinds(Kinds kinds) {
    Kinds longest = 0;
    for (int family = 0; family < 12; family++) {
        Kinds line = kinds & (family < 6 ? FAMILIES[6 * family].colour : FAMILIES[family - 6].shape);
        if (__builtin_popcountll(line) > __builtin_popcountll(longest)) longest = line;
    }
    return longest;
}

/* The tiles outside the longest line of the hand, the first in kind order, at least one. */
Hand tiles_to_exchange(const View *view) {
    Kinds kept = longest_kinds(kinds_of(view->hand.tiles, view->hand.size));
    Hand gone = {.size = 0};
    for (int at = 0; at < view->hand.size; at++) {
        uint8_t tile = view->hand.tiles[at];
        if (kept & bit_of(tile))
            kept &= ~bit_of(tile);
        else if (gone.size < view->may_exchange)
            gone.tiles[gone.size++] = tile;
    }
    if (!gone.size) gone.tiles[gone.size++] = view->hand.tiles[0];
    return gone;
}

static Choice random_exchange(const View *view, Rng *rng) {
    Choice choice = {.play = {.size = 0}};
    int count = view->may_exchange ? 1 + rng_below(rng, view->may_exchange) : 0;
    Hand drawn = view->hand;
    rng_sample(rng, drawn.tiles, drawn.size, count);
    for (int at = 0; at < count; at++) hand_add(&choice.exchange, drawn.tiles[at]);
    return choice;
}

/* The best of so many plays, taken at random. */
static Choice choose_noticed(const View *view, int noticed, Rng *rng, Pace *pace) {
    Choice choice = {.play = {.size = 0}};
    Kinds kinds = kinds_of(view->hand.tiles, view->hand.size);
    Plays plays = {0};
    bool done = view->opening ? opening_plays(kinds, view->opening, &plays, pace)
                              : all_plays(view->board, kinds, true, &plays, pace);
    if (done && !plays.count) choice = random_exchange(view, rng);
    for (int at = 0; done && plays.count && at < noticed; at++) {
        const Play *play = &plays.items[rng_below(rng, plays.count)];
        if (at == 0 || by_points(play, &choice.play) < 0) choice.play = *play;
    }
    free(plays.items);
    return choice;
}

/* The first opening by points is the column that ends in the middle. */
static Play best_opening(Kinds kinds, int length, Pace *pace) {
    Plays plays = {0};
    Play best = {.size = 0};
    opening_sets(kinds, length, -DOWN * (length - 1), DOWN, &plays, pace);
    if (plays.count) best = plays.items[0];
    free(plays.items);
    return best;
}

Choice choose_greedy(const View *view, Pace *pace) {
    Choice choice = {.play = {.size = 0}};
    Kinds kinds = kinds_of(view->hand.tiles, view->hand.size);
    choice.play = view->opening ? best_opening(kinds, view->opening, pace)
                                : best_play(view->board, kinds, pace);
    if (!choice.play.size && view->may_exchange) choice.exchange = tiles_to_exchange(view);
    return choice;
}

/* Whether the hand of the only opponent can be inferred, because the bag is empty. */
static bool knows_last_opponent(const View *view) {
    return !view->bag && view->others == 1 && view->board->tiles &&
           view->unseen_size == view->held[0];
}

static Choice play_endgame(const View *view, int budget, Pace *pace) {
    Choice choice = {.play = {.size = 0}};
    Hand other = {.size = view->unseen_size};
    memcpy(other.tiles, view->unseen, (size_t)other.size);
    choice.play = best_endgame_play(view->board, view->hand, other, budget, pace);
    return choice;
}

/* What the expert does between the opening and the endgame: it guesses what the others hold. */
static Choice best_by_clues(
    const Candidate *candidates, int count, const View *view, Rng *rng, int budget, Pace *pace) {
    Clues *clues = find_clues(view);
    if (!clues) pace->stopped = true;
    Trial trial = {view, clues, rng, pace};
    Choice choice = best_candidate(candidates, count, budget, try_rounds, &trial);
    free(clues);
    return choice;
}

static Choice choose_among(
    Bot bot, const View *view, Plays *plays, Rng *rng, int budget, Pace *pace) {
    Choice choice = {.play = {.size = 0}};
    if (!plays->count && !view->may_exchange) return choice;
    if (plays->count == 1 && !view->may_exchange) {
        choice.play = plays->items[0];
        return choice;
    }
    if (knows_last_opponent(view)) return play_endgame(view, budget, pace);
    Candidate candidates[WIDTH + 1];
    int count = find_candidates(view, plays, candidates, pace);
    if (bot == EXPERT) return best_by_clues(candidates, count, view, rng, budget, pace);
    Trial trial = {view, NULL, rng, pace};
    return best_candidate(
        candidates, count, 2 * budget / (view->others + 1), try_replies, &trial);
}

static Choice look_ahead(Bot bot, const View *view, Rng *rng, int budget, Pace *pace) {
    Choice choice = {.play = {.size = 0}};
    Plays plays = {0};
    if (find_candidate_plays(view, &plays, pace))
        choice = choose_among(bot, view, &plays, rng, budget, pace);
    free(plays.items);
    return choice;
}

/* What the bot does in its turn; of no use if the work was stopped. */
Choice choose(Bot bot, const View *view, Rng *rng, int budget, Pace *pace) {
    switch (bot) {
        case RANDOM: return choose_noticed(view, 1, rng, pace);
        case EASY: return choose_noticed(view, NOTICED, rng, pace);
        case GREEDY: return choose_greedy(view, pace);
        case CAUTIOUS: return choose_cautious(view, pace);
        case MEDIUM: return look_ahead(bot, view, rng, budget / MEDIUM_SHARE, pace);
        case HARD: return look_ahead(bot, view, rng, budget / HARD_SHARE, pace);
        default: return look_ahead(EXPERT, view, rng, budget, pace);
    }
}
