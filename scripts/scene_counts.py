"""Writes tests/scene/corpus_counts.csv: what native MuJoCo counts in the models below a folder.

Usage: python scene_counts.py FOLDER > tests/scene/corpus_counts.csv   (in an environment with the mujoco package)
"""
import pathlib
import sys

import mujoco

FIELDS = ("nmat", "ntex", "nlight", "ncam", "nskin", "ngeom", "nsite", "ntendon", "nflex", "nmesh", "nhfield")
root = pathlib.Path(sys.argv[1])
print("model," + ",".join(FIELDS))
for path in sorted(root.rglob("*.xml")):
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception:  # parts of models, and models of plugins
        continue
    print(path.relative_to(root).as_posix() + "," + ",".join(str(getattr(model, f)) for f in FIELDS))
