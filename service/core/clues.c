/* What the others may hold, after what they have done.
 *
 * Most players take a play with many points. So the tiles that a player kept did not allow a much
 * better play in that turn, nor did those of them that were held earlier in the turns before. A
 * hand that is dealt at random is dealt again if it contradicts this.
 *
 * All of it is public: the table, and who placed what in the last turns. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum {
    REMEMBERED = 2, /* turns of each player */
    TRIES = 20,     /* deals of a hand before one that contradicts the clues is taken */
};

/* A turn of another player: the table before it, and what was made of it. */
typedef struct {
    Board board;
    Kinds played;
    int points, drew;
} Clue;

struct Clues {
    Board table; /* with the turns taken back that have been looked at */
    Clue of[MOST_SEATS - 1][REMEMBERED];
    int known[MOST_SEATS - 1];
};

/* Whether these tiles lie on the table in one line, in order and without a gap. */
static bool lies_on(const Board *board, const Play *play) {
    int last = play->size - 1;
    if (board->open + play->size > MOST_OPEN) return false;
    for (int at = 0; at <= last; at++)
        if (look(board, play->cells[at]) != play->tiles[at] + 1) return false;
    int span = play->cells[last] - play->cells[0];
    int step = span % DOWN ? ACROSS : DOWN;
    for (int at = 1; at <= last; at++)
        if (play->cells[at] <= play->cells[at - 1]) return false;
    if (span > LONGEST * step) return false;
    for (Cell cell = play->cells[0]; cell < play->cells[last]; cell += step)
        if (!is_tile(look(board, cell))) return false;
    return true;
}

static int points_on(Board *board, const Play *play) {
    Line lines[HAND_SIZE + 1];
    int points = 0;
    for (int at = lines_of(board, play, lines) - 1; at >= 0; at--)
        points += points_of(lines[at].length);
    return points;
}

/* How many tiles a player drew after a play, who holds so many now. Nobody holds fewer than six
 * while there is a bag. */
static int drawn_after(const Play *play, int held, int bag) {
    int drew = bag ? play->size : held + play->size - HAND_SIZE;
    return drew < 0 ? 0 : drew > held ? held : drew;
}

Clues *find_clues(const View *view) {
    Clues *clues = malloc(sizeof *clues);
    if (!clues) return NULL;
    Board *table = &clues->table;
    int held[MOST_SEATS - 1];
    bool closed[MOST_SEATS - 1] = {false};
    *table = *view->board;
    memset(clues->known, 0, sizeof clues->known);
    memcpy(held, view->held, sizeof held);
    for (int at = 0; at < view->turns; at++) {
        const Play *play = &view->recent[at].play;
        int other = view->recent[at].by - 1;
        if (play->size) {
            if (!lies_on(table, play)) break;
            board_lift(table, play);
        }
        if (other < 0 || closed[other]) continue;
        int drew = drawn_after(play, held[other], view->bag);
        held[other] += play->size - drew;
        closed[other] = !play->size || !table->tiles || held[other] > HAND_SIZE ||
                        clues->known[other] == REMEMBERED;
        if (closed[other]) continue;
        Clue *clue = &clues->of[other][clues->known[other]++];
        clue->board = *table;
        clue->played = kinds_of(play->tiles, play->size);
        clue->points = points_on(table, play);
        clue->drew = drew;
    }
    return clues;
}

/* Whether the tiles that a player kept agree with the clues. Which of them were there already
 * one turn earlier is drawn by lot. */
static bool agrees(
    const Clues *clues, int other, const uint8_t *kept, int size, Rng *rng, Pace *pace) {
    uint8_t hand[2 * HAND_SIZE];
    memcpy(hand, kept, (size_t)size);
    for (int at = 0; at < clues->known[other]; at++) {
        const Clue *clue = &clues->of[other][at];
        if (at) {
            size -= clue->drew;
            rng_sample(rng, hand, size + clue->drew, size);
        }
        Kinds kinds = kinds_of(hand, size) | clue->played;
        if (best_play(&clue->board, kinds, pace).points > clue->points) return false;
        for (Kinds left = clue->played; left; left &= left - 1) hand[size++] = (uint8_t)lowest(left);
    }
    return true;
}

/* Deal all hidden tiles: first the hands of the others, so that they agree with the clues if that
 * can be found in a few tries, then the bag. */
void deal_by_clues(FullDeal *deal, const Clues *clues, const View *view, Rng *rng, Pace *pace) {
    uint8_t tiles[ALL_TILES];
    uint8_t *left = tiles;
    int size = view->unseen_size;
    memcpy(tiles, view->unseen, (size_t)size);
    for (int other = 0; other < view->others; other++) {
        Hand *hand = &deal->hands[other];
        hand->size = view->held[other];
        int kept = clues->known[other] ? hand->size - clues->of[other][0].drew : 0;
        for (int tries = kept ? TRIES : 0; tries > 0 && !pace->stopped; tries--) {
            rng_sample(rng, left, size, kept);
            if (agrees(clues, other, left, kept, rng, pace)) break;
        }
        rng_sample(rng, left + kept, size - kept, hand->size - kept);
        memcpy(hand->tiles, left, (size_t)hand->size);
        left += hand->size;
        size -= hand->size;
    }
    rng_sample(rng, left, size, view->bag);
    memcpy(deal->bag, left, (size_t)view->bag);
}
