"""Prototype 2: values of components, for one pass of La tour infernale."""
import numpy as np
from numba import njit
from solitaire_agents.tour_infernale import rollouts as R
from solitaire_agents.tour_infernale.bitboard import *
from solitaire_agents.bits import count, index_of
from td import deals, bucket, add, head, H1, H2

# card states: 0 up, 1 unseen, 2..7 waste by depth, 8 bottom, 9..12 on suit
CS = 13
B_CARD = 0
B_BLOCK = B_CARD + 52 * CS
B_NEXT = B_BLOCK + 52
NEXT, CODES = 5, 16   # codes: 1 unseen, 2..7 waste, 8 exposable, 9..14 depth in the representative, 15 none
B_STOCK = B_NEXT + 4 * NEXT * CODES
B_EMPTY = B_STOCK + 47
B_TOPS = B_EMPTY + 7
B_SIZE = B_TOPS + 52
B_RATE = B_SIZE + 10
NR = 24
N_IN = B_RATE + 6 * 53
PAD = N_IN
MAXF = 150
# components: columns of C
FIRST, TOPS, EMPTIES, REP, SIZE, NC = 0, 1, 2, 3, 4, 5

from solitaire_agents.tour_infernale.solver.rating import _cost, _raise_all

@njit(cache=True)
def play_off(order, drawn, piles_max, heights, tableau, talon, ranks, piles):
    blocked, worst, excess = 0, piles, 0
    waste = talon & R.first_of(order, drawn)
    under, around = waste, tableau | talon & ~waste
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if waste >> i & 1 == 0:
            continue
        under ^= 1 << i
        blocked += under & (CLUBS << (i & 3)) & ((1 << i) - 1) != 0
        piles += _cost(ranks, i >> 2)
        ranks += 1 << (i & ~3)
        tableau |= 1 << i
        around |= 1 << i
        heights, tableau, around, ranks, piles = _raise_all(heights, tableau, around, ranks, piles)
        worst = max(worst, piles)
        excess += max(0, piles - piles_max)
    return blocked, worst, excess

@njit(cache=True)
def known(Q, n, a, b, c):
    for k in range(n):
        if Q[k, 0] == a and Q[k, 1] == b and Q[k, 2] == c:
            return True
    return False

@njit(cache=True)
def reach(Q, P, C, order, drawn, a, b, c, reach_cap, piles=6):
    """Explores components; returns (configurations, components, index of a winning pending or -1)."""
    nq, np_, nc, served = 0, 1, 0, 0
    P[0, 0], P[0, 1], P[0, 2], P[0, 3], P[0, 4] = a, b, c, -1, NO_MOVE
    in_waste = R.first_of(order, drawn)
    while served < np_:
        a, b, c, link, move = P[served, 0], P[served, 1], P[served, 2], P[served, 3], P[served, 4]
        served += 1
        if is_won(a, b):
            return nq, nc, served - 1
        if nq >= len(Q) or known(Q, nq, a, b, c):
            continue
        if nc >= len(C):
            break
        first = nq
        Q[nq, 0], Q[nq, 1], Q[nq, 2], Q[nq, 3], Q[nq, 4] = a, b, c, link, move
        nq += 1
        goals, safe = next_up(heights_of(a, b))
        at = R.last_of(order, drawn, talon_of(a, b, c) & in_waste)
        top = 1 << order[at] if at >= 0 else 0
        before = np_
        alive = True
        if top & goals and np_ < len(P):
            i = index_of(top)
            x, y, z = go_up(a, b, c, i)
            P[np_, 0], P[np_, 1], P[np_, 2], P[np_, 3], P[np_, 4] = x, y, z, first, i << 3 | TO_FOUNDATION
            np_ += 1
            if top & safe:
                alive = False
        hd = first
        union, most, rep = 0, -1, first
        while alive and hd < nq:
            a, b, c = Q[hd, 0], Q[hd, 1], Q[hd, 2]
            tops = tops_of(a, b, c)
            union |= tops
            ups = tops & goals
            if ups & safe and before < len(P):
                np_ = before
                ups &= safe
                i = index_of(ups & -ups)
                x, y, z = go_up(a, b, c, i)
                P[np_, 0], P[np_, 1], P[np_, 2], P[np_, 3], P[np_, 4] = x, y, z, hd, i << 3 | TO_FOUNDATION
                np_ += 1
                alive = False
                break
            while ups and np_ < len(P):
                i = index_of(ups & -ups)
                ups &= ups - 1
                x, y, z = go_up(a, b, c, i)
                P[np_, 0], P[np_, 1], P[np_, 2], P[np_, 3], P[np_, 4] = x, y, z, hd, i << 3 | TO_FOUNDATION
                np_ += 1
            e = empty_piles(a, c, piles)
            if e > most or (e == most and (c, a, b) < (Q[rep, 2], Q[rep, 0], Q[rep, 1])):
                most, rep = e, hd
            if top and np_ < len(P):
                i = index_of(top)
                bases = bases_of(tops, i)
                if bases or e:
                    kind = index_of(bases & -bases) if bases else ON_BOTTOM
                    x, y, z = put(a, b, c, i, kind)
                    P[np_, 0], P[np_, 1], P[np_, 2], P[np_, 3], P[np_, 4] = x, y, z, hd, i << 3 | kind
                    np_ += 1
            movers = tops if e else movable(tops)
            while movers:
                xb = movers & -movers
                movers ^= xb
                i = index_of(xb)
                targets = bases_of(tops, i) | (e > 0 and c & xb != 0) << ON_BOTTOM
                while targets:
                    kind = index_of(targets & -targets)
                    targets &= targets - 1
                    x, y, z = put(a, b, c, i, kind)
                    if nq - first >= reach_cap or nq >= len(Q) or known(Q[first:], nq - first, x, y, z):
                        continue
                    Q[nq, 0], Q[nq, 1], Q[nq, 2], Q[nq, 3], Q[nq, 4] = x, y, z, hd, i << 3 | kind
                    nq += 1
            hd += 1
        if alive:
            C[nc, FIRST], C[nc, TOPS], C[nc, EMPTIES], C[nc, REP], C[nc, SIZE] = first, union, most, rep, nq - first
            nc += 1
    return nq, nc, -1

@njit(cache=True)
def features(a, b, c, union, empties, size, order, drawn, out, loc):
    n = 0
    heights = heights_of(a, b)
    talon = talon_of(a, b, c)
    depth = above = 0
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if talon >> i & 1:
            loc[i] = 2 + bucket(depth)
            out[n] = B_CARD + i * CS + 2 + bucket(depth); n += 1
            if above & (CLUBS << (i & 3)) & ~((2 << i) - 1):
                out[n] = B_BLOCK + i; n += 1
            above |= 1 << i
            depth += 1
    for k in range(drawn, len(order)):
        loc[order[k]] = 1
        out[n] = B_CARD + order[k] * CS + 1; n += 1
    out[n] = B_STOCK + len(order) - drawn; n += 1
    t = tops_of(a, b, c)
    while t:
        i = index_of(t & -t)
        t &= t - 1
        d = 0
        while True:
            loc[i] = 9 + bucket(d)
            d += 1
            if union >> i & 1:
                loc[i] = 8
                out[n] = B_TOPS + i; n += 1
            if c >> i & 1:
                s = (a >> i & 1) | (b >> i & 1) << 1
                out[n] = B_CARD + i * CS + 9 + s; n += 1
                i = (i & ~3) + 4 + s
            else:
                out[n] = B_CARD + i * CS + 8; n += 1
                break
    up = raised(heights)
    while up:
        i = index_of(up & -up)
        up &= up - 1
        out[n] = B_CARD + i * CS; n += 1
    for suit in range(4):
        h = heights >> 4 * suit & 15
        for d in range(NEXT):
            code = 15 if h + d >= 13 else loc[4 * (h + d) + suit]
            out[n] = B_NEXT + (suit * NEXT + d) * CODES + code; n += 1
    out[n] = B_EMPTY + empties; n += 1
    tableau = (a | c) & CARDS
    ranks = piles = 0
    for rank in range(12, -1, -1):
        for _ in range(count(tableau >> 4 * rank & 15)):
            piles += _cost(ranks, rank)
            ranks += 1 << 4 * rank
    blocked, worst, excess = play_off(order, drawn, 6, heights, tableau, talon, ranks, piles)
    out[n] = B_RATE + count(raised(heights)); n += 1
    out[n] = B_RATE + 53 + count(tableau); n += 1
    out[n] = B_RATE + 106 + piles; n += 1
    out[n] = B_RATE + 159 + blocked; n += 1
    out[n] = B_RATE + 212 + worst; n += 1
    out[n] = B_RATE + 265 + min(excess, 52); n += 1
    s = 0
    while size > 1:
        size >>= 1
        s += 1
    out[n] = B_SIZE + min(s, 9); n += 1
    return n

@njit(cache=True)
def value(feats, n, W1, b1, W2, b2, W3, b3, acc):
    for h in range(H1):
        acc[h] = b1[h]
    for k in range(n):
        add(acc, W1[feats[k]])
    return head(acc, W2, b2, W3, b3)

@njit(cache=True)
def play(TAB, Q, P, C, starts, orders, W1, b1, W2, b2, W3, b3, eps, lam, seed, F, T, keep, cap):
    np.random.seed(seed)
    acc = np.zeros(H1, np.float32)
    feats = np.zeros(MAXF + 20, np.int64)
    loc = np.zeros(52, np.int64)
    vals = np.zeros(60)
    cut = np.zeros(60, np.bool_)
    pos = wins = tq = tc = ts = 0
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        begin, t, won = pos, 0, False
        for drawn in range(len(order) + 1):
            last = drawn == len(order)
            nq, nc, w = reach(Q, P, C, order, drawn, a, b, c, len(Q) if last else cap)
            tq += nq; tc += nc; ts += 1
            if w >= 0:
                won = True
                break
            if last:
                for k in range(nc):
                    q = C[k, FIRST]
                    if R.roll_out(TAB, order, drawn, Q[q, 0], Q[q, 1], Q[q, 2], 0, True)[1] > 0.5:
                        won = True
                        break
                break
            best, bv = 0, -1e18
            for k in range(nc):
                r = C[k, REP]
                n = features(Q[r, 0], Q[r, 1], Q[r, 2], C[k, TOPS], C[k, EMPTIES], C[k, SIZE], order, drawn, feats, loc)
                v = value(feats, n, W1, b1, W2, b2, W3, b3, acc)
                if v > bv:
                    best, bv = k, v
            cut[t] = False
            vals[t] = 1 / (1 + np.exp(-bv))
            if eps > 0 and np.random.random() < eps:
                best = np.random.randint(nc)
                cut[t] = True
            t += 1
            r = C[best, REP]
            if keep:
                n = features(Q[r, 0], Q[r, 1], Q[r, 2], C[best, TOPS], C[best, EMPTIES], C[best, SIZE], order, drawn, feats, loc)
                for j in range(n):
                    F[pos, j] = feats[j]
                for j in range(n, F.shape[1]):
                    F[pos, j] = PAD
                pos += 1
            a, b, c = Q[r, 0], Q[r, 1], Q[r, 2]
        wins += won
        if keep:
            target = 1.0 if won else 0.0
            for j in range(t - 1, -1, -1):
                T[begin + j] = target
                target = vals[j] if cut[j] else lam * target + (1 - lam) * vals[j]
    return pos, wins, tq, tc, ts

def storage(n=2000):
    return R.new_tableau(piles=6, swift=False, size=256)._replace(redeals=0), np.zeros((n, 5), np.int64), np.zeros((20_000, 5), np.int64), np.zeros((300, NC), np.int64)
