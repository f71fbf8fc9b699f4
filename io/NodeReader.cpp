// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node whose attributes hold graphs (If, Loop, Scan) reads, besides its
// inputs, what the bodies read from outside:
//
//   If(c)  then_branch: Mul(a, k) -> t, with k made in the body     reads c, a
//
// A body sees its own names and those of the bodies around it, so that only
// names that none of them declares come from the graph itself.

#include "reprise/io/NodeReader.h"

#include "reprise/graph/Error.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace reprise {

bool NodeReader::wants(llvm::StringRef top, llvm::StringRef key) {
  if (top.empty())
    return llvm::StringSwitch<bool>(key)
        .Cases("name", "opType", "op_type", "input", "output", true)
        .Cases("flops", "time", "memory", "workspace", "phase", true)
        .Cases("recompute", "alias", "inplace", "backward", "attribute", true)
        .Case("domain", true)
        .Default(false);
  if (top != "attribute")
    return true;
  return llvm::StringSwitch<bool>(key)
      .Cases("g", "graphs", "node", "attribute", "name", true)
      .Cases("input", "output", "initializer", true)
      .Cases("sparseInitializer", "sparse_initializer", "values", true)
      .Cases("i", "ints", "s", true)
      .Default(false);
}

namespace {
/// The names of a body that is being walked through.
struct Scope {
  llvm::StringSet<> declared;
};

/// Collects the outer tensors that bodies read. Recurses over the nesting of
/// bodies, which the parser limits.
class OuterReads {
public:
  explicit OuterReads(std::vector<llvm::StringRef> &inputs) : inputs(inputs) {
    for (llvm::StringRef name : inputs)
      seen.insert(name);
  }
  void addAttributes(JsonValue attributes) {
    if (!attributes.isList())
      return;
    for (JsonValue attribute : attributes) {
      addBody(attribute.member("g"));
      JsonValue graphs = attribute.member("graphs");
      if (graphs.isList())
        for (JsonValue body : graphs)
          addBody(body);
    }
  }

private:
  void addBody(JsonValue body);
  void declareNames(JsonValue list, Scope &scope);
  void addReads(JsonValue list);

  std::vector<llvm::StringRef> &inputs;
  llvm::StringSet<> seen;
  std::vector<Scope> scopes;
};
} // namespace

/// Declares the `name` of every entry of \p list.
void OuterReads::declareNames(JsonValue list, Scope &scope) {
  if (!list.isList())
    return;
  for (JsonValue entry : list) {
    JsonValue name = entry.member("name");
    if (name.kind() == JsonKind::Absent) // SparseTensorProto
      name = entry.member("values").member("name");
    if (name.isString())
      scope.declared.insert(name.text());
  }
}

/// Adds the names in \p list that no open body declares.
void OuterReads::addReads(JsonValue list) {
  if (!list.isList())
    return;
  for (JsonValue entry : list) {
    JsonValue name = entry.isObject() ? entry.member("name") : entry;
    if (!name.isString() || name.text().empty())
      continue;
    auto declares = [&](const Scope &scope) {
      return scope.declared.contains(name.text());
    };
    if (llvm::none_of(scopes, declares) && seen.insert(name.text()).second)
      inputs.push_back(name.text());
  }
}

void OuterReads::addBody(JsonValue body) {
  if (!body.isObject())
    return;
  JsonValue nodes = body.member("node");
  Scope scope;
  declareNames(body.member("input"), scope);
  declareNames(body.member("initializer"), scope);
  declareNames(body.member("sparseInitializer", "sparse_initializer"), scope);
  if (nodes.isList())
    for (JsonValue node : nodes) {
      JsonValue made = node.member("output");
      if (made.isList())
        for (JsonValue name : made)
          if (name.isString())
            scope.declared.insert(name.text());
    }
  scopes.push_back(std::move(scope));
  if (nodes.isList())
    for (JsonValue node : nodes) {
      addReads(node.member("input"));
      addAttributes(node.member("attribute"));
    }
  addReads(body.member("output")); // a body may return an outer tensor
  scopes.pop_back();
}

/// One of two words, \p first the default.
static llvm::Expected<bool> readChoice(JsonValue value, llvm::StringRef field,
                                       llvm::StringRef first,
                                       llvm::StringRef second) {
  if (value.kind() == JsonKind::Absent)
    return false;
  if (value.isString() && (value.text() == first || value.text() == second))
    return value.text() == second;
  return wrongValue(field, ("\"" + first + "\" or \"" + second + "\"").str(),
                    value);
}

template <typename Number>
static llvm::Error
readOptional(JsonValue value, llvm::StringRef field,
             llvm::Expected<Number> (*readValue)(JsonValue, llvm::StringRef),
             std::optional<Number> &result) {
  if (value.kind() == JsonKind::Absent)
    return llvm::Error::success();
  llvm::Expected<Number> number = readValue(value, field);
  if (!number)
    return number.takeError();
  result = *number;
  return llvm::Error::success();
}

static llvm::Error readIntegers(JsonValue list, llvm::StringRef field,
                                std::vector<int64_t> &integers) {
  for (JsonValue element : list) {
    llvm::Expected<int64_t> integer = readInteger(element, field);
    if (!integer)
      return integer.takeError();
    integers.push_back(*integer);
  }
  return llvm::Error::success();
}

llvm::Error NodeReader::readMemory(JsonValue value) {
  if (!value.isPresent())
    return llvm::Error::success();
  if (value.isList()) {
    if (llvm::Error e = readIntegers(value, "memory", bytes))
      return e;
    if (bytes.size() == outputs.size())
      return llvm::Error::success();
    return makeInputError("memory: expected one entry per output, that is " +
                          llvm::Twine(outputs.size()) + ", got " +
                          llvm::Twine(bytes.size()));
  }
  llvm::Expected<int64_t> all = readInteger(value, "memory");
  if (!all)
    return all.takeError();
  size_t made = 0;
  for (llvm::StringRef output : outputs) {
    bytes.push_back(output.empty() ? 0 : *all);
    made += !output.empty();
  }
  if (made == 1)
    return llvm::Error::success();
  return makeInputError("memory: expected a list, one entry per output, that "
                        "is " +
                        llvm::Twine(outputs.size()) + ", got " +
                        value.describe());
}

llvm::Error NodeReader::readPairs(JsonValue value, llvm::StringRef field,
                                  NamePairs &pairs) {
  if (!value.isPresent())
    return llvm::Error::success();
  if (!value.isObject())
    return wrongValue(field, "an object", value);
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError(field + ": " + twice + ": the key comes twice");
  for (JsonValue pair : value) {
    llvm::Expected<llvm::StringRef> name = readString(pair, field);
    if (!name)
      return name.takeError();
    pairs.push_back({pair.key(), *name});
  }
  return llvm::Error::success();
}

static llvm::Error readOverride(JsonValue value, BackwardOverride &result) {
  if (!value.isObject())
    return wrongValue("backward", "an object", value);
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError("backward: " + twice + ": the key comes twice");
  if (value.member("needs").kind() != JsonKind::Absent) {
    std::vector<llvm::StringRef> names;
    if (llvm::Error e =
            readStrings(value.member("needs"), "backward: needs", names))
      return e;
    result.needs.emplace();
    for (llvm::StringRef name : names)
      result.needs->push_back(name.str());
  }
  JsonValue memory = value.member("memory");
  if (memory.isPresent()) {
    result.bytes.emplace();
    if (memory.isList()) {
      if (llvm::Error e =
              readIntegers(memory, "backward: memory", *result.bytes))
        return e;
    } else {
      llvm::Expected<int64_t> one = readInteger(memory, "backward: memory");
      if (!one)
        return one.takeError();
      result.bytes->push_back(*one);
    }
  }
  if (llvm::Error e = readOptional<double>(
          value.member("flops"), "backward: flops", readNumber, result.flops))
    return e;
  return readOptional<int64_t>(value.member("workspace"), "backward: workspace",
                               readInteger, result.workspaceBytes);
}

llvm::Error NodeReader::readFields(JsonValue value, NodeDescription &node) {
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError(twice + ": the key comes twice");
  JsonValue opType = value.member("opType", "op_type");
  if (!opType.isString() || opType.text().empty())
    return wrongValue("opType", "a non-empty string", opType);
  node.opType = opType.text();
  if (llvm::Error e = readStrings(value.member("input"), "input", inputs))
    return e;
  if (llvm::Error e = readStrings(value.member("output"), "output", outputs))
    return e;
  if (llvm::Error e = readOptional<double>(value.member("flops"), "flops",
                                           readNumber, node.flops))
    return e;
  if (llvm::Error e = readOptional<double>(value.member("time"), "time",
                                           readNumber, node.seconds))
    return e;
  if (llvm::Error e = readMemory(value.member("memory")))
    return e;
  std::optional<int64_t> workspace;
  if (llvm::Error e = readOptional<int64_t>(
          value.member("workspace"), "workspace", readInteger, workspace))
    return e;
  node.workspaceBytes = workspace.value_or(0);
  llvm::Expected<bool> backward =
      readChoice(value.member("phase"), "phase", "forward", "backward");
  if (!backward)
    return backward.takeError();
  node.phase = *backward ? Phase::Backward : Phase::Forward;
  llvm::Expected<bool> never =
      readChoice(value.member("recompute"), "recompute", "allow", "never");
  if (!never)
    return never.takeError();
  node.recompute = *never ? RecomputeRule::Never : RecomputeRule::Allow;
  if (llvm::Error e = readPairs(value.member("alias"), "alias", alias))
    return e;
  return readPairs(value.member("inplace"), "inplace", inplace);
}

void NodeReader::clear() {
  for (auto *names : {&inputs, &outputs})
    names->clear();
  for (auto *pairs : {&alias, &inplace})
    pairs->clear();
  bytes.clear();
}

void NodeReader::fill(NodeDescription &node) const {
  node.inputs = inputs;
  node.outputs = outputs;
  node.bytes = bytes;
  node.alias = alias;
  node.inplace = inplace;
}

llvm::Error NodeReader::readDerived(llvm::StringRef name, JsonValue value,
                                    NodeDescription &node) {
  clear();
  std::string where = ("node " + name).str();
  if (name.empty())
    return makeInputError("expected a name of a node, got an empty key");
  if (!value.isObject())
    return wrongValue(where, "an object", value);
  JsonValue stated = value.member("name");
  if (stated.isPresent() && !(stated.isString() && stated.text() == name))
    return wrongValue(where + ": name", ("\"" + name + "\"").str(), stated);
  node.name = name;
  if (llvm::Error e = readFields(value, node))
    return inPlace(where, std::move(e));
  if (value.member("phase").kind() == JsonKind::Absent)
    node.phase = Phase::Backward;
  fill(node);
  return llvm::Error::success();
}

static int base64Digit(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+' || c == '-')
    return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

/// The text that \p encoded stands for: protobuf's JSON has strings of bytes
/// in base64, ONNX's own has them as they are. An equation, the only text that
/// is of interest, has characters that base64 has not.
static std::string decodeText(llvm::StringRef encoded) {
  llvm::StringRef digits = encoded.rtrim('=');
  std::string text;
  uint32_t bits = 0;
  unsigned count = 0;
  for (char c : digits) {
    int digit = base64Digit(c);
    if (digit < 0 || encoded.contains("->"))
      return encoded.str();
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      text += static_cast<char>(bits >> count & 0xff);
    }
  }
  return text;
}

/// The attribute \p value as the operator table wants it. What has a wrong
/// type says nothing, as with all attributes.
static Attribute readAttribute(llvm::StringRef name, JsonValue value) {
  Attribute attribute;
  attribute.name = name.str();
  auto addInteger = [&](JsonValue entry) {
    if (llvm::Expected<int64_t> integer = readInteger(entry, ""))
      attribute.ints.push_back(*integer);
    else
      llvm::consumeError(integer.takeError());
  };
  JsonValue ints = value.member("ints");
  if (ints.isList())
    for (JsonValue entry : ints)
      addInteger(entry);
  else if (value.member("i").isPresent())
    addInteger(value.member("i"));
  if (value.member("s").isString())
    attribute.text = decodeText(value.member("s").text());
  return attribute;
}

/// Is what the operator table says of names true in \p domain?
static bool isKnownDomain(llvm::StringRef domain) {
  return llvm::StringSwitch<bool>(domain)
      .Cases("", "ai.onnx", "com.microsoft", true)
      .Default(false);
}

static void keepFacts(NodeId n, JsonValue value, ModelFacts &facts) {
  auto mark = [n](llvm::BitVector &set) {
    set.resize(std::max<size_t>(set.size(), n + 1));
    set.set(n);
  };
  if (value.member("flops").kind() != JsonKind::Absent)
    mark(facts.flopsGiven);
  if (value.member("recompute").kind() != JsonKind::Absent)
    mark(facts.recomputeGiven);
  if (value.member("memory").isPresent())
    mark(facts.bytesGiven);
  JsonValue domain = value.member("domain");
  if (domain.isString() && !isKnownDomain(domain.text()))
    mark(facts.foreign);
  for (JsonValue attribute : value.member("attribute")) {
    JsonValue name = attribute.member("name");
    if (name.isString() && isUsedAttribute(name.text()))
      facts.attributes[n].push_back(readAttribute(name.text(), attribute));
  }
}

llvm::Error NodeReader::read(JsonValue value, GraphBuilder &builder,
                             std::vector<BackwardOverride> &overrides,
                             ModelFacts &facts) {
  clear();
  NodeId index = builder.numNodes();
  std::string position = ("node " + llvm::Twine(index)).str();
  if (!value.isObject())
    return wrongValue(position, "an object", value);
  NodeDescription node;
  JsonValue name = value.member("name");
  if (name.isPresent()) {
    if (!name.isString())
      return wrongValue(position + ": name", "a string", name);
    node.name = name.text();
  }
  auto where = [&] {
    return node.name.empty() ? ("node node" + llvm::Twine(index)).str()
                             : ("node " + node.name).str();
  };
  if (llvm::Error e = readFields(value, node))
    return inPlace(where(), std::move(e));
  JsonValue backward = value.member("backward");
  if (backward.isPresent()) {
    BackwardOverride entry;
    entry.node = index;
    if (llvm::Error e = readOverride(backward, entry))
      return inPlace(where(), std::move(e));
    overrides.push_back(std::move(entry));
  }
  JsonValue attributes = value.member("attribute");
  if (attributes.isPresent() && !attributes.isList())
    return inPlace(where(), wrongValue("attribute", "a list", attributes));
  if (attributes.isPresent())
    OuterReads(inputs).addAttributes(attributes);
  keepFacts(index, value, facts);
  fill(node);
  anyBackward |= node.phase == Phase::Backward;
  return builder.addNode(node);
}

} // namespace reprise
