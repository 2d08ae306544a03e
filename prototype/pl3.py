from rule2 import *
from pl import shuffle

@njit(cache=True)
def plan2(tab, Q, P, C, starts, orders, K1, growth, kept, rounds, seed, cap, mode, par):
    np.random.seed(seed)
    tmp = np.zeros(46, np.int64); chain = np.zeros(60, np.int64)
    rolls = steps = cand = 0
    won = np.zeros(len(orders), np.int64)
    vals = np.zeros(3000); rank = np.zeros(3000, np.int64); conf = np.zeros(3000, np.int64)
    for g in range(len(orders)):
        a, b, c = starts[g, 0], starts[g, 1], starts[g, 2]
        order = orders[g]
        for drawn in range(len(order) + 1):
            last = drawn == len(order)
            if last or mode != 2:
                nq, nc, w = reach(Q, P, C, order, drawn, a, b, c, len(Q) if last else cap)
                if w >= 0:
                    won[g] = 1
                    break
                if last:
                    won[g] = roll2(order, drawn, a, b, c, 6, par, chain)[0] > 0.5
                    break
            n = 0
            if mode == 2:
                n = R.gather(tab, order, drawn, a, b, c)
                for k in range(n):
                    conf[k] = k
                    Q[k, 0], Q[k, 1], Q[k, 2] = tab.queue[k, 0], tab.queue[k, 1], tab.queue[k, 2]
            else:
                for k in range(nc):
                    conf[n] = C[k, FIRST]; n += 1
                    if mode == 1 and C[k, REP] != C[k, FIRST]:
                        conf[n] = C[k, REP]; n += 1
            cand += n; steps += 1
            for k in range(n):
                vals[k] = 0; rank[k] = k
            left, K, done = n, K1, 0
            while left > 1 and done < rounds:
                for _ in range(K):
                    shuffle(order, tmp, drawn)
                    for r in range(left):
                        q = conf[rank[r]]
                        _, v = R.roll_out(tab, tmp, drawn, Q[q, 0], Q[q, 1], Q[q, 2], 0, True)
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
            m, _ = R.roll_out(tab, order, drawn, a, b, c, 0, False)
            for x in range(m):
                if tab.line[x] & 7 < DRAWN:
                    a, b, c = move_card(a, b, c, tab.line[x])
            if is_won(a, b):
                won[g] = 1
                break
    return won, rolls / len(orders), cand / max(1, steps)

PAR = np.array([7, 6, 1, 3, 3, 1, 8, 9, 10, 11, 1, -2, 8, 2, 19, 13, 0, 100, 7, 7, 2])
if __name__ == '__main__':
    N = int(os.environ.get('N', 300))
    s, o = deals(np.random.default_rng(123), N)
    tab = R.new_tableau(piles=6, swift=False, size=256)._replace(redeals=0)
    st = storage(4000)[1:]
    plan2(tab, *st, s[:1], o[:1], 1, 2, 4, 3, 0, 100, 0, PAR)
    for K1, growth, kept, rounds, cap, mode in eval(os.environ['CFG']):
        t = time.process_time()
        won, rolls, cand = plan2(tab, *st, s, o, K1, growth, kept, rounds, 0, cap, mode, PAR)
        t = time.process_time() - t
        print(K1, growth, kept, rounds, cap, mode, 'won', won.mean(), 'rolls', rolls, 'cand', cand, 's/game', t / N, flush=True)
