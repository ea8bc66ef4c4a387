# SPDX-License-Identifier: Apache-2.0
"""What pairings have to come to, by the specification and by our policy, and the key stores of both ends compared."""
import contextlib
import dataclasses
import itertools
import json
import pathlib

# As `martlet-peer` calls them.
DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT, KEYBOARD_DISPLAY = CAPABILITIES = (
    "display", "display-and-confirmation", "keyboard", "none", "keyboard-and-display")
JUST_WORKS, PASSKEY_ENTRY, NUMERIC_COMPARISON, OUT_OF_BAND = (
    "just-works", "passkey-entry", "numeric-comparison", "out-of-band")
# Reasons of Pairing Failed, Core 5.4, Vol 3, Part H, 3.5.5, and what is said of them.
AUTHENTICATION_REQUIREMENTS, CONFIRM_VALUE_FAILED, PAIRING_NOT_SUPPORTED, NUMERIC_COMPARISON_FAILED = (
    0x03, 0x04, 0x05, 0x0C)
REASONS = {AUTHENTICATION_REQUIREMENTS: "authentication requirements", CONFIRM_VALUE_FAILED: "confirm value failed",
           PAIRING_NOT_SUPPORTED: "pairing not supported", NUMERIC_COMPARISON_FAILED: "numeric comparison failed"}

# Core 5.4, Vol 3, Part H, table 2.8: a row for the responder, in it a letter for each capability of the initiator in
# the order of CAPABILITIES. J: Just Works; I, R: the initiator or the responder shows a passkey, the other enters it;
# B: both enter it. Where there are two letters, the second is for Secure Connections; N: Numeric Comparison.
MODELS = {
    DISPLAY_ONLY: ("J", "J", "R", "J", "R"),
    DISPLAY_YES_NO: ("J", "JN", "R", "J", "RN"),
    KEYBOARD_ONLY: ("I", "I", "B", "J", "I"),
    NO_INPUT_NO_OUTPUT: ("J", "J", "J", "J", "J"),
    KEYBOARD_DISPLAY: ("I", "IN", "R", "J", "IN"),
}
NAMES = {"J": JUST_WORKS, "I": PASSKEY_ENTRY, "R": PASSKEY_ENTRY, "B": PASSKEY_ENTRY, "N": NUMERIC_COMPARISON}


@dataclasses.dataclass(frozen=True)
class Combination:
    """One pairing: what either end brings to it. The Central is the initiator."""
    is_central: bool  # we are
    ours: str
    theirs: str
    # The peer offers Secure Connections; we always do.
    secure: bool = True
    # The peer asks for protection against somebody in the middle; and we insist on it.
    mitm: bool = False
    insists: bool = False
    # The operator has named the peer as one that may pair the old way.
    legacy: bool = True
    # We hold data that the peer told by other means, and the peer holds ours.
    we_hold: bool = False
    peer_holds: bool = False

    def __str__(self):
        roles = ("initiator", "responder") if self.is_central else ("responder", "initiator")
        words = [f"our {roles[0]} {self.ours}", f"their {roles[1]} {self.theirs}",
                 "Secure Connections" if self.secure else "legacy"]
        words += [word for word, is_so in (
            ("the peer asks for MITM", self.mitm), ("we insist", self.insists), ("not opted in", not self.legacy),
            ("we hold OOB data", self.we_hold), ("the peer holds OOB data", self.peer_holds)) if is_so]
        return ", ".join(words)

    @property
    def letter(self):
        """The letter of the table; O for Out of Band."""
        if (self.we_hold or self.peer_holds) if self.secure else (self.we_hold and self.peer_holds):
            return "O"  # tables 2.6 and 2.7
        if not (self.mitm or self.we_ask):
            return "J"
        initiator, responder = (self.ours, self.theirs) if self.is_central else (self.theirs, self.ours)
        letters = MODELS[responder][CAPABILITIES.index(initiator)]
        return letters[-1] if self.secure else letters[0]

    @property
    def we_ask(self):
        """For protection against somebody in the middle: whenever there are people at our end."""
        return self.insists or self.ours != NO_INPUT_NO_OUTPUT

    @property
    def model(self):
        return OUT_OF_BAND if self.letter == "O" else NAMES[self.letter]

    @property
    def is_authenticated(self):
        return self.model != JUST_WORKS

    @property
    def refusal(self):
        """The reason with which we refuse; None where the pairing has to succeed."""
        is_allowed = self.secure or self.legacy
        return None if is_allowed and (self.is_authenticated or not self.insists) else AUTHENTICATION_REQUIREMENTS


def matrix(is_central):
    """Every combination of capabilities, kinds of pairing, MITM on either side, and OOB data that ends hold."""
    for ours, theirs in itertools.product(CAPABILITIES, CAPABILITIES):
        for secure, (mitm, insists) in itertools.product((True, False), ((False, False), (True, False), (False, True))):
            yield Combination(is_central, ours, theirs, secure, mitm, insists)
    for theirs in CAPABILITIES:
        yield Combination(is_central, KEYBOARD_DISPLAY, theirs, secure=False, mitm=True, legacy=False)
    for secure, mitm, we_hold, peer_holds in itertools.product((True, False), *[(False, True)] * 3):
        # Not to be played: LE legacy pairing where Bumble 0.0.236 alone holds a Temporary Key. It uses it, where the
        # flags of both ends lead to Just Works, whose key is zero.
        if we_hold or peer_holds and secure:
            yield Combination(is_central, NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT, secure, mitm, we_hold=we_hold,
                              peer_holds=peer_holds)


class Unequal(Exception):
    """The ends do not agree; the message says in what."""


def agree(what, *values):
    if any(value != values[0] for value in values):
        raise Unequal(f"{what}: {' / '.join(str(value) for value in values)}")


class Bonds:
    """Our key store, as it is on disk."""

    def __init__(self, state):
        self.folder = pathlib.Path(state) / "bonds"

    def all(self):
        """Those that are whole: a file is replaced, never written in place."""
        found = []
        for path in sorted(self.folder.glob("*/*.bond")):
            with contextlib.suppress(FileNotFoundError):  # removed in this moment
                found.append(json.loads(path.read_text())["bond"])
        return found

    def identity_key(self):
        """Ours, most significant octet first; None where private addresses are not used."""
        path = self.folder / "identity.key"
        return path.read_text().strip() if path.exists() else None


def is_secure(bond):
    return "secureConnections" in bond["keys"]


def long_term_keys(bond):
    """The key that the Peripheral of the pairing has given, and the Central's, as (key, EDIV, Rand); for Secure
    Connections the one key. `bond`: of our store, in the role that we were in."""
    if is_secure(bond):
        return bond["keys"]["secureConnections"]["_0"]
    keys = bond["keys"]["legacy"]
    return {name: (keys[name]["key"], keys[name]["ediv"], keys[name]["rand"]) if keys.get(name) else None
            for name in ("peerDistributed", "localDistributed")}


def secrets_of(bond):
    """Every key in it, in hexadecimal."""
    keys = long_term_keys(bond)
    found = [keys] if isinstance(keys, str) else [key[0] for key in keys.values() if key]
    return found + [bond[name] for name in ("identityKey", "localSigningKey", "peerSigningKey") if bond.get(name)]
