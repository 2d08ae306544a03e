"""make, reset, step, spawn and a SyncVectorEnv of a registered game."""

import gem

from examples import gem_env
from solitaire_evaluation.chat_env import ChatEnv
from tests.clients._serving import by_chance, moves_of, play_in_process

assert gem_env.gem is gem
other = ChatEnv("solitaire/Golf-v0", reward="score")
env = gem.make("solitaire:Golf-v0", reward="score")
for seed in range(20):
    answer, (text, info) = by_chance(seed), env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        text, reward, terminated, truncated, info = env.step(answer(text.partition("\n\nPut your move")[0]))
        total, over = total + reward, terminated or truncated
    assert (total, info) == play_in_process(other, by_chance(seed), seed=seed)

table, _ = env.reset(seed=0)
move = moves_of(table.partition("\n\nPut your move")[0])[0]
assert env.step(f"\\boxed{{no}} Or rather \\boxed{{{move}}}, I think.")[-1]["moves"] == 1
assert env.spawn(max_turns=7).reset(seed=0)[0] != env.reset(seed=0)[0]  # the instructions name the turns

envs = gem.make_vec(["solitaire:Golf-v0"] * 4)
texts, _ = envs.reset(seed=0)
assert len(set(texts)) == 4
texts, rewards, *_ = envs.step(["draw"] * 4)
assert len(texts) == len(rewards) == 4
