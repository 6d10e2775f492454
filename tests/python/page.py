"""What the page of the viewer is to the server: a WebSocket that sends commands and takes texts, a scene and frames."""

import base64
import json
import os
import select
import socket
import struct
import time
import urllib.parse

import sinew

SCENE, FRAME = 0x53574E53, 0x46574E53


class Page:
    """poll() takes what has come: `texts` (all), `scene` (its JSON) and `blocks` (of the last frame, by tag)."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws?token={token} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.messages, self.scene, self.blocks, self.frames = [], None, {}, 0

    def say(self, text):
        content = text.encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
        self.socket.sendall(b"\x81" + size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(content)))

    def send(self, **message):
        self.say(json.dumps(message))

    def _message(self):
        """The next complete message in the buffer, or None."""
        if len(self.buffer) < 2:
            return None
        length, start = self.buffer[1] & 127, 2
        if length == 126:
            length, start = struct.unpack(">H", self.buffer[2:4])[0] if len(self.buffer) >= 4 else 1 << 62, 4
        elif length == 127:
            length, start = struct.unpack(">Q", self.buffer[2:10])[0] if len(self.buffer) >= 10 else 1 << 62, 10
        if len(self.buffer) < start + length:
            return None
        kind, content = self.buffer[0] & 15, self.buffer[start : start + length]
        self.buffer = self.buffer[start + length :]
        return kind, content

    def poll(self):
        while select.select([self.socket], [], [], 0)[0]:
            got = self.socket.recv(1 << 16)
            if not got:
                break
            self.buffer += got
        while (message := self._message()) is not None:
            kind, content = message
            if kind == 1:
                self.messages.append(json.loads(content))
            elif kind == 2 and struct.unpack("<I", content[:4])[0] == SCENE:
                self.scene = json.loads(content[8 : 8 + struct.unpack("<I", content[4:8])[0]])
            elif kind == 2:
                self.say("a")
                self.frames += 1
                self.blocks, at = {}, 32
                for _ in range(struct.unpack("<H", content[6:8])[0]):
                    tag, _flags, size = struct.unpack("<HHI", content[at : at + 8])
                    self.blocks[tag] = content[at + 8 : at + 8 + size]
                    at += (8 + size + 7) // 8 * 8

    def take(self, key):
        """What texts said under this key."""
        self.poll()
        return [m[key] for m in self.messages if key in m]

    def close(self):
        self.socket.close()


def wait(viewer, data, model, condition, what):
    """Steps and syncs until a condition holds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sinew.step(model, data)
        viewer.sync()
        if condition():
            return
        time.sleep(0.002)
    raise AssertionError(f"never saw {what}")


def until(viewer, page, condition, what):
    """Syncs without steps until a condition holds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        viewer.sync()
        page.poll()
        if condition():
            return
        time.sleep(0.002)
    raise AssertionError(f"never saw {what}")
