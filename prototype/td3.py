from td2 import *

@njit(cache=True)
def rolled(tab, order, tmp, drawn, a, b, c, K):
    """Share of K random orders of the unseen in which thrifty wins."""
    wins = 0.0
    n = len(order)
    for k in range(n):
        tmp[k] = order[k]
    for s in range(K):
        for last in range(n - 1, drawn, -1):
            j = drawn + np.random.randint(last - drawn + 1)
            x = tmp[last]; tmp[last] = tmp[j]; tmp[j] = x
        v = R.roll_out(tab, tmp, drawn, a, b, c, 0, True)[1]
        wins += v > 0.5
    return wins / K

@njit(cache=True)
def store(F, pos, feats, n):
    for j in range(n):
        F[pos, j] = feats[j]
    for j in range(n, F.shape[1]):
        F[pos, j] = PAD

@njit(cache=True)
def label(tab, Q, P, C, starts, orders, W1, b1, W2, b2, W3, b3, rand, sib, K, seed, F, T, cap):
    """Games whose afterstates, and some siblings, are labelled by rollouts of thrifty."""
    np.random.seed(seed)
    acc = np.zeros(H1, np.float32)
    feats = np.zeros(MAXF + 20, np.int64)
    loc = np.zeros(52, np.int64)
    tmp = np.zeros(46, np.int64)
    pos = wins = 0
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        for drawn in range(len(order) + 1):
            last = drawn == len(order)
            nq, nc, w = reach(Q, P, C, order, drawn, a, b, c, len(Q) if last else cap)
            if w >= 0:
                wins += 1
                break
            if last:
                for k in range(nc):
                    q = C[k, FIRST]
                    if R.roll_out(tab, order, drawn, Q[q, 0], Q[q, 1], Q[q, 2], 0, True)[1] > 0.5:
                        wins += 1
                        break
                break
            best, bv = 0, -1e18
            for k in range(nc):
                r = C[k, REP]
                n = features(Q[r, 0], Q[r, 1], Q[r, 2], C[k, TOPS], C[k, EMPTIES], C[k, SIZE], order, drawn, feats, loc)
                v = value(feats, n, W1, b1, W2, b2, W3, b3, acc)
                if v > bv:
                    best, bv = k, v
            if np.random.random() < rand:
                best = np.random.randint(nc)
            for s in range(sib + 1):
                k = best if s == 0 else np.random.randint(nc)
                if s and k == best:
                    continue
                r = C[k, REP]
                n = features(Q[r, 0], Q[r, 1], Q[r, 2], C[k, TOPS], C[k, EMPTIES], C[k, SIZE], order, drawn, feats, loc)
                store(F, pos, feats, n)
                f = C[k, FIRST]
                # thrifty goes on after the draw
                T[pos] = rolled(tab, order, tmp, drawn, Q[f, 0], Q[f, 1], Q[f, 2], K)
                pos += 1
            r = C[best, FIRST]
            a, b, c = Q[r, 0], Q[r, 1], Q[r, 2]
    return pos, wins
