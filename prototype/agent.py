"""Plays the learned agent in the engine on validation deals."""
import sys, os, numpy as np, torch, time
for d in ('envs','agents','training','seeds','web'): sys.path.insert(0,f'/tmp/dev/{d}')
from solitaire_agents.tour_infernale import values as V
from solitaire_agents.tour_infernale.learned import TourInfernaleLearned
from solitaire_envs import tour_infernale
from solitaire_envs.engine import Engine
d=torch.load(sys.argv[1])['net']; f=lambda t: np.ascontiguousarray(t.numpy(), np.float32)
net=V.Network(f(d['rows.weight'][:-1]),f(d['bias']),f(d['l2.weight'].T),f(d['l2.bias']),f(d['l3.weight'][0]),f(d['l3.bias']))
opts=tour_infernale.TourInfernaleOptions(passes=1)
ag=TourInfernaleLearned(opts,net)
n=int(sys.argv[2]); eng=Engine(tour_infernale.GAME,opts,n); eng.deal_numbers(list(range(1_000_000,1_000_000+n)))
t=time.process_time(); steps=0
buf=eng.buffers
while True:
    alive=~(eng.states.ended if hasattr(eng.states,'ended') else eng.states['ended']).astype(bool)
    live=np.flatnonzero(eng.buffers.action_masks.any(1)&alive)
    if not len(live): break
    acts=np.zeros(n,np.int64)
    acts[live]=ag.act(eng.buffers.observations[live],eng.buffers.action_masks[live])
    eng.step(acts); steps+=1
    if steps>1000: break
won=sum(bool(eng.outcome(i)["won"]) for i in range(n))
print('won',won/n,'steps',steps,'s/game',(time.process_time()-t)/n)
