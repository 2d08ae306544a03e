"""Two steps of GRPOTrainer with environment_factory: a scripted model calls the tool, the trainer the rest."""

import json
import random
from typing import Any

from examples.trl_environment import Patience, make_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

CALL, END = "<tool_call>\n{}\n</tool_call>", "<|im_end|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", END, "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
STEPS, GENERATIONS = 2, 4
played: list[tuple[float, dict[str, Any]]] = []


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Returns a tokenizer of bytes, with the signs of a chat."""
    letters = {sign: number for number, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    core = Tokenizer(models.BPE(vocab=letters, merges=[]))
    core.pre_tokenizer, core.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, eos_token=END, pad_token=SPECIAL[0])
    tokenizer.add_tokens(SPECIAL)
    tokenizer.chat_template = qwen3_chat_template
    return tokenizer


class ScriptedTrainer(GRPOTrainer):
    """Writes the tool calls itself, for random weights cannot; all else is TRL's own."""

    def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        texts = [f"{place} {self._tokenizer.decode(ids)}" for place, ids in enumerate(prompt_ids)]
        return [self._tokenizer.encode(said(text)) for text in texts], None

    def _calculate_rewards(self, *arguments: Any, **keywords: Any) -> Any:
        for env in self.environments:
            played.append((env.get_reward(), env._env.info()))
        return super()._calculate_rewards(*arguments, **keywords)


def said(text: str) -> str:
    """Returns what the model says: a call that plays a random move of the last table."""
    last = text.rpartition("moves: ")[2].partition(END)[0].partition("</tool_response>")[0].strip()
    if last.endswith("The game is over."):
        return f"That was it.{END}"
    move = random.Random(text).choice(last.split(", "))
    return CALL.format(json.dumps({"name": "play", "arguments": {"move": move}})) + END


tokenizer = make_tokenizer()
size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
more = {"num_key_value_heads": 1, "head_dim": 8, "max_position_embeddings": 100_000}
model = Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokenizer), **size, **more))
args = GRPOConfig(
    output_dir="run",
    max_steps=STEPS,
    per_device_train_batch_size=GENERATIONS,
    num_generations=GENERATIONS,
    max_completion_length=60_000,
    report_to=[],
    use_cpu=True,
    logging_steps=STEPS,
    save_strategy="no",
)
trainer = ScriptedTrainer(
    model=model, args=args, processing_class=tokenizer, train_dataset=make_dataset(8), environment_factory=Patience
)
trainer.train()
assert len(played) == STEPS * GENERATIONS
assert len({info["deal"] for _, info in played}) == STEPS
for total, info in played:
    assert info["score"] > 0
    assert total == info["score"] / 35
    assert info["illegal_answers"] == 0
assert len({total for total, _ in played[:GENERATIONS]}) > 1  # the same deal, played in several ways
logged = next(entry for entry in trainer.state.log_history if "reward" in entry)
assert abs(float(logged["reward"]) - sum(total for total, _ in played) / len(played)) < 0.001
assert float(logged["tools/failure_frequency"]) == 0
