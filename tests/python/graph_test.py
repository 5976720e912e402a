# SPDX-License-Identifier: Apache-2.0
"""Graphs: building, asking, reading and writing."""

import json
import pickle

import pytest
import rematch
from rematch import Graph, GraphBuilder, TensorSpec


@pytest.fixture
def graph():
    return (
        GraphBuilder()
        .name("small")
        .description("two ops")
        .cost_unit("us")
        .fixed_bytes(100)
        .add_input("w", 40)
        .add_op("a", ["w"], 8, 2, "forward")
        .add_op(
            "b",
            ["a", "a"],
            [TensorSpec("b0", 16), TensorSpec("b1", 4, storage_of="b0", is_output=True)],
            cost=3,
            phase="backward",
            kind="mul",
            workspace=5,
            recomputable=False,
        )
        .build()
    )


def test_says_what_was_declared(graph):
    assert (graph.name, graph.description, graph.cost_unit) == ("small", "two ops", "us")
    assert (graph.num_ops, graph.num_tensors, graph.num_storages) == (2, 4, 3)
    assert (graph.fixed_bytes, graph.declared_fixed_bytes) == (140, 100)
    assert graph.base_cost == 5
    assert graph.num_edges == 1


def test_ops_have_their_fields(graph):
    op = graph.op(1)
    assert (op.name, op.kind, op.cost, op.workspace) == ("b", "mul", 3, 5)
    assert (op.phase, op.recomputable) == ("backward", False)
    assert [op.name for op in graph.ops()] == ["a", "b"]


def test_tensors_have_their_fields(graph):
    assert [tensor.name for tensor in graph.tensors()] == ["w", "a", "b0", "b1"]
    assert [tensor.producer for tensor in graph.tensors()] == [None, 0, 1, 1]
    assert [tensor.bytes for tensor in graph.tensors()] == [40, 8, 16, 4]
    assert graph.tensor(2).storage == graph.tensor(3).storage
    assert graph.tensor(3).is_output


def test_ids_are_places(graph):
    assert graph.inputs(1) == [1, 1]
    assert graph.outputs(1) == [2, 3]
    assert graph.readers(1) == [1]
    storage = graph.tensor(2).storage
    assert graph.tensors_in(storage) == [2, 3]
    assert graph.storage(storage).bytes == 16
    assert [storage.resident for storage in graph.storages()] == [True, False, False]


@pytest.mark.parametrize("number", [-1, 2, 2**40])
def test_an_op_that_does_not_exist_is_an_index_error(graph, number):
    with pytest.raises(IndexError, match=f"op {number} does not exist .graph has 2 ops"):
        graph.op(number)
    with pytest.raises(IndexError):
        graph.inputs(number)


def test_parts_outlive_the_graph():
    op = rematch.synthetic_graph("chain", length=3).op(0)
    assert op.name == "f0"


def test_json_goes_round(graph):
    again = Graph.from_json(graph.to_json())
    assert again == graph
    assert json.loads(graph.to_json())["format"] == "rematch.graph"


def test_a_file_is_loaded(graph, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(graph.to_json())
    assert Graph.load(path) == graph
    assert Graph.load(str(path)) == graph


def test_node_link_is_read():
    nodes = [{"id": 0, "cost_cpu": 2, "cost_ram": 8}, {"id": 1, "cost_cpu": 3, "cost_ram": 4}]
    text = json.dumps({"nodes": nodes, "links": [{"source": 0, "target": 1}]})
    graph = Graph.from_json(text)
    assert (graph.base_cost, graph.num_edges) == (5, 1)


def test_ops_may_come_in_any_order_if_asked():
    builder = GraphBuilder().add_op("b", ["a"], 1).add_op("a", [], 1)
    with pytest.raises(rematch.InvalidGraph):
        builder.build()
    assert [op.name for op in builder.order(sort=True).build().ops()] == ["a", "b"]


def test_pickle_goes_round(graph):
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_numbers_without_a_search(chain):
    assert rematch.keep_all_peak(chain) == 10
    assert rematch.peak_floor(chain) == 3
    assert rematch.peak_floor(chain, "free") == 3


def test_names_may_be_any_text():
    graph = GraphBuilder().name("größe 😀").add_op("ä", [], 1).build()
    assert Graph.from_json(graph.to_json()).op(0).name == "ä"
