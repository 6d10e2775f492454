"""Sinew: one physics engine for hard and soft things.

    import sinew
    model = sinew.Model.from_file("humanoid.xml")
    data = sinew.Data(model)
    while data.time < 1:
        data.ctrl[:] = 0
        sinew.step(model, data)
    print(data.body("torso").xpos)
"""

from ._core import __version__
from ._errors import DivergenceError, LoadError
from ._model import Contact, Data, Model, Option, Statistic, Status
from ._core import step, forward, inverse, energy, measure_flexes
