from rule import *

# parameters
NAMES = ["goal_depth", "pile_depth", "use1", "use2", "use3", "use4", "t1", "t2", "t3", "t4", "turn", "bars", "opens", "opens2", "slope", "buried", "bases", "block", "urgent", "useend", "piledep_use"]
START = np.array([4, 4, 1, 1, 1, 1, 8, 9, 9, 9, 1, 1, 6, 0, 23, 0, 0, 99, 0, 9, 0])

@njit(cache=True)
def turn_of(i, heights):
    return (i >> 2) - (heights >> 4 * (i & 3) & 15)

@njit(cache=True)
def pile_urgency(a, b, c, i, heights):
    """Least turn of the cards in the pile of which i is the top."""
    m = turn_of(i, heights)
    while c >> i & 1:
        i = (i & ~3) + 4 + ((a >> i & 1) | (b >> i & 1) << 1)
        m = min(m, turn_of(i, heights))
    return m

@njit(cache=True)
def choose_base(a, b, c, bases, i, heights, par):
    """The base for card i: (suit, urgency)."""
    best, bu = -1, -1000
    for s in range(4):
        if bases >> s & 1:
            y = (i & ~3) + 4 + s
            u = pile_urgency(a, b, c, y, heights) * par[18] - (heights >> 4 * s & 15)
            if u > bu:
                best, bu = s, u
    return best

@njit(cache=True)
def smart2(a, b, c, order, pointer, waste, top_at, to_come, piles, par, chain):
    heights = heights_of(a, b)
    goals, tops = next_up(heights)[0], tops_of(a, b, c)
    top = order[top_at] if top_at >= 0 else -1
    up = move_up(goals, tops, top)
    if up != NO_MOVE:
        return up
    empty = empty_piles(a, c, piles)
    best, move = 1000, NO_MOVE
    g = goals & (a | c) & CARDS & ~tops
    allowed = par[1 + min(empty, 4)] if empty else 0
    if to_come == 0:
        allowed = par[19]
    while g:
        i = index_of(g & -g)
        g &= g - 1
        used, d, mv = dig(a, b, c, tops, heights, cover_of(a, b, c, i), empty, chain, par[0])
        if used <= allowed and used * 10 + d < best:
            best, move = used * 10 + d, mv
    if move != NO_MOVE:
        return move
    if top >= 0:
        bases = bases_of(tops, top)
        if bases:
            s = choose_base(a, b, c, bases, top, heights, par)
            if to_come == 0 or turn_of(top, heights) - pile_urgency(a, b, c, (top & ~3) + 4 + s, heights) < par[17]:
                return top << 3 | s
    best = 1000
    bottoms = a & ~c & CARDS
    while bottoms:
        i = index_of(bottoms & -bottoms)
        bottoms &= bottoms - 1
        used, d, mv = dig(a, b, c, tops, heights, i, 0, chain, par[1])
        if used == 0 and d < best:
            best, move = d, mv
    if move != NO_MOVE:
        return move
    if top >= 0 and empty:
        if to_come == 0:
            return top << 3 | ON_BOTTOM
        suit = CLUBS << (top & 3)
        bars = (waste & suit & ((1 << top) - 1)) != 0
        under = R.last_of(order, top_at, waste)
        opens = opens2 = 0
        if under >= 0:
            opens = goals >> order[under] & 1
            u2 = R.last_of(order, under, waste)
            if u2 >= 0 and not opens:
                opens2 = goals >> order[u2] & 1
        buried = count(waste & goals) - opens
        talon = talon_of(a, b, c)
        bases = count((talon & ~waste) >> (top & ~3) + 4 & 15)
        worth = par[6 + min(empty, 4) - 1] - par[10] * (turn_of(top, heights) + 1) + par[11] * bars + par[12] * opens + par[13] * opens2 + par[15] * buried - par[16] * bases
        if par[14]:
            worth -= par[10] * (to_come // par[14])
        if worth > 0:
            return top << 3 | ON_BOTTOM
    return NO_MOVE

@njit(cache=True)
def roll2(order, drawn, a, b, c, piles, par, chain):
    left, pointer = talon_of(a, b, c), drawn
    waste = left & R.first_of(order, drawn)
    top, to_come = R.last_of(order, pointer, waste), count(left & ~waste)
    for n in range(1000):
        move = smart2(a, b, c, order, pointer, waste, top, to_come, piles, par, chain)
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
    return 0.0, 1000

@njit(cache=True)
def to_draw(order, drawn, a, b, c, piles, par, chain):
    """Plays by the rule up to a draw."""
    left, pointer = talon_of(a, b, c), drawn
    waste = left & R.first_of(order, drawn)
    top, to_come = R.last_of(order, pointer, waste), count(left & ~waste)
    for n in range(1000):
        move = smart2(a, b, c, order, pointer, waste, top, to_come, piles, par, chain)
        if move == NO_MOVE:
            break
        a, b, c = move_card(a, b, c, move)
        left &= ~(1 << (move >> 3))
        waste &= left
        top = R.last_of(order, top + 1, waste)
        if is_won(a, b):
            break
    return a, b, c

@njit(cache=True)
def rate2(starts, orders, par):
    chain = np.zeros(60, np.int64)
    wins = cyc = 0
    for g in range(len(orders)):
        v, n = roll2(orders[g], 0, starts[g, 0], starts[g, 1], starts[g, 2], 6, par, chain)
        wins += v > 0.5
        cyc += n >= 1000
    return wins / len(orders), cyc

if __name__ == '__main__':
    s, o = deals(np.random.default_rng(7), 10000)
    s2, o2 = deals(np.random.default_rng(8), 40000)
    par = START.copy()
    if len(sys.argv) > 1: par = np.array(eval(sys.argv[1]))
    rate2(s[:2], o[:2], par)
    t = time.process_time(); best = rate2(s, o, par)[0]; print(best, (time.process_time() - t) / len(s) * 1e6, 'us', flush=True)
    rng = np.random.default_rng(int(os.environ.get('SEED', 0)))
    end = time.time() + float(os.environ.get('SECS', 240))
    k = 0
    while time.time() < end:
        k += 1
        p = par.copy()
        for _ in range(rng.integers(1, 4)):
            j = rng.integers(len(p))
            if rng.random() < .5: p[j] += rng.choice([-1, 1])
            else: p[j] += rng.integers(-4, 5)
        p[14] = max(0, p[14]); p[:6] = np.maximum(p[:6], 0); p[19] = max(0, p[19])
        if k % 5 == 0:   # fresh deals, so that luck is not learned
            s, o = deals(rng, 10000); best = rate2(s, o, par)[0]
        w = rate2(s, o, p)[0]
        if w > best + 0.001 * (rng.random() < .7):
            par, best = p, w
    print(k, best, 'fresh', rate2(s2, o2, par), list(map(int, par)), flush=True)
