// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// validate SCHEMA FILE...: are the files instances of the JSON Schema? Tells
// what is not on the standard output; exit 0 where all are, 1 where one is not,
// 2 where a file is no JSON.

#include <nlohmann/json.hpp>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <cstdio>
#include <fstream>

using Json = nlohmann::json;

static Json read(const char *path) {
  std::ifstream file(path);
  return Json::parse(file);
}

static bool validate(const valijson::Schema &schema, const char *path) {
  Json document = read(path);
  valijson::adapters::NlohmannJsonAdapter adapter(document);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, adapter, &results))
    return true;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    std::string place;
    for (const std::string &part : error.context)
      place += part;
    std::printf("%s: %s: %s\n", path, place.c_str(), error.description.c_str());
  }
  return false;
}

int main(int argc, char **argv) {
  try {
    if (argc < 3)
      return 2;
    Json text = read(argv[1]);
    valijson::adapters::NlohmannJsonAdapter adapter(text);
    valijson::Schema schema;
    valijson::SchemaParser().populateSchema(adapter, schema);
    bool allValid = true;
    for (int i = 2; i < argc; ++i)
      allValid &= validate(schema, argv[i]);
    return allValid ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "validate: %s\n", error.what());
    return 2;
  }
}
