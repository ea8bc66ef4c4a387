# SPDX-License-Identifier: Apache-2.0
"""h4gen (load/) as a process of a test: a controller whose sensors send as fast as they are told."""
import os
import subprocess

from harness import RIG, RIG_SOURCES, free_ports, program

H4GEN = RIG / "h4gen"
FLOOR = RIG / "floor"


def build(source, target, *options):
    """Compiles one of the C programs of load/, when it is newer than what there is."""
    source = RIG_SOURCES / "load" / source
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(exist_ok=True)
        # Under a name of its own first: two scenes may build it at once.
        new = target.with_suffix(f".{os.getpid()}")
        subprocess.run([program("gcc"), "-O2", "-Wall", "-o", new, source, *options], check=True)
        new.rename(target)


def build_generator():
    build("h4gen.c", H4GEN)
    build("hosts/floor.c", FLOOR)


def start_generator(bench, mode, links, count, *options, name="h4gen"):
    """The process, and the port on which it waits for a host."""
    port = free_ports()
    generator = bench.start(name, [H4GEN, "--tcp", port, "--mode", mode, "--count", count,
                                   "--conns", max(links, 1), *options])
    generator.expect("h4gen: listening", 5)
    return generator, port


def sensor_address(number):
    return f"C0:5E:50:{number >> 16 & 255:02X}:{number >> 8 & 255:02X}:{number & 255:02X}"


def sensor_rules(count):
    """A rule a sensor, for `Bench.configuration`."""
    return [(f'address = "{sensor_address(number)}"', ["181a/2a6e"]) for number in range(count)]
