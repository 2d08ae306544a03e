import sys, time, numpy as np, torch, os
sys.path.insert(0, '/tmp/td')
from td3 import *
from train2 import Net
torch.set_num_threads(1); torch.manual_seed(0)
net = Net(); opt = torch.optim.Adam(net.parameters(), lr=1e-3)
st = storage(); tab = R.new_tableau(piles=6, swift=False, size=256)._replace(redeals=0)
GAMES = int(os.environ.get('GAMES', 1500)); cap = 100; out = os.environ['OUT']; N = int(os.environ.get('ITERS', 20))
SIB = 2; K = int(os.environ.get('K', 8))
F = np.zeros((GAMES * 47 * (SIB + 1), MAXF), np.uint16); T = np.zeros(len(F), np.float32)
vs, vo = deals(np.random.default_rng(99), 1000)
buf = []
for it in range(N):
    t0 = time.process_time()
    s, o = deals(np.random.default_rng(5000 + it), GAMES)
    pos, wins = label(*st, s, o, *net.np(), 1.0 if it == 0 else .1, SIB, K, it, F, T, cap)
    t1 = time.process_time()
    lr = 1.5e-3 * (1 - it / N) + 5e-5
    for gr in opt.param_groups: gr['lr'] = lr
    buf.append((F[:pos].copy(), T[:pos].copy())); del buf[:-5]
    FF = np.concatenate([f for f, _ in buf]); TT = np.concatenate([t for _, t in buf])
    perm = np.concatenate([np.random.default_rng([it, e]).permutation(len(TT)) for e in range(2)])
    ls = n = 0
    for k in range(0, len(perm) - 511, 512):
        idx = perm[k:k + 512]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(torch.from_numpy(FF[idx].astype(np.int64))), torch.from_numpy(TT[idx]))
        opt.zero_grad(set_to_none=True); loss.backward(); opt.step(); ls += float(loss.detach()); n += 1
    t2 = time.process_time()
    msg = f"{it} won {wins/GAMES:.4f} mean label {T[:pos].mean():.3f} loss {ls/n:.4f} label {t1-t0:.0f}s fit {t2-t1:.0f}s"
    if it % 3 == 2:
        w = play(*st, vs, vo, *net.np(), 0.0, 1, 0, F, T, False, cap)[1]; msg += f" VAL {w/len(vo):.4f}"
    print(msg, flush=True)
    torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'it': it + 1}, out)
