import torch, numpy as np, sys
d=torch.load(sys.argv[1]); np.savez(sys.argv[2], **{k:v.numpy().astype(np.float16) for k,v in d['net'].items()})
print(d['it'])
