"""The generated functions of operations: what they make, against the compiler's parser."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import inspect

import pytest
from tilus import ir
from tilus.ir import enums, ops
from tilus.ir.context import BlockBuilder, use_builder

SCALE = """
module {
  tilus.kernel @scale(%n: i32, %s: f32, %x: !tilus.ptr<f32>) warps(4) grid {
    %c1024 = arith.constant 1024 : i32
    %b = arith.ceildivsi %n, %c1024 : i32
    tilus.grid [%b]
  } {
    %c1024 = arith.constant 1024 : i32
    %i = tilus.block_id x
    %o = arith.muli %i, %c1024 : i32
    %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
    %t = tilus.load_global %g[%o] cache(evict_first) : !tilus.global<?xf32> -> tensor<1024xf32>
    %f = tilus.broadcast %s : f32 -> tensor<1024xf32>
    %r = arith.mulf %t, %f fastmath<contract> : tensor<1024xf32>
    tilus.store_global %r, %g[%o] : tensor<1024xf32>, !tilus.global<?xf32>
    tilus.return
  }
}
"""


@pytest.fixture
def context():
    return ir.Context()


@pytest.fixture
def loc(context):
    return ir.Location.file("k.py", 1, 1, context)


@pytest.fixture
def module(loc):
    module = ir.Module.create(loc)
    with use_builder(BlockBuilder(module.body, loc)):
        yield module


def make_constant(context, value):
    return ops.arith.constant(value=ir.IntegerAttr.get(ir.Type.parse("i32", context), value))


def build_scale(context, loc):
    parse = lambda text: ir.Type.parse(text, context)  # noqa: E731
    i32, tile = parse("i32"), parse("tensor<1024xf32>")
    parameters = [i32, parse("f32"), parse("!tilus.ptr<f32>")]
    kernel = ops.kernel(
        sym_name="scale", function_type=ir.FunctionType.get(parameters, [], context), warps=4,
        param_names=["n", "s", "x"],
    )
    grid, body = (region.append(parameters) for region in kernel.regions)
    with use_builder(BlockBuilder(grid, loc)):
        ops.grid([ops.arith.ceildivsi(grid.arguments[0], make_constant(context, 1024))])
    with use_builder(BlockBuilder(body, loc)):
        n, s, x = body.arguments
        size = make_constant(context, 1024)
        offset = ops.arith.muli(ops.block_id(axis="x"), size)
        view = ops.global_view(x, [n], results=parse("!tilus.global<?xf32>"))
        t = ops.load_global(view, [offset], cache=enums.CacheHint.EVICT_FIRST, results=tile)
        r = ops.arith.mulf(t, ops.broadcast(s, results=tile), fastmath="contract")
        ops.store_global(r, view, [offset])
        ops.return_()


def test_a_kernel_is_what_its_text_is(context, loc, module):
    build_scale(context, loc)
    module.verify()
    assert str(module) == str(ir.Module.parse(SCALE, context))


def test_every_function_has_words_and_a_registered_operation(context):
    count = 0
    for dialect in (ops.tilus, ops.arith, ops.math, ops.scf, ops.cf):
        for name in dialect.__all__:
            description = getattr(dialect, "_" + name.upper())
            assert context.is_registered_operation(description.name)
            assert inspect.getdoc(getattr(dialect, name))
            count += 1
    # 49 of ours; arith alone has more than 40.
    assert count > 140


def test_optional_operands_and_segments(context, loc, module):
    i32 = ir.Type.parse("i32", context)
    source = ir.Operation.create(
        "builtin.unrealized_conversion_cast",
        [ir.Type.parse(t, context) for t in ("!tilus.global<8xi32>", "tensor<8xi32>")], loc=loc,
    )
    module.body.append(source)
    view, tile = source.results
    zero = make_constant(context, 0)
    plain = ops.atomic(view, [zero], tile, kind="add")
    assert plain.name == "tilus.atomic" and plain.attributes["operandSegmentSizes"].value == [1, 1, 1, 0]
    old = ops.atomic(view, [zero], tile, tile, kind="cas", order="acq_rel", results=[tile.type])
    assert old.type == tile.type and old.owner.attributes["operandSegmentSizes"].value == [1, 1, 1, 1]
    module.verify()
    assert zero.type == i32


def test_cells_stand_for_their_values(context, module):
    class Cell:
        def __init__(self, value):
            self.value = value

    one = make_constant(context, 1)
    assert ops.arith.addi(Cell(one), one).owner.operands == [one, one]


def test_several_results(context, module):
    one = make_constant(context, 1)
    low, high = ops.arith.mulsi_extended(one, one)
    assert low.owner == high.owner and high.index == 1


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda one: ops.arith.addi(one, 3), "operand 'rhs' of 'arith.addi', but got int"),
        (lambda one: ops.arith.addi(one, None), "operand 'rhs' of 'arith.addi', but got None"),
        (lambda one: ops.block_id(axis="w"), "attribute 'axis' of 'tilus.block_id': expected one of 'x', 'y', 'z'"),
        (lambda one: ops.iota(dim="0"), "attribute 'dim' of 'tilus.iota'"),
        (lambda one: ops.assert_(one, message=3), "expected a string, but got int"),
        (lambda one: ops.arith.constant(value=1), "expected an ir.Attribute, but got int"),
        (lambda one: ops.broadcast(one), "expected the types of the results of 'tilus.broadcast'|failed"),
    ],
)
def test_wrong_arguments(context, module, make, words):
    with pytest.raises((TypeError, ValueError, ir.MLIRError), match=words):
        make(make_constant(context, 1))


def test_no_builder():
    with pytest.raises(RuntimeError, match="expected a builder"):
        ops.sync()
