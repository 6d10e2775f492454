"""stubs.py FILE: writes the type stub of the compiled module, with the arrays of Model and Data from its tables."""

import pathlib
import re
import sys

from nanobind.stubgen import StubGen

import _core as core

DTYPES = {"float64": "numpy.float64", "float32": "numpy.float32", "int32": "numpy.int32", "uint8": "numpy.uint8", "bool": "numpy.bool_"}


def attributes(fields: list) -> str:
    lines = []
    for name, dtype, rows, columns, doc, writable in fields:
        if name in ("names", "text_data"):
            continue
        shape = f"({rows.replace('m.', '')},)" if columns == "1" else f"({rows.replace('m.', '')}, {columns.replace('m.', '')})"
        lines.append(f"    {name}: numpy.typing.NDArray[{DTYPES[dtype]}]")
        lines.append(f'    """{doc}. {shape}{"" if writable else ", read-only"}"""')
        lines.append("")
    return "\n".join(lines)


generator = StubGen(core, include_private=True)
generator.put(core)
text = generator.get()
rows = [
    "efc_type", "efc_id", "efc_state", "efc_pos", "efc_margin", "efc_frictionloss", "efc_diagApprox", "efc_KBIP",
    "efc_D", "efc_R", "efc_vel", "efc_aref", "efc_target", "efc_force",
]  # fmt: skip
extra = "".join(f"    {r}: numpy.typing.NDArray[Any]\n" for r in rows)
for cls, fields, more in (("ModelBase", core.model_fields(), ""), ("DataBase", core.data_fields(), extra)):
    found = re.search(rf"^class {cls}[^\n]*:\n(    \"\"\".*?\"\"\"\n)?", text, re.M | re.S)
    assert found, cls
    # what the descriptors of the package made of the attributes is replaced
    text = text[: found.end()] + attributes(fields) + more + text[found.end() :]
text = text.replace("-> object", "-> Any")
text = re.sub(r"-> (list|dict|tuple)(?=:)", lambda k: "-> " + {"list": "list[Any]", "dict": "dict[Any, Any]", "tuple": "tuple[Any, ...]"}[k[1]], text)
text = re.sub(r"^(?!from |import )(.*)$", lambda k: re.sub(r"\bCallable(?=[,)])", "Callable[..., Any]", k[0]), text, flags=re.M)
text = re.sub(r": (dict)(?=[,)])", ": dict[Any, Any]", text)
text = re.sub(r"^(_global_callbacks): .*$", r"\1: dict[str, Any]", text, flags=re.M)
if not re.search(r"^__version__", text, re.M):
    text += "\n__version__: str\n"
header = "import numpy\nimport numpy.typing\nfrom typing import Any\n"
pathlib.Path(sys.argv[1]).write_text(header + text)
