from td2 import *
from solitaire_agents.tour_infernale.bitboard_rules import NOTHING_TO_COME, free_pile, move_up, to_tableau
from solitaire_agents.tour_infernale.thrifty import thrifty_move, _base
import time, os, sys

@njit(cache=True)
def cover_of(a, b, c, i):
    """The card that lies on card i; -1: none."""
    if i < 4:
        return -1
    lo = (i & ~3) - 4
    s = i & 3
    for x in range(lo, lo + 4):
        if c >> x & 1 and ((a >> x & 1) | (b >> x & 1) << 1) == s:
            return x
    return -1

@njit(cache=True)
def lowest_base(bases, heights):
    best, low = ON_BOTTOM, 14
    for s in range(4):
        h = heights >> 4 * s & 15
        if bases >> s & 1 and h < low:
            best, low = s, h
    return best

@njit(cache=True)
def dig(a, b, c, tops, heights, first, empties, chain, deepest):
    """Takes off all that lies on and above card `first` (inclusive); returns (empty piles used, moves, first move); used 99: not possible."""
    d = 0
    x = first
    while x >= 0:
        if d >= deepest:
            return 99, 0, NO_MOVE
        chain[d] = x
        d += 1
        x = cover_of(a, b, c, x)
    avail = tops & ~(1 << chain[d - 1])
    used = 0
    move = NO_MOVE
    for k in range(d - 1, -1, -1):
        x = chain[k]
        bases = avail >> (x & ~3) + 4 & 15
        if bases:
            s = lowest_base(bases, heights)
            avail = avail & ~(1 << ((x & ~3) + 4 + s)) | 1 << x
            mv = x << 3 | s
        elif used < empties:
            used += 1
            avail |= 1 << x
            mv = x << 3 | ON_BOTTOM
        else:
            return 99, 0, NO_MOVE
        if k == d - 1:
            move = mv
    return used, d, move

@njit(cache=True)
def smart(a, b, c, waste, top, under, to_come, piles, par, chain):
    heights = heights_of(a, b)
    goals, tops = next_up(heights)[0], tops_of(a, b, c)
    up = move_up(goals, tops, top)
    if up != NO_MOVE:
        return up
    empty = empty_piles(a, c, piles)
    # 1. uncover a card that goes up
    best, move = 1000, NO_MOVE
    g = goals & (a | c) & CARDS & ~tops
    while g:
        i = index_of(g & -g)
        g &= g - 1
        used, d, mv = dig(a, b, c, tops, heights, cover_of(a, b, c, i), empty, chain, par[0])
        if used <= par[1] or (used == 1 and empty >= par[2]) or (used == 2 and empty >= par[3]):
            if used * 10 + d < best:
                best, move = used * 10 + d, mv
    if move != NO_MOVE:
        return move
    # 2. the waste's top on a card
    if top >= 0 and bases_of(tops, top):
        return to_tableau(a, b, tops, top)
    # 3. an empty pile more
    best = 1000
    bottoms = a & ~c & CARDS
    while bottoms:
        i = index_of(bottoms & -bottoms)
        bottoms &= bottoms - 1
        used, d, mv = dig(a, b, c, tops, heights, i, 0, chain, par[4])
        if used == 0 and d < best:
            best, move = d, mv
    if move != NO_MOVE:
        return move
    # 4. uncover a card for the waste's top
    if top >= 0 and top < 48:
        best = 1000
        for s in range(4):
            i = (top & ~3) + 4 + s
            if (a | c) >> i & 1 and not tops >> i & 1:
                used, d, mv = dig(a, b, c, tops, heights, cover_of(a, b, c, i), 0, chain, par[5])
                if used == 0 and d < best:
                    best, move = d, mv
        if move != NO_MOVE:
            return move
    if top >= 0 and empty and may_start(a, b, waste, top, under, to_come, empty, heights, par):
        return top << 3 | ON_BOTTOM
    return NO_MOVE

@njit(cache=True)
def may_start(a, b, waste, top, under, to_come, empty, heights, par):
    if to_come == NOTHING_TO_COME:
        return True
    turn = (top >> 2) + 1 - (heights >> 4 * (top & 3) & 15)
    bars = (waste & (CLUBS << (top & 3)) & ((1 << top) - 1)) != 0
    opens = under >= 0 and next_up(heights)[0] >> under & 1
    return turn - par[9] * bars - par[6] * opens + to_come // par[7] < par[8] + par[10] * (empty > 1) + par[11] * (empty > 2)

BASE = np.array([1, 0, 9, 9, 1, 0, 6, 23, 8, 1, 1, 0])

@njit(cache=True)
def roll(order, drawn, a, b, c, piles, par, chain, line):
    """Plays to the end; won?"""
    left, pointer = talon_of(a, b, c), drawn
    waste = left & R.first_of(order, drawn)
    top, to_come = R.last_of(order, pointer, waste), count(left & ~waste)
    for n in range(2000):
        under = R.last_of(order, top, waste)
        tb = order[top] if top >= 0 else -1
        ub = order[under] if under >= 0 else -1
        move = smart(a, b, c, waste, tb, ub, to_come if to_come > 0 else NOTHING_TO_COME, piles, par, chain)
        if move == NO_MOVE and to_come:
            pointer = R.next_of(order, pointer, left)
            waste |= 1 << order[pointer]
            top, pointer, to_come = pointer, pointer + 1, to_come - 1
        elif move == NO_MOVE:
            return 0.001 * count(raised(heights_of(a, b))), n
        else:
            a, b, c = move_card(a, b, c, move)
            left &= ~(1 << (move >> 3))
            waste &= left
            top = R.last_of(order, top + 1, waste)
        if is_won(a, b):
            return 1.0, n
    return 0.0, 2000

@njit(cache=True)
def rate_all(starts, orders, par):
    chain = np.zeros(60, np.int64)
    wins = cyc = 0
    for g in range(len(orders)):
        v, n = roll(orders[g], 0, starts[g, 0], starts[g, 1], starts[g, 2], 6, par, chain, chain)
        wins += v > 0.5
        cyc += n >= 2000
    return wins / len(orders), cyc

if __name__ == '__main__':
    s, o = deals(np.random.default_rng(7), 20000)
    def show(name, **ch):
        p = BASE.copy()
        for k, v in ch.items(): p[int(k[1:])] = v
        rate_all(s[:2], o[:2], p)
        t = time.process_time(); w, cyc = rate_all(s, o, p); t = time.process_time() - t
        print(f"{name:40} {w:.4f} cycles {cyc} {t/len(s)*1e6:.1f} us", flush=True)
    show("base")
    show("dig goals 2", p0=2); show("dig goals 4", p0=4); show("dig goals 4, empties 1", p0=4, p1=1); show("dig goals 4, empties if 2", p0=4, p2=2)
    show("piles 2", p4=2); show("piles 4", p4=4)
    show("waste 1", p5=1); show("waste 3", p5=3)
    show("all", p0=4, p4=4, p5=4); show("all, e", p0=4, p1=1, p4=4, p5=4); show("all, e2", p0=4, p2=2, p3=3, p4=4, p5=4)
