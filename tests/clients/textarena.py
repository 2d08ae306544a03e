"""make, an agent, LLMObservationWrapper, rewards and game_info of a registered game."""

import textarena as ta

from examples import textarena_env
from solitaire_evaluation.chat_env import ChatEnv
from tests.clients._serving import by_chance, play_in_process

assert textarena_env.ta is ta
other = ChatEnv("solitaire/Golf-v0", reward="score")
for seed in range(20):
    env, answer, done = ta.make("Patience-v0", reward="score"), by_chance(seed), False
    env.reset(num_players=1, seed=seed)
    while not done:
        player, observation = env.get_observation()
        assert player == 0
        done, _ = env.step(action=answer(observation.rstrip()))
    rewards, game_info = env.close()
    total, info = play_in_process(other, by_chance(seed), seed=seed)
    assert rewards == {0: total}
    assert info.items() <= game_info[0].items()
