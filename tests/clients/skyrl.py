"""make, init, step and get_metrics of a registered game, with the deals of a data set's rows."""

import skyrl_gym

from examples import skyrl_env
from solitaire_evaluation.chat_env import ChatEnv
from tests.clients._serving import by_chance, play_in_process

assert skyrl_env.skyrl_gym is skyrl_gym
other = ChatEnv("solitaire/Golf-v0", reward="score")
prompt = [{"role": "system", "content": "Play well."}]
for index in range(20):
    row = {"split": "validation", "index": index, "data_source": "patience"}
    env, answer = skyrl_gym.make("patience", env_config={"reward": "score"}, extras=row), by_chance(index)
    conversation, _ = env.init(prompt)
    assert conversation[0] == prompt[0]
    total, over = 0.0, False
    while not over:
        output = env.step(answer(conversation[-1]["content"]))
        conversation += output["observations"]
        total, over = total + output["reward"], output["done"]
    played = play_in_process(other, by_chance(index), split="validation", index=index)
    assert (total, env.get_metrics()) == (total, output["metadata"]) == played
    env.close()
assert prompt == [{"role": "system", "content": "Play well."}]
