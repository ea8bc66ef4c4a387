#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--short] [--minutes 10] [--pictures FOLDER] [--only NAME …] - every surface of a gateway tells the same.

One `martlet run` with five sensors of the virtual radio, a real broker and a disk of its own goes through the situations of
situations.py, limits.py, copies.py, stopped.py and together.py, one after the other: first those that a few seconds bring about (`--short`: these
alone), then the others, then each fault of `martlet virtual-radio`, then `--minutes` of a sensor and a broker that come and go
each 20 s. In each, a machine reads `martlet status` (JSON, its lines with !, its exit code), `martlet doctor --json` and its
exit code, `martlet why --json` of each sensor, the page's status, /metrics, the line of `systemctl status`, the retained
messages over MQTT, what Home Assistant makes of them, the LED, the log, and the status that a phone reads. States, problems,
since when, severities and exit codes have to agree in each look, and have to be those of the situation. It mounts a file
system, and so needs root. Needs .rig. Logs lie in .rig/logs/surfaces.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Rig"), str(HERE.parent / "Metrics")]
from harness import Bench, Failed, program  # noqa: E402
from scene import Scene  # noqa: E402
import situations  # noqa: E402
import limits  # noqa: E402, F401
import copies  # noqa: E402, F401
import stopped  # noqa: E402, F401
import together  # noqa: E402, F401
import faults  # noqa: E402


def chosen(options):
    """The situations to go through, each a function of the scene."""
    if options.short:
        every = situations.SHORT
    else:
        every = [*situations.LONG, *faults.situations(options.martlet), situations.after_faults]
        if options.minutes:
            def comes_and_goes(scene):
                return situations.comes_and_goes(scene, options.minutes)
            every.append(comes_and_goes)
    if not options.only:
        return every
    names = {function.__name__ for function in every}
    unknown = [name for name in options.only if name not in names]
    if unknown:
        sys.exit(f"surfaces: no such situation: {', '.join(unknown)}; there are {', '.join(sorted(names))}")
    return [function for function in every if function.__name__ in options.only]


def in_own_mounts():
    """Starts this program again in a mount namespace of its own. The namespace of another program that began meanwhile would keep
    the scene's disk mounted, and a file system that is still mounted cannot be mended."""
    mark = "MARTLET_SURFACES_MOUNTS"
    unshare = shutil.which("unshare")
    if os.environ.get(mark) is None and unshare:
        os.environ[mark] = "own"
        os.execv(unshare, [unshare, "--mount", sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path)
    parser.add_argument("--short", action="store_true", help="the situations of CI alone")
    parser.add_argument("--minutes", type=float, default=10, help="of a problem that comes and goes")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER", help="keeps a picture of the page of each situation")
    parser.add_argument("--run", default="surfaces", metavar="NAME", help="of the logs, where several run side by side")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these situations")
    options = parser.parse_args()
    options.martlet = options.martlet.absolute()
    every = chosen(options)
    in_own_mounts()
    bench = Bench(options.run, options.martlet)
    logs = bench.folder
    if options.pictures:
        # Paths of the bench are in the words of problems.
        bench.folder = pathlib.Path("/mnt")
        subprocess.run([program("mount"), "--bind", logs, bench.folder], check=True)
    scene, failures = Scene(bench), 0
    if options.pictures:
        from views import Views  # The browser is needed for pictures alone.
        scene.views = Views(options.pictures.absolute(), bench)
    try:
        for function in every:
            began = time.monotonic()
            try:
                scene.is_ready()
                scene.situation = function.__name__
                if scene.views and scene.surfaces.status()["problems"]:
                    # Problems that are over would be in the picture, too.
                    scene.restart()
                    scene.is_ready()
                scene.has_phone = not function.__name__.startswith("fault_")
                words = function(scene)
                scene.phone_has_log()
                print(f"ok   {function.__name__} ({time.monotonic() - began:.0f} s)" + (f": {words}" if words else ""), flush=True)
            except Failed as failure:
                failures += 1
                print(f"FAIL {function.__name__} ({time.monotonic() - began:.0f} s): {failure}", flush=True)
                scene.recover()
            except Exception:
                failures += 1
                print(f"FAIL {function.__name__}: {traceback.format_exc()}", flush=True)
                scene.recover()
    finally:
        scene.close()
    print(f"surfaces: {len(every)} situations, {scene.looks} looks, of which {scene.differences} fell into a change; "
          f"{failures} failures; logs in {logs}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
