/* Lists of plays, their order, and pauses in long work on them. */
#include "core.h"

#include <stdlib.h>

/* Count work, and pause when enough has been done. False if all work has to stop. */
bool pace_on(Pace *pace, int work) {
    pace->left -= work;
    if (pace->left <= 0 && !pace->stopped) {
        pace->left = PIECE;
        if (pace->rest && !pace->rest(pace->with)) pace->stopped = true;
    }
    return !pace->stopped;
}

bool plays_add(Plays *plays, const Play *play) {
    if (plays->count == plays->space) {
        int space = plays->space ? 2 * plays->space : 64;
        Play *items = realloc(plays->items, (size_t)space * sizeof *items);
        if (!items) return false;
        plays->items = items;
        plays->space = space;
    }
    plays->items[plays->count++] = *play;
    return true;
}

/* As Python compares tuples of placements. */
int by_reading(const void *one, const void *other) {
    const Play *a = one, *b = other;
    for (int at = 0; at < a->size && at < b->size; at++) {
        if (a->cells[at] != b->cells[at]) return a->cells[at] < b->cells[at] ? -1 : 1;
        if (a->tiles[at] != b->tiles[at]) return a->tiles[at] - b->tiles[at];
    }
    return a->size - b->size;
}

/* Most points first, then fewest tiles, then reading order. */
int by_points(const void *one, const void *other) {
    const Play *a = one, *b = other;
    if (a->points != b->points) return b->points - a->points;
    if (a->size != b->size) return a->size - b->size;
    return by_reading(one, other);
}

/* Restore a heap with the last play on top, from this item downwards. */
static void sift(Play *items, int count, int at, int (*order)(const void *, const void *)) {
    Play moving = items[at];
    for (int below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && order(&items[below], &items[below + 1]) < 0) below++;
        if (order(&moving, &items[below]) >= 0) break;
        items[at] = items[below];
    }
    items[at] = moving;
}

/* Move the first plays, in this order, to the front and sort them; the others are dropped.
 * A heap and not qsort, because tens of thousands of plays take long enough to need pauses. */
void plays_select(Plays *plays, int limit, int (*order)(const void *, const void *), Pace *pace) {
    int kept = plays->count < limit ? plays->count : limit;
    Play *items = plays->items;
    for (int at = kept / 2 - 1; at >= 0; at--) sift(items, kept, at, order);
    for (int at = kept; at < plays->count && kept && pace_on(pace, 1); at++)
        if (order(&items[at], &items[0]) < 0) {
            items[0] = items[at];
            sift(items, kept, 0, order);
        }
    for (int last = kept - 1; last > 0 && pace_on(pace, 10); last--) {
        Play top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift(items, last, 0, order);
    }
    plays->count = kept;
}
