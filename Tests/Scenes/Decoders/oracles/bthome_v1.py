# SPDX-License-Identifier: Apache-2.0
"""BTHome 1, plain and encrypted, compared with bthome-ble."""

from oracles import bthome
from oracles._sensor_state import address_octets, number, packet, random_address

PACKAGE = "bthome-ble==3.25.0"
STATED = bthome.STATED
UNSIGNED, SIGNED = 0x00, 0x20


def packets(random):
    """The objects of version 2, each behind an octet that says what it is and how long."""
    while True:
        address, objects = random_address(random), b""
        for identifier in sorted(random.sample(list(bthome.OBJECTS), random.randint(1, 3))):
            octets, signed, factor, key = bthome.OBJECTS[identifier]
            if identifier in (0x2E, 0x57, 0x5D):  # Those came with version 2.
                continue
            top = (1 << 8 * octets) - 1
            if signed is None:
                value = random.randrange(2)
            elif key in bthome.RANGES:
                value = number(random, 0, round(bthome.RANGES[key] / factor))
            elif key in ("temperature", "dewpoint"):
                value = number(random, round(-90 / factor), round(190 / factor))
            else:
                value = number(random, -(top + 1) // 2 if signed else 0, top // 2 if signed else top)
            objects += bytes([(SIGNED if signed else UNSIGNED) | octets + 1, identifier])
            objects += value.to_bytes(octets, "little", signed=bool(signed))
        if not objects:
            continue
        if random.random() < 0.5:
            yield packet(address, name="sensor", service_data={"181c": objects})
            continue
        if len(objects) < 4:  # The library takes one that short for none.
            continue
        key, counter = random.randbytes(16), number(random, 0, 0xFFFFFFFF).to_bytes(4, "little")
        ciphertext, tag = seal(key, address_octets(address) + b"\x1e\x18" + counter, objects)
        yield packet(address, name="sensor", key=key, service_data={"181e": ciphertext + counter + tag})


def seal(key, nonce, plaintext):
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    sealed = AESCCM(key, tag_length=4).encrypt(nonce, plaintext, b"\x11")
    return sealed[:-4], sealed[-4:]


expected = bthome.expected
