/* A whole game of bots, from the deal to its end, without events or versions of its state. */
#include "core.h"

#include <string.h>

enum { MOST_EVENTS = 2000 }; /* service/rules/state.py */

static int in_bag(const Game *game) { return game->bag_size - game->bag_first; }

/* What the player to move may see. */
static View view_of(Game *game) {
    View view = {.board = &game->board, .hand = game->hands[game->mover]};
    view.scores[0] = game->scores[game->mover];
    int counts[KINDS] = {0};
    view.bag = in_bag(game);
    view.opening = game->opening;
    for (int at = game->bag_first; at < game->bag_size; at++) counts[game->bag[at]]++;
    for (int next = 1; next < game->seats; next++) {
        int seat = (game->mover + next) % game->seats;
        const Hand *hand = &game->hands[seat];
        view.scores[next] = game->scores[seat];
        view.held[view.others++] = hand->size;
        for (int at = 0; at < hand->size; at++) counts[hand->tiles[at]]++;
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (; counts[kind] > 0; counts[kind]--) view.unseen[view.unseen_size++] = (uint8_t)kind;
    if (!view.opening) view.may_exchange = view.hand.size < view.bag ? view.hand.size : view.bag;
    int known = ROUNDS_REMEMBERED * game->seats;
    view.turns = game->turns < known ? game->turns : known;
    for (int at = 0; at < view.turns; at++) {
        view.recent[at] = game->recent[at];
        view.recent[at].by = (game->recent[at].by - game->mover + game->seats) % game->seats;
    }
    return view;
}

static void note_turn(Game *game, const Play *play) {
    if (game->turns < RECENT) game->turns++;
    memmove(game->recent + 1, game->recent, (size_t)(game->turns - 1) * sizeof(Turn));
    game->recent[0] = (Turn){.by = game->mover, .play = *play};
}

static void draw(Game *game, Hand *hand, int count) {
    for (; count > 0 && in_bag(game); count--) hand_add(hand, game->bag[game->bag_first++]);
}

static bool anything_fits(const Game *game) {
    Kinds kinds = kinds_of(game->bag + game->bag_first, in_bag(game));
    for (int seat = 0; seat < game->seats; seat++)
        kinds |= kinds_of(game->hands[seat].tiles, game->hands[seat].size);
    return board_takes_any(&game->board, kinds);
}

/* Place the tiles, count the points, refill the hand while the bag lasts. */
static void place(Game *game, const Play *play) {
    Hand *hand = &game->hands[game->mover];
    Line lines[HAND_SIZE + 1];
    for (int at = lines_of(&game->board, play, lines) - 1; at >= 0; at--)
        game->qwirkles[game->mover] += lines[at].length == LONGEST;
    game->scores[game->mover] += play->points;
    board_place(&game->board, play);
    *hand = without(*hand, play->tiles, play->size);
    draw(game, hand, play->size);
    game->opening = game->passed = 0;
    if (!hand->size) {
        game->scores[game->mover] += ENDING_BONUS;
        game->end = HAND_EMPTY;
    } else if (!anything_fits(game)) {
        game->end = BLOCKED;
    }
}

/* Draw first, return afterwards: a player cannot draw a tile just returned. */
static bool exchange(Game *game, const Hand *gone, const World *world) {
    Hand *hand = &game->hands[game->mover];
    *hand = without(*hand, gone->tiles, gone->size);
    draw(game, hand, gone->size);
    int left = in_bag(game);
    memmove(game->bag, game->bag + game->bag_first, (size_t)left);
    memcpy(game->bag + left, gone->tiles, (size_t)gone->size);
    game->bag_first = 0;
    game->bag_size = left + gone->size;
    return world->shuffle(world->with, game->bag, game->bag_size, game->version + 1);
}

/* Carry out what the player to move has chosen. False if something outside failed. */
bool game_move(Game *game, const Choice *choice, const World *world) {
    if (choice->play.size) {
        place(game, &choice->play);
    } else if (choice->exchange.size) {
        if (!exchange(game, &choice->exchange, world)) return false;
    } else {
        game->passed |= 1 << game->mover;
        if (game->passed == (1 << game->seats) - 1) game->end = ALL_PASSED;
    }
    note_turn(game, &choice->play);
    game->version++;
    if (!world->moved(world->with, game->mover, choice)) return false;
    if (game->end == RUNNING) {
        game->turn++;
        game->mover = (game->mover + 1) % game->seats;
    }
    return true;
}

/* Play a game that has been dealt to its end. False if something outside failed. */
bool game_play(Game *game, const Bot *bots, int budget, const World *world, Pace *pace) {
    while (game->end == RUNNING) {
        if (game->version >= MOST_EVENTS) {
            game->end = TOO_LONG;
            break;
        }
        Rng rng = {0};
        Bot bot = bots[game->mover];
        if (bot != GREEDY && bot != CAUTIOUS && !world->luck(world->with, game->version, &rng)) return false;
        View view = view_of(game);
        Choice choice = choose(bot, &view, &rng, budget, pace);
        if (pace->stopped || !game_move(game, &choice, world)) return false;
    }
    return true;
}
