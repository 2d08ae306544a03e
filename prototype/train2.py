import sys, time, numpy as np, torch, os
sys.path.insert(0, '/tmp/td')
from td2 import *
torch.set_num_threads(1); torch.manual_seed(0)
class Net(torch.nn.Module):
    def __init__(s):
        super().__init__()
        s.emb = torch.nn.EmbeddingBag(N_IN + 1, H1, mode='sum', padding_idx=PAD)
        torch.nn.init.normal_(s.emb.weight, std=0.05)
        with torch.no_grad(): s.emb.weight[PAD] = 0
        s.b1 = torch.nn.Parameter(torch.zeros(H1))
        s.l2 = torch.nn.Linear(H1, H2); s.l3 = torch.nn.Linear(H2, 1)
    def forward(s, x):
        return s.l3(torch.relu(s.l2(torch.relu(s.emb(x) + s.b1)))).squeeze(1)
    def np(s):
        f = lambda t: np.ascontiguousarray(t.detach().numpy().astype(np.float32))
        return f(s.emb.weight), f(s.b1), f(s.l2.weight), f(s.l2.bias), f(s.l3.weight[0]), f(s.l3.bias)
if __name__ == '__main__':
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    st = storage()
    GAMES = int(os.environ.get('GAMES', 4000)); lam = float(os.environ.get('LAM', 0.8)); cap = int(os.environ.get('CAP', 100))
    out = os.environ['OUT']; N = int(os.environ.get('ITERS', 60)); eps = float(os.environ.get('EPS', .01))
    F = np.zeros((GAMES * 47, MAXF), np.uint16); T = np.zeros(GAMES * 47, np.float32)
    it0 = 0; buf = []; KEEP = int(os.environ.get('KEEP', 3)); EPOCHS = int(os.environ.get('EPOCHS', 2))
    if os.path.exists(out):
        d = torch.load(out); net.load_state_dict(d['net']); opt.load_state_dict(d['opt']); it0 = d['it']
    vs, vo = deals(np.random.default_rng(99), 2000)
    for it in range(it0, N):
        t0 = time.process_time()
        games = GAMES if it > 8 else 1000
        s, o = deals(np.random.default_rng(1000 + it), games)
        pos, wins, tq, tc, ts = play(*st, s, o, *net.np(), eps, lam, it, F, T, True, cap)
        t1 = time.process_time()
        lr = 1e-3 * (1 - it / N) + 3e-5
        for gr in opt.param_groups: gr['lr'] = lr
        buf.append((F[:pos].copy(), T[:pos].copy())); del buf[:-KEEP]
        FF = np.concatenate([f for f, _ in buf]); TT = np.concatenate([t for _, t in buf])
        perm = np.concatenate([np.random.default_rng([it, e]).permutation(len(TT)) for e in range(EPOCHS)])
        ls = 0; n = 0
        for k in range(0, len(perm) - 511, 512):
            idx = perm[k:k + 512]
            x = torch.from_numpy(FF[idx].astype(np.int64)); y = torch.from_numpy(TT[idx])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x), y)
            opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
            ls += float(loss.detach()); n += 1
        t2 = time.process_time()
        msg = f"{it} won {wins/games:.4f} configs {tq/ts:.1f} comps {tc/ts:.1f} loss {ls/max(1,n):.4f} play {t1-t0:.0f}s fit {t2-t1:.0f}s"
        if it % 5 == 0 and it:
            w = play(*st, vs, vo, *net.np(), 0.0, lam, 0, F, T, False, cap)[1]
            msg += f" VAL {w/len(vo):.4f}"
        print(msg, flush=True)
        torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'it': it + 1}, out)
