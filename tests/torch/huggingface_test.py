# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers, with and without a budget."""

import pytest
import torch

transformers = pytest.importorskip("transformers", reason="there is no transformers")
pytest.importorskip("accelerate", reason="there is no accelerate")

from rematch.torch import InfeasibleBudget  # noqa: E402
from rematch.torch.huggingface import BudgetCallback  # noqa: E402

WORDS, LENGTH, BATCH, STEPS = 64, 16, 4, 4


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=WORDS, n_positions=LENGTH, n_embd=32, n_layer=2, n_head=4,
        bos_token_id=0, eos_token_id=0))


def bert():
    return transformers.BertForMaskedLM(transformers.BertConfig(
        vocab_size=WORDS, max_position_embeddings=LENGTH, hidden_size=32,
        intermediate_size=64, num_hidden_layers=2, num_attention_heads=4))


def texts(count=32):
    generator = torch.Generator().manual_seed(1)
    rows = torch.randint(WORDS, (count, LENGTH), generator=generator)
    return [{"input_ids": row, "labels": row} for row in rows]


def trainer_of(make, folder, callbacks, **settings):
    torch._dynamo.reset()
    torch.manual_seed(0)
    arguments = transformers.TrainingArguments(
        output_dir=str(folder), per_device_train_batch_size=BATCH, max_steps=STEPS,
        logging_steps=1, report_to=[], use_cpu=True, seed=3, disable_tqdm=True,
        **{"save_strategy": "no", **settings})
    return transformers.Trainer(make(), arguments, train_dataset=texts(),
                                eval_dataset=texts(6), callbacks=callbacks)


def budget(share="85%", **options):
    return BudgetCallback(share, **{"time_limit": 0.3, "gap": 0.05, **options})


def outcome(trainer):
    """Losses, and all of the model."""
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    return losses, trainer.model.state_dict()


def same(first, second):
    return first[0] == second[0] and first[1].keys() == second[1].keys() and all(
        torch.equal(first[1][name], second[1][name]) for name in first[1])


def parameter_bytes(model):
    return sum(parameter.numel() * 4 for parameter in model.parameters())


def test_training_and_evaluation_are_as_without(tmp_path):
    plain = trainer_of(gpt2, tmp_path, [])
    plain.train()
    callback = budget()
    trainer = trainer_of(gpt2, tmp_path, [callback])
    trainer.train()
    assert same(outcome(plain), outcome(trainer))
    assert plain.evaluate()["eval_loss"] == trainer.evaluate()["eval_loss"]
    (graph,) = callback.graphs
    assert any(run.number for run in graph.schedule.runs)
    # The loss is all that is kept, and two numbers for each parameter will come.
    assert len(graph.program.tangents) == 1
    assert graph.program.outside_bytes == 2 * parameter_bytes(trainer.model)
    assert not hasattr(trainer.model, "rematch_graphs")


def test_gradients_add_up_and_checkpoints_go_on(tmp_path):
    """Evaluated and saved in the middle, then resumed from there."""
    settings = {"gradient_accumulation_steps": 2, "eval_strategy": "steps",
                "eval_steps": 2}
    plain = trainer_of(bert, tmp_path / "plain", [], **settings)
    plain.train()
    callback = budget()
    first = trainer_of(bert, tmp_path / "planned", [callback], save_strategy="steps",
                       save_steps=2, **settings)
    first.train()
    assert same(outcome(plain), outcome(first))
    assert callback.graphs[0].program.outside_bytes == 3 * parameter_bytes(first.model)
    callback = budget()
    second = trainer_of(bert, tmp_path / "planned", [callback], **settings)
    second.train(resume_from_checkpoint=str(tmp_path / "planned" / "checkpoint-2"))
    assert same(outcome(plain), outcome(second))
    # The optimizer's state is there already.
    assert callback.graphs[0].program.outside_bytes == parameter_bytes(second.model)
    loaded = transformers.BertForMaskedLM.from_pretrained(
        tmp_path / "planned" / "checkpoint-4")
    assert same(([], loaded.state_dict()), ([], plain.model.state_dict()))


def test_an_infeasible_budget_says_so(tmp_path):
    with pytest.raises(InfeasibleBudget, match="the least budget that works"):
        trainer_of(gpt2, tmp_path, [budget("1KiB")]).train()


def test_what_compiles_the_model_too_is_refused(tmp_path):
    with pytest.raises(ValueError, match="leave torch_compile out"):
        trainer_of(gpt2, tmp_path, [budget()], torch_compile=True).train()


def test_an_unknown_option_is_refused():
    with pytest.raises(ValueError, match="rematch has no option 'bugdet'"):
        BudgetCallback(bugdet=3)
