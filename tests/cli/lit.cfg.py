# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command's tests: each .test file holds its commands and expectations.
import os
import shutil

import lit.formats

config.name = "reprise"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["out"]
config.environment["LC_ALL"] = "C"
config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["llvm_tools"], os.environ["PATH"]]
)
if lit_config.params["clp"] == "1":
    config.available_features.add("clp")
if shutil.which("chromium"):
    config.available_features.add("chromium")
root = os.path.dirname(os.path.dirname(config.test_source_root))
if lit_config.params["onnx"] == "ON":
    config.available_features.add("onnx")
if lit_config.params["validate"]:
    config.available_features.add("valijson")
config.substitutions += [
    ("%reprise", lit_config.params["reprise"]),
    ("%validate", lit_config.params["validate"]),
    ("%schema", os.path.join(root, "docs", "schema")),
    ("%corpus", os.path.join(root, "tests", "corpus")),
    ("%valid", os.path.join(root, "tests", "data", "valid")),
    ("%options", os.path.join(root, "tests", "data", "options")),
    ("%examples", os.path.join(root, "examples")),
    ("%browse", os.path.join(config.test_source_root, "browse.sh")),
    ("%reports", os.path.join(root, "tests", "data", "reports")),
]
