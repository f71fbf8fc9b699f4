// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sweeps. Forward: a tensor depends on a trained one when some node reads
// a dependent tensor at an input that has a gradient. Backward: the gradient
// of a node exists when one of its outputs has a contribution; it contributes
// to each dependent input once, however often the node lists it.
//
// Where nothing is trained (no initializer is floating-point, or the file
// lists none), the graph's inputs take their place: the gradient is then what
// a toy example or an adversarial attack asks for.

#include "reprise/operators/GradientFlow.h"

#include "reprise/operators/CostModel.h"
#include "reprise/operators/ElementType.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

GradientFlow::GradientFlow(const Graph &graph, const ModelFacts &facts,
                           const llvm::BitVector &frozen)
    : graph(graph), facts(facts), dependent(graph.numTensors()),
      active(graph.numNodes()), seeded(graph.numTensors()),
      counts(graph.numTensors()) {
  rules.reserve(graph.numNodes());
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    const OperatorRule *known = operatorOf(graph, facts, n);
    rules.push_back(known ? known : &unknownOperator());
  }
  markTrained(frozen);
  spreadForward();
  seedOutputs();
  countBackward();
}

void GradientFlow::markTrained(const llvm::BitVector &frozen) {
  bool anyInitializer = false;
  for (TensorId t = 0; t < graph.numConstants(); ++t) {
    if (!mayHaveGradient(facts.types[t].elementType))
      continue;
    bool isInitializer = graph.isInitializer(t);
    anyInitializer |= isInitializer;
    // Initializers come first, so that all are seen before the first input.
    if (isInitializer ? !frozen[t] : !anyInitializer)
      dependent.set(t);
  }
}

llvm::SmallVector<unsigned, 8> GradientFlow::gradientInputs(NodeId n) const {
  llvm::SmallVector<unsigned, 8> positions;
  llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
  bool hasOutput1 = outputs.size() > 1 && outputs[1] != kNone;
  llvm::ArrayRef<TensorId> inputs = graph.inputs(n);
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNone && dependent[inputs[i]] &&
        rules[n]->reads(i, hasOutput1) != kNoGradient)
      positions.push_back(i);
  return positions;
}

void GradientFlow::spreadForward() {
  for (NodeId n : graph.order()) {
    if (gradientInputs(n).empty())
      continue;
    llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
    for (unsigned i = 0; i < outputs.size(); ++i)
      if (outputs[i] != kNone && rules[n]->outputHasGradient(i) &&
          mayHaveGradient(facts.types[outputs[i]].elementType))
        dependent.set(outputs[i]);
  }
}

void GradientFlow::seedOutputs() {
  for (TensorId t : graph.graphOutputs())
    if (dependent[t]) {
      seeded.set(t);
      ++counts[t];
    }
}

bool GradientFlow::flowsInto(NodeId n, unsigned i) const {
  TensorId t = graph.outputs(n)[i];
  return t != kNone && counts[t] > 0;
}

void GradientFlow::countBackward() {
  std::vector<NodeId> lastCounted(graph.numTensors(), kNone);
  for (NodeId n : llvm::reverse(graph.order())) {
    bool flows = false;
    for (unsigned i = 0; i < graph.outputs(n).size(); ++i)
      flows |= flowsInto(n, i);
    if (!flows)
      continue;
    active.set(n);
    for (unsigned i : gradientInputs(n)) {
      TensorId t = graph.inputs(n)[i];
      if (lastCounted[t] == n)
        continue;
      lastCounted[t] = n;
      ++counts[t];
    }
  }
}

} // namespace reprise
