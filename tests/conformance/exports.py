"""Loads what `dataset export` and `dataset cqs-sft` write with the loaders of the trainer.

usage: exports.py FOLDER    folders sft, dpo, grpo, cqs-sft below FOLDER, each with a train.jsonl

Each file goes through `datasets.load_dataset("json")`, through TRL's own checks of its format, and, for sft and dpo, through
one optimiser step of TRL's trainer on a random model of a few thousand weights, whose tokenizer is made here too. Nothing is
downloaded.
"""

import copy
import math
import os
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from datasets import load_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
from trl.data_utils import apply_chat_template, is_conversational

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
COLUMNS = {
    "sft": ["prompt", "completion"],
    "cqs-sft": ["prompt", "completion"],
    "dpo": ["prompt", "chosen", "rejected"],
    "grpo": ["prompt"],
}


def tokenizer():
    """Bytes and the marks of the template."""
    marks = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate(marks + letters)}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(marks)
    fast = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>")
    fast.chat_template = TEMPLATE
    return fast


def model(words):
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=words,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=8192,
        )
    )


def step(kind, dataset, words):
    """One step of the trainer; the loss must be a number."""
    with tempfile.TemporaryDirectory() as folder:
        common = {
            "output_dir": folder,
            "max_steps": 1,
            "per_device_train_batch_size": 1,
            "report_to": [],
            "use_cpu": True,
            "bf16": False,
            "logging_steps": 1,
            "save_strategy": "no",
            "max_length": 4096,
            "disable_tqdm": True,
        }
        if kind == "dpo":
            own = DPOConfig(**common, beta=0.1)
            trained = model(len(words))
            trainer = DPOTrainer(
                model=trained,
                ref_model=copy.deepcopy(trained),
                args=own,
                train_dataset=dataset,
                processing_class=words,
            )
        else:
            own = SFTConfig(**common)
            trainer = SFTTrainer(model=model(len(words)), args=own, train_dataset=dataset, processing_class=words)
        loss = trainer.train().training_loss
    # Before the first step the model is its own reference, and the loss of any pair is ln 2.
    expected = abs(loss - math.log(2)) < 1e-4 if kind == "dpo" else 0.0 < loss < 100.0
    assert expected, f"{kind}: the loss is {loss}"
    return loss


def main(folder):
    words = tokenizer()
    for kind, columns in COLUMNS.items():
        path = folder / kind / "train.jsonl"
        dataset = load_dataset("json", data_files=str(path), split="train", cache_dir=tempfile.mkdtemp())
        assert len(dataset) > 0, f"{path} is empty"
        missing = [name for name in columns if name not in dataset.column_names]
        assert not missing, f"{path} has no columns {missing}"
        for row in dataset:
            known = {name: row[name] for name in columns}
            assert is_conversational(known), f"{kind}: TRL does not take it for a conversation"
            text = apply_chat_template(known, words)
            assert text["prompt"].endswith("<|assistant|>"), f"{kind}: the prompt does not end where the answer begins"
            if kind == "grpo":
                assert row["checklist"] and all(isinstance(item, str) for item in row["checklist"]), row
        told = f"{kind}: {len(dataset)} rows, TRL takes them"
        if kind != "grpo":
            told += f", one step with loss {step(kind, dataset, words):.4f}"
        print(told)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
