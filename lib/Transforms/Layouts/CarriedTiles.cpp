// Values that structured control flow hands from one place to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CarriedTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilus;

CarriedTiles::CarriedTiles(Operation *root, Predicate isOfInterest) {
  root->walk([&](Operation *op) { collect(op, isOfInterest); });
  for (auto [operand, input] : edges) {
    Value leader = getLeader(input), source = operand->get();
    operandTargets[operand] = leader;
    if (!llvm::is_contained(sources[leader], source))
      sources[leader].push_back(source);
    if (!llvm::is_contained(targets[source], leader))
      targets[source].push_back(leader);
  }
  root->walk([&](Operation *op) {
    auto addMember = [&](Value value) {
      if (parents.contains(value))
        members[getLeader(value)].push_back(value);
    };
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        addMember(argument);
    for (Value result : op->getResults())
      addMember(result);
  });
}

void CarriedTiles::collect(Operation *op, Predicate isOfInterest) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return;
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    Operation *origin = point.isParent() ? op : point.getTerminatorPredecessorOrNull();
    for (OpOperand &operand : origin->getOpOperands())
      if (auto inputs = mapping.find(&operand); inputs != mapping.end())
        addEdge(operand, inputs->second, isOfInterest);
  }
  // With a known trip count some edges are not reported, yet all types must agree.
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  for (auto [init, argument, result, yielded] :
       llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs(), loop.getResults(),
                       loop.getBody()->getTerminator()->getOpOperands()))
    for (OpOperand *operand : {&init, &yielded})
      addEdge(*operand, {argument, result}, isOfInterest);
}

void CarriedTiles::addEdge(OpOperand &operand, ArrayRef<Value> inputs, Predicate isOfInterest) {
  if (!isOfInterest(operand.get()) || inputs.empty())
    return;
  edges.push_back({&operand, inputs.front()});
  for (Value input : inputs)
    unite(inputs.front(), input);
}

void CarriedTiles::unite(Value first, Value second) {
  parents.try_emplace(first, first);
  parents.try_emplace(second, second);
  Value kept = getLeader(first), joined = getLeader(second);
  parents[joined] = kept;
}

Value CarriedTiles::getLeader(Value tile) const {
  for (auto it = parents.find(tile); it != parents.end(); it = parents.find(tile)) {
    if (it->second == tile)
      break;
    tile = it->second;
  }
  return tile;
}

static ArrayRef<Value> lookupList(const DenseMap<Value, SmallVector<Value, 2>> &map, Value key) {
  auto it = map.find(key);
  return it == map.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

ArrayRef<Value> CarriedTiles::getMembers(Value leader) const { return lookupList(members, leader); }
ArrayRef<Value> CarriedTiles::getSources(Value leader) const { return lookupList(sources, leader); }
ArrayRef<Value> CarriedTiles::getTargets(Value tile) const { return lookupList(targets, tile); }
Value CarriedTiles::getTarget(OpOperand &operand) const { return operandTargets.lookup(&operand); }
