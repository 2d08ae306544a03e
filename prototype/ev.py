import sys, torch
sys.path.insert(0,'/tmp/td')
import importlib
from train2 import Net
import td2, td4
import numpy as np
for name, m in (('b20',td2),('c',td2),('d',td4)):
    d=torch.load(f'/tmp/td/{name}.pt')['net']
    class N4(Net): pass
    net=Net()
    if d['emb.weight'].shape!=net.emb.weight.shape:
        net.emb=torch.nn.EmbeddingBag(*d['emb.weight'].shape,mode='sum')
    net.load_state_dict(d)
    s,o=td2.deals(np.random.default_rng(99),500)
    import time; t=time.process_time()
    r=m.play(*m.storage(), s,o,*net.np(),0.0,1.,0,np.zeros((1,150),np.uint16),np.zeros(1,np.float32),False,100)
    print(name,r[1]/500,(time.process_time()-t)/500)
