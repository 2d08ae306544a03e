from td2 import *
import sys, time, os

@njit(cache=True)
def shuffle(order, tmp, drawn):
    n = len(order)
    for k in range(n):
        tmp[k] = order[k]
    for last in range(n - 1, drawn, -1):
        j = drawn + np.random.randint(last - drawn + 1)
        x = tmp[last]; tmp[last] = tmp[j]; tmp[j] = x

@njit(cache=True)
def plan(tab, Q, P, C, starts, orders, K1, growth, kept, seed, cap, variants):
    np.random.seed(seed)
    tmp = np.zeros(46, np.int64)
    wins = rolls = steps = cand = 0
    won = np.zeros(len(orders), np.int64)
    vals = np.zeros(600); rank = np.zeros(600, np.int64); conf = np.zeros(600, np.int64); comp = np.zeros(600, np.int64)
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        for drawn in range(len(order) + 1):
            last = drawn == len(order)
            nq, nc, w = reach(Q, P, C, order, drawn, a, b, c, len(Q) if last else cap)
            if w >= 0:
                won[g] = 1
                break
            if last:
                break
            n = 0
            for k in range(nc):
                conf[n] = C[k, FIRST]; comp[n] = k; n += 1
                if variants and C[k, REP] != C[k, FIRST]:
                    conf[n] = C[k, REP]; comp[n] = k; n += 1
            cand += n; steps += 1
            for k in range(n):
                vals[k] = 0; rank[k] = k
            left, K, done = n, K1, 0
            while left > 1 and done < 3:
                for _ in range(K):
                    shuffle(order, tmp, drawn)
                    for r in range(left):
                        q = conf[rank[r]]
                        v = R.roll_out(tab, tmp, drawn, Q[q, 0], Q[q, 1], Q[q, 2], 0, True)[1]
                        vals[rank[r]] += v; rolls += 1
                keep = max(1, left // kept)
                for p in range(keep):
                    m = p
                    for o in range(p + 1, left):
                        if vals[rank[o]] > vals[rank[m]]:
                            m = o
                    x = rank[p]; rank[p] = rank[m]; rank[m] = x
                left = keep; K *= growth; done += 1
            q = conf[rank[0]]
            a, b, c = Q[q, 0], Q[q, 1], Q[q, 2]
    return won, rolls / len(orders), cand / max(1, steps)

if __name__ == '__main__':
    N = int(os.environ.get('N', 300))
    s, o = deals(np.random.default_rng(123), N)
    tab = R.new_tableau(piles=6, swift=False, size=256)._replace(redeals=0)
    st = storage(4000)
    st = (st[0], st[1], np.zeros((300, NC), np.int64))
    plan(tab, *st, s[:1], o[:1], 1, 2, 4, 0, 100, 0)
    for K1, growth, kept, cap, var in eval(os.environ['CFG']):
        t = time.process_time()
        won, rolls, cand = plan(tab, *st, s, o, K1, growth, kept, 0, cap, var)
        t = time.process_time() - t
        print(K1, growth, kept, cap, var, 'won', won.mean(), 'rolls', rolls, 'cand', cand, 's/game', t / N, flush=True)
