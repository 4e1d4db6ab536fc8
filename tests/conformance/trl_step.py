"""One step of TRL's GRPOTrainer with the shim of docs/trl_reward.py, on a model of random weights that knows forty words.

  trl_step.py BINARY

The rewards that the trainer was given through the server are those that the program computes from a file, in every form
of completion (text, messages) and with a judge of the caller's own.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.simplefilter("ignore", FutureWarning)
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(root, "docs"))

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl_reward import checklist_reward

binary = os.path.realpath(sys.argv[1])
LENGTH = ["--penalty", "ramp", "--m", "0.5", "--n", "2", "--cap", "0.9", "--unit", "words"]
CHECKLISTS = [
    ["Close the file handle (it leaks)", "Rename the variable tmp", "Check the divisor for zero"],
    [{"id": "1", "text": "Document the returned error"}, {"id": "2", "text": "Replace the loop by a dictionary lookup"}],
    ["No comment"],
]


def words():
    items = (item["text"] if isinstance(item, dict) else item for items in CHECKLISTS for item in items)
    text = " ".join(items).replace("(", " ").replace(")", " ").lower()
    return ["<pad>", "<eos>", "<unk>"] + sorted(set(text.split()))


def tokenizer():
    known = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words())}, unk_token="<unk>"))
    known.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=known, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    fast.chat_template = "{% for message in messages %}{{ message['content'] + ' ' }}{% endfor %}"
    return fast


def model(size):
    torch.manual_seed(7)
    config = Qwen2Config(vocab_size=size, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
                         num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=128,
                         pad_token_id=0, eos_token_id=1, bos_token_id=None)
    return Qwen2ForCausalLM(config)


def judge(completion, checklist):
    """Some decisions of the caller's own: items at even places."""
    return [at % 2 == 0 for at in range(len(checklist))]


def from_file(completions, checklists, judged):
    """What the program says of the same reviews."""
    rows = [{"completion": completion, "checklist": checklist} | ({"verdicts": judge(completion, checklist)} if judged else {})
            for completion, checklist in zip(completions, checklists)]
    done = subprocess.run([binary, "reward", "--judge", "lexical", *LENGTH], input="".join(json.dumps(row) + "\n" for row in rows),
                          capture_output=True, text=True, check=True)
    return [json.loads(line)["reward"] for line in done.stdout.splitlines()]


def step(url, token, messages, judged):
    seen = []
    ask = checklist_reward(url, judge if judged else None, token)

    def reward(completions, checklist, **columns):
        rewards = ask(completions, checklist, **columns)
        seen.append((completions, checklist, rewards))
        return rewards

    def prompt(text):
        return [{"role": "user", "content": text}] if messages else text

    # Arrow wants one form of item a column; the objects are tried below, without it.
    lists = [[item if isinstance(item, str) else item["text"] for item in items] for items in CHECKLISTS]
    dataset = Dataset.from_list([{"prompt": prompt("check the loop"), "checklist": items} for items in lists])
    known = tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(output_dir=folder, max_steps=1, per_device_train_batch_size=12, num_generations=4,
                            max_completion_length=12, use_cpu=True, bf16=False, report_to=[], save_strategy="no",
                            logging_steps=1, beta=0.0, seed=3, disable_tqdm=True)
        trainer = GRPOTrainer(model=model(len(known)), reward_funcs=reward, args=config, train_dataset=dataset,
                              processing_class=known)
        trainer.train()
        logged = [entry["rewards/reward/mean"] for entry in trainer.state.log_history if "rewards/reward/mean" in entry]
    rewards = [one for _, _, batch in seen for one in batch]
    assert len(rewards) == 12, seen
    for completions, checklists, batch in seen:
        assert batch == from_file(completions, checklists, judged), (completions, batch)
    assert len(set(rewards)) > 2, f"the model said nothing that differs: {seen}"
    assert logged and abs(logged[0] - sum(rewards) / len(rewards)) < 1e-6, (logged, rewards)
    print(f"GRPO step, messages {messages}, judge of our own {judged}: {len(rewards)} rewards, {sorted(set(rewards))}")


token = "of-this-test"
server = subprocess.Popen([binary, "reward", "--serve", "127.0.0.1:0", "--until-stdin-ends", "--judge", "lexical", *LENGTH],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"DIFFSIEVE_REWARD_TOKEN": token, "http_proxy": ""})
try:
    url = server.stdout.readline().strip()
    for messages in [False, True]:
        for judged in [False, True]:
            step(url, token, messages, judged)
    texts = ["document error", "a dictionary lookup for the loop"] * 2
    assert checklist_reward(url, None, token)(texts, [CHECKLISTS[1]] * 4) == from_file(texts, [CHECKLISTS[1]] * 4, False)
    try:
        checklist_reward(url, None, "another")(texts, [CHECKLISTS[1]] * 4)
        raise SystemExit("a wrong token was taken")
    except OSError as refused:
        assert "401" in str(refused), refused
finally:
    server.stdin.close()
assert server.wait(30) == 0
print("TRL: the rewards of the trainer are those of the program")
