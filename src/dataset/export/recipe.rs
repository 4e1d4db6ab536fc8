//! What the papers say of training. Values in tables `[paper.…]`; TRL's name of an argument is the key where it has one.

pub(super) const SFT: &str = r#"# Supervised fine-tuning. Each value has its source; what no paper gives stands under `unpublished`.
# The batch sizes are those of one optimiser step over all devices.

[sphinx]
models = { value = ["Qwen2.5-Coder-7B", "Qwen2.5-Coder-14B"], source = "Sphinx, section Benchmarking and appendix D" }
examples = { value = 41700, source = "Sphinx, section The Sphinx Model Training Pipeline; appendix D says 41k" }
lora_r = { value = 8, source = "Sphinx, appendix D" }
learning_rate = { value = 5e-5, source = "Sphinx, appendix D" }
lr_scheduler_type = { value = "cosine", source = "Sphinx, appendix D" }
warmup_steps = { value = 50, source = "Sphinx, appendix D" }
batch_size = { value = 1024, source = "Sphinx, appendix D" }
max_steps = { value = 165, source = "Sphinx, appendix D" }
unpublished = ["lora_alpha", "lora_dropout", "lora_target_modules", "max_length", "optim", "weight_decay", "seed"]

[cqs]
models = { value = ["Llama-3.1-70B-Instruct"], source = "CQS, appendix B.1" }
examples = { value = 5000, source = "CQS, section 3.4.1 and appendix B.1" }
max_length = { value = 8192, source = "CQS, appendix B.1" }
batch_size = { value = 64, source = "CQS, appendix B.1" }
learning_rate = { value = 2e-7, source = "CQS, appendix B.1" }
lr_scheduler_type = { value = "cosine_with_min_lr", source = "CQS, appendix B.1: cosine annealing with a minimum rate" }
min_lr_rate = { value = 0.1, source = "CQS, appendix B.1; read as a share of the learning rate, which the paper does not say" }
warmup_steps = { value = 10, source = "CQS, appendix B.1" }
num_train_epochs = { value = 1, source = "CQS, appendix B.1" }
unpublished = ["lora (the paper says nothing of adapters)", "optim", "weight_decay", "seed"]

# The judge that scores findings for preference pairs.
[cqs_judge]
models = { value = ["Llama-3.1-70B-Instruct"], source = "CQS, appendix B.2" }
examples = { value = 1600, source = "CQS, appendix B.2" }
max_length = { value = 8192, source = "CQS, appendix B.2" }
batch_size = { value = 32, source = "CQS, appendix B.2" }
learning_rate = { value = 2e-7, source = "CQS, appendix B.2: as in B.1" }
warmup_steps = { value = 10, source = "CQS, appendix B.2: as in B.1" }
min_lr_rate = { value = 0.1, source = "CQS, appendix B.2: as in B.1" }
num_train_epochs = { value = 4, source = "CQS, appendix B.2: best at the fourth epoch, about 200 steps" }
unpublished = ["optim", "weight_decay", "seed"]
"#;

pub(super) const DPO: &str = r#"# Direct preference optimisation of issue collectors. Each value has its source; what the paper does not give stands
# under `unpublished`.

[cqs]
start = { value = "the model after supervised fine-tuning", source = "CQS, appendix B.3" }
pairs = { value = 8400, source = "CQS, section 3.4.1; appendix B.3 says 8k" }
samples = { value = 10, source = "CQS, Algorithm 1" }
beta = { value = 0.1, source = "CQS, appendix B.3" }
loss_type = { value = "sigmoid", source = "CQS, appendix B.3" }
learning_rate = { value = 2e-7, source = "CQS, appendix B.3" }
lr_scheduler_type = { value = "cosine_with_min_lr", source = "CQS, appendix B.3: cosine with a minimum rate" }
min_lr_rate = { value = 0.5, source = "CQS, appendix B.3; read as a share of the learning rate, which the paper does not say" }
warmup_steps = { value = 25, source = "CQS, appendix B.3" }
max_length = { value = 8192, source = "CQS, appendix B.3" }
batch_size = { value = 32, source = "CQS, appendix B.3" }
max_steps = { value = 400, source = "CQS, appendix B.3: best evaluation at this step" }
unpublished = ["delta (chosen empirically, Algorithm 1)", "temperature of the samples (high, section 3.4.1)", "optim", "seed"]
"#;

pub(super) const GRPO: &str = r#"# Checklist reward policy optimisation (CRPO): GRPO with the checklist reward. Each value has its source; what the paper
# does not give stands under `unpublished`. The column `checklist` is what the reward reads.

[sphinx]
start = { value = "the model after supervised fine-tuning", source = "Sphinx, section The Sphinx Model Training Pipeline" }
beta = { value = 0.0, source = "Sphinx, section Post-training Stage: the KL term is removed" }
num_generations = { value = 16, source = "Sphinx, appendix D: roll-out" }
learning_rate = { value = 1e-6, source = "Sphinx, appendix D" }
gradient_accumulation_steps = { value = 4, source = "Sphinx, appendix D" }
reward_model = { value = "o3-mini", source = "Sphinx, appendix D" }
other = { value = "as in code-r1", source = "Sphinx, appendix D" }
unpublished = ["M", "N", "cap of the length penalty", "unit of length", "batch_size", "max_steps", "temperature", "max_completion_length", "seed"]
"#;
