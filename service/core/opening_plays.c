/* The plays of the opener: lines of the length that was bid, over the middle of the table. */
#include "core.h"

typedef struct {
    Cell start;
    int step;
    bool every_order;
    Plays *plays;
    Pace *pace;
    Play play;
} Openings;

/* Add every order of the tiles that are left, or only the first. */
static bool add_orders(Openings *openings, Kinds left) {
    Play *play = &openings->play;
    if (!left) return plays_add(openings->plays, play) && pace_on(openings->pace, 1);
    for (Kinds choice = left; choice; choice &= choice - 1) {
        play->cells[play->size] = openings->start + openings->step * play->size;
        play->tiles[play->size++] = (uint8_t)lowest(choice);
        bool added = add_orders(openings, left & ~bit_of(lowest(choice)));
        play->size--;
        if (!added) return false;
        if (!openings->every_order) break;
    }
    return true;
}

/* Add every set of tiles that makes a line, in kind order; so many more tiles are needed. */
static bool add_sets(Openings *openings, Kinds line, Kinds choice, int needed) {
    if (!needed) return add_orders(openings, line);
    for (; choice; choice &= choice - 1) {
        Kinds longer = line | bit_of(lowest(choice));
        if (!add_sets(openings, longer, choice & room(longer), needed - 1)) return false;
    }
    return true;
}

/* One line for each set of tiles, in kind order. False if the work was stopped. */
bool opening_sets(Kinds kinds, int length, Cell start, int step, Plays *plays, Pace *pace) {
    Openings openings = {.start = start, .step = step, .plays = plays, .pace = pace};
    openings.play.points = (int16_t)points_of(length);
    if (!add_sets(&openings, 0, kinds, length)) pace->stopped = true;
    return !pace->stopped;
}

/* Every opening: in a row or in a column, each place, each set of tiles, each order. */
bool opening_plays(Kinds kinds, int length, Plays *plays, Pace *pace) {
    for (int step = ACROSS; step <= (length > 1 ? DOWN : ACROSS); step += DOWN - ACROSS)
        for (int back = length - 1; back >= 0; back--) {
            Openings openings = {.start = -step * back, .step = step, .every_order = true};
            openings.plays = plays;
            openings.pace = pace;
            openings.play.points = (int16_t)points_of(length);
            if (!add_sets(&openings, 0, kinds, length)) pace->stopped = true;
            if (pace->stopped) return false;
        }
    return true;
}
