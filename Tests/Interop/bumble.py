# SPDX-License-Identifier: Apache-2.0
"""Each GATT procedure against Bumble, over RootCanal: our central on its server, its client on our peripheral."""
from harness import PYTHON, RIG_SOURCES, check, wait_for
from peers import CENTRAL_STEPS, check_capture, check_steps, lines

NAME = "reference"


def central(bench):
    """Our central goes through the reference database on Bumble."""
    radio, capture = bench.radio(), bench.folder / "central.btsnoop"
    server = bench.start("server", [PYTHON, RIG_SOURCES / "gatt_server.py", "--transport",
                                    f"tcp-client:127.0.0.1:{radio}", "--name", NAME])
    server.expect('"advertising"', 30)
    peer = bench.start("martlet-peer", [bench.peer, "central", "--controller", f"tcp:127.0.0.1:{radio}", "--name", NAME,
                                        "--capture", capture])
    wait_for("the central ends", lambda: not peer.alive(), 120)
    steps = check_steps("the central", peer.output, CENTRAL_STEPS)
    check(peer.process.returncode == 0, f"the central ended with status {peer.process.returncode}")
    confirmed = [line["index"] for line in lines(server.output) if line["event"] == "confirmed"]
    check(confirmed == list(range(10)), f"the server counts the confirmations {confirmed}")
    return f"{steps} steps; {check_capture(capture)} packets captured"
