"""Prototype: afterstate values for one pass of La tour infernale."""
import sys, time, numpy as np
from numba import njit
from solitaire_agents.tour_infernale import rollouts as R
from solitaire_agents.tour_infernale.bitboard import *
from solitaire_agents.bits import count, index_of
from solitaire_agents.tour_infernale.position import bits_of

H1, H2 = 128, 32
# blocks of inputs
CARD_STATES = 16
B_CARD = 0
B_BLOCK = B_CARD + 52 * CARD_STATES
B_NEXT = B_BLOCK + 52
NEXT, CODES = 5, 16
B_STOCK = B_NEXT + 4 * NEXT * CODES
B_EMPTY = B_STOCK + 47
B_TOPS = B_EMPTY + 7          # pile tops (52)
N_IN = B_TOPS + 52
MAXF = 52 + 40 + 4 * NEXT + 2 + 6
PAD = N_IN

@njit(cache=True)
def bucket(d):
    if d < 3:
        return d
    if d < 5:
        return 3
    if d < 9:
        return 4
    return 5

@njit(cache=True)
def features(a, b, c, order, drawn, out):
    """Writes active inputs; returns their number."""
    n = 0
    heights = heights_of(a, b)
    talon = talon_of(a, b, c)
    # location codes: 0 up; 1 unseen; 2..7 waste depth bucket; 8..13 tableau depth bucket
    loc = np.zeros(52, np.int64)
    depth = 0
    above = 0
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if talon >> i & 1:
            loc[i] = 2 + bucket(depth)
            out[n] = B_CARD + i * CARD_STATES + 2 + bucket(depth); n += 1
            suit = CLUBS << (i & 3)
            if above & suit & ~((2 << i) - 1):
                out[n] = B_BLOCK + i; n += 1
            above |= 1 << i
            depth += 1
    left = 0
    for k in range(drawn, len(order)):
        i = order[k]
        loc[i] = 1
        left += 1
        out[n] = B_CARD + i * CARD_STATES + 1; n += 1
    # tableau: depth from the top by following covers: process tops down
    tops = tops_of(a, b, c)
    t = tops
    while t:
        i = index_of(t & -t)
        t &= t - 1
        out[n] = B_TOPS + i; n += 1
        d = 0
        while True:
            loc[i] = 8 + bucket(d)
            d += 1
            if c >> i & 1:
                s = (a >> i & 1) | (b >> i & 1) << 1
                out[n] = B_CARD + i * CARD_STATES + 9 + s; n += 1
                i = (i & ~3) + 4 + s
            else:
                out[n] = B_CARD + i * CARD_STATES + 8; n += 1
                break
    up = raised(heights)
    while up:
        i = index_of(up & -up)
        up &= up - 1
        out[n] = B_CARD + i * CARD_STATES; n += 1
    for suit in range(4):
        h = heights >> 4 * suit & 15
        for d in range(NEXT):
            code = 15 if h + d >= 13 else loc[4 * (h + d) + suit]
            out[n] = B_NEXT + (suit * NEXT + d) * CODES + code; n += 1
    out[n] = B_STOCK + left; n += 1
    e = 6 - count(a & ~c & CARDS)
    out[n] = B_EMPTY + e; n += 1
    return n

@njit(cache=True, fastmath=True)
def value(feats, n, W1, b1, W2, b2, W3, b3, acc):
    for h in range(H1):
        acc[h] = b1[h]
    for k in range(n):
        row = W1[feats[k]]
        for h in range(H1):
            acc[h] += row[h]
    for h in range(H1):
        if acc[h] < 0:
            acc[h] = 0
    out = b3[0]
    for j in range(H2):
        s = b2[j]
        w = W2[j]
        for h in range(H1):
            s += w[h] * acc[h]
        if s > 0:
            out += W3[j] * s
    return out   # logit

@njit(cache=True)
def prefix(W1):
    """Sums of rows of raised cards: [suit, height, H1]."""
    U = np.zeros((4, 14, H1), np.float32)
    for suit in range(4):
        for h in range(13):
            for x in range(H1):
                U[suit, h + 1, x] = U[suit, h, x] + W1[B_CARD + (4 * h + suit) * CARD_STATES, x]
    return U

@njit(cache=True, fastmath=True)
def add(acc, row):
    for h in range(H1):
        acc[h] += row[h]

@njit(cache=True, fastmath=True)
def head(acc, W2, b2, W3, b3):
    for h in range(H1):
        acc[h] = max(acc[h], np.float32(0))
    out = b3[0]
    for j in range(H2):
        s = b2[j]
        w = W2[j]
        for h in range(H1):
            s += w[h] * acc[h]
        if s > 0:
            out += W3[j] * s
    return out

@njit(cache=True)
def static(order, drawn, waste, W1, b1, acc, depth):
    """Adds what depends on stock and waste alone; writes the depth of each waste card."""
    for h in range(H1):
        acc[h] = b1[h]
    d = 0
    above = 0
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if waste >> i & 1:
            depth[i] = d
            add(acc, W1[B_CARD + i * CARD_STATES + 2 + bucket(d)])
            if above & (CLUBS << (i & 3)) & ~((2 << i) - 1):
                add(acc, W1[B_BLOCK + i])
            above |= 1 << i
            d += 1
    for k in range(drawn, len(order)):
        add(acc, W1[B_CARD + order[k] * CARD_STATES + 1])
    add(acc, W1[B_STOCK + len(order) - drawn])

@njit(cache=True)
def quick(a, b, c, talon, waste, depth, base, acc, loc, W1, U, W2, b2, W3, b3):
    for h in range(H1):
        acc[h] = base[h]
    heights = heights_of(a, b)
    t = tops_of(a, b, c)
    while t:
        i = index_of(t & -t)
        t &= t - 1
        add(acc, W1[B_TOPS + i])
        d = 0
        while True:
            loc[i] = 8 + bucket(d)
            d += 1
            if c >> i & 1:
                s = (a >> i & 1) | (b >> i & 1) << 1
                add(acc, W1[B_CARD + i * CARD_STATES + 9 + s])
                i = (i & ~3) + 4 + s
            else:
                add(acc, W1[B_CARD + i * CARD_STATES + 8])
                break
    for suit in range(4):
        h = heights >> 4 * suit & 15
        add(acc, U[suit, h])
        for d in range(NEXT):
            if h + d >= 13:
                code = 15
            else:
                i = 4 * (h + d) + suit
                if waste >> i & 1:
                    code = 2 + bucket(depth[i])
                elif talon >> i & 1:
                    code = 1
                else:
                    code = loc[i]
            add(acc, W1[B_NEXT + (suit * NEXT + d) * CODES + code])
    add(acc, W1[B_EMPTY + 6 - count(a & ~c & CARDS)])
    return head(acc, W2, b2, W3, b3)

@njit(cache=True)
def choose(tab, order, drawn, a, b, c, W1, b1, W2, b2, W3, b3, acc, feats, U, S, D, loc):
    """Index of the best position within reach and its logit; won -> 1e9."""
    found = R.gather(tab, order, drawn, a, b, c)
    q = tab.queue
    best, bv = 0, -1e18
    for k in range(found):
        if is_won(q[k, 0], q[k, 1]):
            return k, 1e9, found
    if drawn == len(order):
        return 0, -1e9, found
    in_waste = R.first_of(order, drawn)
    full = talon_of(a, b, c) & in_waste
    size = count(full)
    done = -1
    for k in range(found):
        a, b, c = q[k, 0], q[k, 1], q[k, 2]
        talon = talon_of(a, b, c)
        waste = talon & in_waste
        level = size - count(waste)
        while done < level:   # levels are met in any order, but each level's waste is found from this one's
            done += 1
            w = full
            for _ in range(done):
                w &= ~(1 << order[R.last_of(order, drawn, w)])
            static(order, drawn, w, W1, b1, S[done], D[done])
        v = quick(a, b, c, talon, waste, D[level], S[level], acc, loc, W1, U, W2, b2, W3, b3)
        if v > bv:
            best, bv = k, v
    return best, bv, found

@njit(cache=True)
def play(tab, starts, orders, W1, b1, W2, b2, W3, b3, eps, lam, seed, F, T, keep):
    """Plays games greedily; writes features and targets; returns the number of positions, wins, mean found."""
    np.random.seed(seed)
    acc = np.zeros(H1, np.float32)
    feats = np.zeros(MAXF + 60, np.int64)
    U, S, D, loc = prefix(W1), np.zeros((48, H1), np.float32), np.zeros((48, 52), np.int64), np.zeros(52, np.int64)
    pos, wins, tot = 0, 0, 0
    vals = np.zeros(60)
    cut = np.zeros(60, np.bool_)
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        begin = pos
        won = False
        t = 0
        for drawn in range(len(order) + 1):
            k, v, found = choose(tab, order, drawn, a, b, c, W1, b1, W2, b2, W3, b3, acc, feats, U, S, D, loc)
            tot += found
            if v > 1e8:
                won = True
                break
            if v < -1e8:
                break
            cut[t] = False
            if eps > 0 and np.random.random() < eps:
                k = np.random.randint(found)
                cut[t] = True
            a, b, c = tab.queue[k, 0], tab.queue[k, 1], tab.queue[k, 2]
            vals[t] = 1 / (1 + np.exp(-v))
            t += 1
            if keep:
                n = features(a, b, c, order, drawn, feats)
                for j in range(n):
                    F[pos, j] = feats[j]
                for j in range(n, F.shape[1]):
                    F[pos, j] = PAD
                pos += 1
        wins += won
        if keep:
            target = 1.0 if won else 0.0
            for j in range(t - 1, -1, -1):
                T[begin + j] = target
                target = vals[j] if cut[j] else lam * target + (1 - lam) * vals[j]
    return pos, wins, tot

def deals(rng, n):
    starts = np.zeros((n, 3), np.int64); orders = np.zeros((n, 46), np.int64)
    from solitaire_agents.tour_infernale.position import Position
    perm = rng.permuted(np.broadcast_to(np.arange(52), (n, 52)), axis=1)
    cards_to_bit = np.array([bit_of(x) for x in range(52)])
    bits = cards_to_bit[perm]
    starts[:, 0] = np.bitwise_or.reduce(1 << bits[:, :6], axis=1)
    orders[:] = bits[:, 6:]
    return starts, orders

def table(cap=256):
    return R.new_tableau(piles=6, swift=False, size=cap)

@njit(cache=True)
def play_thrifty(tab, starts, orders, W1, b1, W2, b2, W3, b3, eps, seed, F, T):
    np.random.seed(seed)
    feats = np.zeros(MAXF + 60, np.int64)
    pos, wins = 0, 0
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        begin = pos
        won = False
        for drawn in range(len(order) + 1):
            if np.random.random() < eps:
                found = R.gather(tab, order, drawn, a, b, c)
                k = np.random.randint(found)
                a, b, c = tab.queue[k, 0], tab.queue[k, 1], tab.queue[k, 2]
            else:
                n, _ = R.roll_out(tab, order, drawn, a, b, c, 0, False)
                for m in range(n):
                    mv = tab.line[m]
                    if mv & 7 < DRAWN:
                        a, b, c = move_card(a, b, c, mv)
            if is_won(a, b):
                won = True
                break
            if drawn == len(order):
                break
            n = features(a, b, c, order, drawn, feats)
            for j in range(n):
                F[pos, j] = feats[j]
            for j in range(n, F.shape[1]):
                F[pos, j] = PAD
            pos += 1
        wins += won
        for j in range(begin, pos):
            T[j] = 1.0 if won else 0.0
    return pos, wins
