import sys, os, time, numpy as np, torch
for d in ('envs','agents','training','seeds','web'): sys.path.insert(0,f'/tmp/dev/{d}')
import solitaire_agents; assert solitaire_agents.__file__.startswith('/tmp/dev')
from solitaire_agents.tour_infernale import values as V, self_play as SP
from solitaire_envs.cards import decks_of_deals
torch.set_num_threads(1); torch.manual_seed(0)
class Net(torch.nn.Module):
    def __init__(s):
        super().__init__()
        s.rows = torch.nn.EmbeddingBag(V.INPUTS+1, V.WIDTH, mode='sum', padding_idx=V.INPUTS)
        torch.nn.init.normal_(s.rows.weight, std=.05)
        with torch.no_grad(): s.rows.weight[V.INPUTS]=0
        s.bias=torch.nn.Parameter(torch.zeros(V.WIDTH)); s.l2=torch.nn.Linear(V.WIDTH,V.WIDTH_2); s.l3=torch.nn.Linear(V.WIDTH_2,1)
    def forward(s,x): return s.l3(torch.relu(s.l2(torch.relu(s.rows(x)+s.bias)))).squeeze(1)
    def network(s):
        f=lambda t: np.ascontiguousarray(t.detach().numpy(), np.float32)
        return V.Network(f(s.rows.weight[:-1]), f(s.bias), f(s.l2.weight.T), f(s.l2.bias), f(s.l3.weight[0]), f(s.l3.bias))
net=Net(); opt=torch.optim.Adam(net.parameters(),lr=1e-3)
GAMES=int(os.environ.get('GAMES',4000)); N=int(os.environ.get('ITERS',60)); out=os.environ['OUT']
rec=SP.new_record(GAMES)
vs,vo=SP.as_dealt(decks_of_deals(np.arange(1_000_000,1_002_000,dtype=np.uint64)).astype(np.int64),6)
it0=0
if os.path.exists(out):
    d=torch.load(out); net.load_state_dict(d['net']); opt.load_state_dict(d['opt']); it0=d['it']
for it in range(it0,N):
    games=GAMES if it>5 else min(1000,GAMES)
    s,o=SP.as_dealt(decks_of_deals(np.uint64(2**63)+np.arange(it*GAMES,it*GAMES+games,dtype=np.uint64)).astype(np.int64),6)
    t0=time.process_time()
    n,won=SP.play(V.new_chooser(net.network(),6),s,o,.01,.8,np.uint64(it),rec)
    t1=time.process_time()
    for g in opt.param_groups: g['lr']=1e-3*(1-it/N)+3e-5
    perm=np.random.default_rng(it).permutation(n); ls=0;k=0
    for k in range(0,n-511,512):
        idx=perm[k:k+512]
        loss=torch.nn.functional.binary_cross_entropy_with_logits(net(torch.from_numpy(rec.inputs[idx].astype(np.int64))),torch.from_numpy(rec.targets[idx]))
        opt.zero_grad(set_to_none=True); loss.backward(); opt.step(); ls+=float(loss.detach())
    t2=time.process_time()
    msg=f"{it} won {won/games:.4f} loss {ls/max(1,n//512):.4f} play {t1-t0:.0f}s fit {t2-t1:.0f}s"
    if it%5==0 and it:
        msg+=f" VAL {SP.play(V.new_chooser(net.network(),6),vs,vo,0.,1.,np.uint64(0),SP.new_record(len(vo)))[1]/len(vo):.4f}"
    print(msg,flush=True); torch.save({'net':net.state_dict(),'opt':opt.state_dict(),'it':it+1},out)
