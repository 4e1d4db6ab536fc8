"""Writes a language model of random weights that llama.cpp loads: a llama of one layer, one token for each byte.

usage: tiny_gguf.py FILE

Under a grammar even such a model can only write what the grammar allows. Needs `gguf`; the same bytes every time.
"""

import sys

import gguf
import numpy

WIDTH, HEADS, INNER, CONTEXT = 32, 2, 64, 65536
END = "<|end|>"
TEMPLATE = ("{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
            "{% if add_generation_prompt %}assistant: {% endif %}")


def letters():
    """A printable letter for each byte, as byte-level vocabularies have them."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {**{byte: chr(byte) for byte in shown}, **{byte: chr(256 + index) for index, byte in enumerate(hidden)}}


def vocabulary(writer):
    letter = letters()
    # A list of merges cannot be empty; this pair is rare enough.
    pair = (letter[ord("~")], letter[ord("~")])
    tokens = [letter[byte] for byte in range(256)] + ["".join(pair), END]
    types = [gguf.TokenType.NORMAL] * (len(tokens) - 1) + [gguf.TokenType.CONTROL]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([" ".join(pair)])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id, writer.add_pad_token_id):
        add(len(tokens) - 1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    return len(tokens)


def weights(writer, tokens):
    chance = numpy.random.default_rng(11)

    def matrix(name, *shape):
        writer.add_tensor(name, chance.normal(0, 0.1, shape).astype(numpy.float32))

    def ones(name):
        writer.add_tensor(name, numpy.ones(WIDTH, numpy.float32))

    matrix("token_embd.weight", tokens, WIDTH)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        matrix(f"blk.0.{name}.weight", WIDTH, WIDTH)
    matrix("blk.0.ffn_gate.weight", INNER, WIDTH)
    matrix("blk.0.ffn_up.weight", INNER, WIDTH)
    matrix("blk.0.ffn_down.weight", WIDTH, INNER)
    for name in ("blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"):
        ones(name)
    matrix("output.weight", tokens, WIDTH)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    writer = gguf.GGUFWriter(sys.argv[1], "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    weights(writer, vocabulary(writer))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
