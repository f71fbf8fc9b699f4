// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/OnceOperators.h"

#include "reprise/operators/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

// Names of ONNX and ONNX Runtime, and the plain ones of PyTorch. The random
// draws of ONNX itself are in the operator table.
static constexpr llvm::StringLiteral kRandom[] = {
    "BiasDropout",    "BitmaskBiasDropout",
    "BitmaskDropout", "RandomMask",
    "alpha_dropout",  "bernoulli",
    "bernoulli_",     "dropout",
    "dropout_",       "feature_dropout",
    "multinomial",    "native_dropout",
    "normal",         "normal_",
    "rand",           "rand_like",
    "randint",        "randint_like",
    "randn",          "randn_like",
    "random",         "random_",
    "randperm",       "rrelu_with_noise",
    "uniform",        "uniform_"};

static constexpr llvm::StringLiteral kCollectives[] = {"AdasumAllReduce",
                                                       "AllGather",
                                                       "AllReduce",
                                                       "AllToAll",
                                                       "Broadcast",
                                                       "NcclAllGather",
                                                       "NcclAllReduce",
                                                       "NcclReduceScatter",
                                                       "Recv",
                                                       "ReduceScatter",
                                                       "Send",
                                                       "all_gather",
                                                       "all_gather_into_tensor",
                                                       "all_reduce",
                                                       "all_reduce_",
                                                       "all_to_all",
                                                       "all_to_all_single",
                                                       "broadcast",
                                                       "broadcast_",
                                                       "recv",
                                                       "reduce_scatter",
                                                       "reduce_scatter_tensor",
                                                       "send"};

static constexpr llvm::StringLiteral kUpdates[] = {
    "Adagrad",        "Adam",          "AdamOptimizer", "AdamW",
    "AdamWOptimizer", "Lamb",          "LambOptimizer", "Momentum",
    "RMSprop",        "SGD",           "SGDOptimizer",  "_fused_adagrad_",
    "_fused_adam_",   "_fused_adamw_", "_fused_sgd_"};

static bool isRandomDraw(llvm::StringRef opType) {
  const OperatorRule *rule = findOperator(opType);
  return rule && rule->isRandom;
}

/// `native_dropout` of `torch.ops.aten.native_dropout.default`.
static llvm::StringRef withoutNamespace(llvm::StringRef opType) {
  size_t colons = opType.rfind("::");
  if (colons != llvm::StringRef::npos)
    return opType.drop_front(colons + 2).split('.').first;
  opType.consume_front("torch.ops.");
  for (llvm::StringRef space : {"aten.", "c10d.", "_c10d_functional."})
    if (opType.consume_front(space))
      return opType.split('.').first;
  return opType;
}

bool mustRunOnce(llvm::StringRef opType) {
  if (isRandomDraw(opType))
    return true;
  llvm::StringRef plain = withoutNamespace(opType);
  return llvm::is_contained(kRandom, plain) ||
         llvm::is_contained(kCollectives, plain) ||
         llvm::is_contained(kUpdates, plain);
}

std::vector<OnceOperators> onceOperators() {
  auto names = [](llvm::ArrayRef<llvm::StringLiteral> list) {
    return std::vector<llvm::StringRef>(list.begin(), list.end());
  };
  std::vector<llvm::StringRef> random = names(kRandom);
  for (const OperatorRule &rule : operatorTable())
    if (rule.isRandom)
      random.push_back(rule.name);
  llvm::sort(random);
  return {{"random draws", std::move(random)},
          {"collectives", names(kCollectives)},
          {"updates of a state", names(kUpdates)}};
}

} // namespace reprise
