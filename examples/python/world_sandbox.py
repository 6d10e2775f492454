"""A sandbox without XML: a tower is built, hit and taken away again."""

import sinew

world = sinew.World()
world.add_static("plane", name="floor", friction=0.8)
boxes = [world.add_body("box", [0.1, 0.1, 0.1], position=[0, 0, 0.1 + 0.2 * i], friction=0.8, restitution=0) for i in range(5)]
hits = []
world.on_contact_begin(lambda event: hits.append(event["approach_speed"]))
for _ in range(60):
    world.update(1 / 60)
print(f"the top box rests at {world.position(boxes[-1])[2]:.3f} m")
ball = world.add_body("sphere", 0.15, position=[-2, 0, 0.6], velocity=[8, 0, 1])
for _ in range(120):
    world.update(1 / 60)
print(f"after the ball: {world.position(boxes[-1])[2]:.3f} m, {len(hits)} touches, fastest {max(hits):.1f} m/s")
world.remove(ball)
cloth = world.add_soft(count=(8, 8, 1), position=[0, 0, 1.2], mass=0.2, young=3e4)
for _ in range(60):
    world.update(1 / 60)
print(f"a cloth fell on it: its middle is at {world.position(cloth)[2]:.2f} m")
assert world.trouble == ""
