"""Building IR through the native module: what it makes, and that misuse raises."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import gc

import pytest
from tilus import ir

ADD_ONE = """
tilus.kernel @add_one(%n: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%n]
} {
  %c1 = arith.constant 1 : i32
  %r = arith.addi %n, %c1 : i32
  tilus.return
}
"""


@pytest.fixture
def context():
    return ir.Context()


@pytest.fixture
def loc(context):
    return ir.Location.file("a.py", 3, 7, context)


def constant(context, loc, value=1):
    i32 = ir.IntegerType.get_signless(32, context)
    return ir.Operation.create(
        "arith.constant", results=[i32], attributes={"value": ir.IntegerAttr.get(i32, value)}, loc=loc
    )


def test_types_compare_by_meaning(context):
    i32 = ir.IntegerType.get_signless(32, context)
    assert i32 == ir.Type.parse("i32", context) and hash(i32) == hash(ir.Type.parse("i32", context))
    assert i32 != ir.Type.parse("i64", context) and i32 != "i32"
    tile = ir.RankedTensorType.get([4, 8], ir.F16Type.get(context))
    assert str(tile) == "tensor<4x8xf16>" and tile.shape == [4, 8] and tile.encoding is None
    assert tile.element_type.width == 16 and tile.element_type.is_float
    with pytest.raises(TypeError, match="expected a type with a shape"):
        i32.shape  # noqa: B018


@pytest.mark.parametrize("width, value", [(8, 255), (8, -128), (64, 2**64 - 1), (64, -(2**63)), (1, 1)])
def test_integers_that_fit(context, width, value):
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(width, context), value)
    assert (attribute.value - value) % 2**width == 0


@pytest.mark.parametrize("width, value", [(8, 256), (8, -129), (64, 2**64), (64, -(2**63) - 1)])
def test_integers_that_do_not_fit(context, width, value):
    with pytest.raises(ValueError, match=f"expected an integer of {width} bits, but got {value}"):
        ir.IntegerAttr.get(ir.IntegerType.get_signless(width, context), value)


def test_attributes_as_values(context):
    parse = lambda text: ir.Attribute.parse(text, context).value  # noqa: E731
    assert parse("[1, \"a\", {b = 2.5 : f32}]") == [1, "a", {"b": 2.5}]
    assert parse("array<i64: 1, -2>") == [1, -2] and parse("true") is True and parse("unit") is True
    assert parse("@f") == "f" and parse("i8") == ir.IntegerType.get_signless(8, context)


def test_dense_elements(context):
    tile = ir.Type.parse("tensor<2xi16>", context)
    assert str(ir.DenseElementsAttr.get(tile, b"\x01\x00\xff\xff")) == "dense<[1, -1]> : tensor<2xi16>"
    element = ir.IntegerAttr.get(tile.element_type, 7)
    assert str(ir.DenseElementsAttr.get_splat(tile, element)) == "dense<7> : tensor<2xi16>"
    with pytest.raises(ValueError, match="expected the bytes of all elements"):
        ir.DenseElementsAttr.get(tile, b"abc")
    with pytest.raises(TypeError, match="element type"):
        ir.DenseElementsAttr.get_splat(tile, ir.FloatAttr.get(ir.F32Type.get(context), 1.0))


def test_parse_and_print(context):
    module = ir.Module.parse(ADD_ONE, context, "add.mlir")
    module.verify()
    kernel = module.body.operations[0]
    assert kernel.name == "tilus.kernel" and kernel.attributes["sym_name"].value == "add_one"
    body = kernel.regions[1].blocks[0]
    add = body.operations[1]
    assert add.location.place == ("add.mlir", 6, 8)
    assert add.operands == [body.arguments[0], body.operations[0].results[0]]
    again = ir.Module.parse(str(module), ir.Context())
    assert str(again) == str(module)


def test_errors_have_places(context):
    with pytest.raises(ir.MLIRError, match="bad.mlir:2:1: error: ") as caught:
        ir.Module.parse("\nfoo", context, "bad.mlir")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.severity, diagnostic.file, diagnostic.line) == ("error", "bad.mlir", 2)
    assert context.diagnostics == []


def test_verify_reports(context, loc):
    i32, i64 = (ir.Type.parse(t, context) for t in ("i32", "i64"))
    module = ir.Module.create(loc)
    one = constant(context, loc)
    module.body.append(one)
    cast = ir.Operation.create("arith.extsi", results=[i64], operands=one.results, loc=loc)
    module.body.append(cast)
    module.verify()
    cast.results[0].set_type(i32)
    with pytest.raises(ir.MLIRError, match="a.py:3:7: error: 'arith.extsi' op"):
        module.verify()


def test_inference(context, loc):
    one = constant(context, loc)
    add = ir.Operation.create("arith.addi", None, [one.results[0]] * 2, loc=loc)
    assert add.results[0].type == one.results[0].type
    with pytest.raises(ValueError, match="expected the types of the results of 'tilus.broadcast'"):
        ir.Operation.create("tilus.broadcast", None, one.results, loc=loc)
    with pytest.raises(ValueError, match="expected the name of an operation, but got 'tilus.nothing'"):
        ir.Operation.create("tilus.nothing", loc=loc)


def test_attribute_map(context, loc):
    one = constant(context, loc)
    one.attributes["note"] = ir.StringAttr.get("x", context)
    assert sorted(one.attributes) == ["note", "value"] and len(one.attributes) == 2
    del one.attributes["note"]
    assert "note" not in one.attributes and one.attributes.get("note") is None
    with pytest.raises(KeyError):
        one.attributes["note"]


def test_erased_objects_raise(context, loc):
    module = ir.Module.parse(ADD_ONE, context)
    kernel = module.body.operations[0]
    block = kernel.regions[1].blocks[0]
    argument, add = block.arguments[0], block.operations[1]
    result = add.results[0]
    kernel.erase()
    for use in (
        lambda: str(kernel), lambda: kernel.regions[0].blocks, lambda: block.operations, lambda: argument.type,
        lambda: add.name, lambda: result.type, lambda: kernel.erase(), lambda: module.body.append(add),
    ):
        with pytest.raises(ValueError, match="but got one that was erased"):
            use()
    module.verify()


def test_used_things_stay(context, loc):
    module = ir.Module.parse(ADD_ONE, context)
    block = module.body.operations[0].regions[1].blocks[0]
    with pytest.raises(ValueError, match="whose values nobody uses"):
        block.operations[0].erase()
    with pytest.raises(ValueError, match="an argument that nobody uses"):
        block.erase_argument(0)
    block.operations[1].erase()
    block.operations[0].erase()
    block.erase_argument(0)
    assert [str(a.type) for a in block.arguments] == ["!tilus.ptr<f32>"]
    with pytest.raises(IndexError):
        block.erase_argument(1)


def test_owners_outlive_their_names(context, loc):
    block = ir.Module.create(loc).body
    block.append(constant(context, loc, 5))
    value = block.operations[0].results[0]
    del block
    gc.collect()
    assert "5" in str(value) and value.owner.parent.name == "builtin.module"


def test_a_dropped_operation_leaves_its_users_whole(context, loc):
    module = ir.Module.create(loc)
    value = constant(context, loc).results[0]
    add = ir.Operation.create("arith.addi", None, [value, value], loc=loc)
    module.body.append(add)
    del value
    gc.collect()
    one = add.operands[0].owner
    assert one.name == "arith.constant" and one.parent is None
    one.move_before(add)
    module.verify()


def test_moving(context, loc):
    first, second = ir.Module.create(loc), ir.Module.create(loc)
    one, two = constant(context, loc, 1), constant(context, loc, 2)
    first.body.append(one)
    second.body.append(two)
    one.move_before(two)
    assert first.body.operations == [] and second.body.operations == [one, two]
    with pytest.raises(ValueError, match="in no block"):
        first.body.append(one)
    one.detach_from_parent()
    del second, two
    gc.collect()
    first.body.append(one)
    assert first.body.operations == [one] and one.parent == first.operation


def test_an_operation_does_not_go_into_itself(context, loc):
    i1 = ir.Type.parse("i1", context)
    condition = ir.Operation.create(
        "arith.constant", [i1], attributes={"value": ir.IntegerAttr.get(i1, 1)}, loc=loc
    )
    choice = ir.Operation.create("scf.if", [], condition.results, regions=2, loc=loc)
    block = choice.regions[0].append()
    with pytest.raises(ValueError, match="a block outside of the operation"):
        block.append(choice)


def test_contexts_do_not_mix(context, loc):
    other = ir.Context()
    with pytest.raises(ValueError, match="one context"):
        ir.Operation.create("arith.constant", [ir.Type.parse("i32", other)], loc=loc)
    with pytest.raises(ValueError, match="one context"):
        ir.Module.create(ir.Location.unknown(other)).body.append(constant(context, loc))


def test_locations(context, loc):
    named = ir.Location.name("x", context, loc)
    both = ir.Location.fused([ir.Location.unknown(context), named], context)
    assert named.place == both.place == ("a.py", 3, 7)
    assert ir.Location.unknown(context).place == ("", 0, 0)
    assert ir.Location.callsite(loc, named).place == loc.place and named != loc
