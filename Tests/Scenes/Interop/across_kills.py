# SPDX-License-Identifier: Apache-2.0
"""What of a stream of values may be missing, or may have arrived all the same, when the gateway was killed."""
import collections

Sent = collections.namedtuple("Sent", "value link is_confirmed")


def compare(sent, got, kills):
    """Holds the values that arrived against those that were sent, both in their order.

    Returns how many confirmed values are missing, and what is wrong, in words; None when nothing is.

    A confirmed value may be missing where a kill explains it: in at most one hole a kill, each the last values of one
    link. An unconfirmed one may have been committed by a process that died before its confirmation went out. It may
    arrive or not: at most one a kill, and only as the last value of a link that another link follows.
    """
    missing, holes, survivors, position = 0, 0, [], 0
    for value in got:
        skipped = []
        while position < len(sent) and sent[position].value != value:
            skipped.append(sent[position])
            position += 1
        if position == len(sent):
            return missing, f"{value} arrived twice, out of order, or was never sent"
        found = sent[position]
        lost = [entry for entry in skipped if entry.is_confirmed]
        if lost:
            holes += 1
            missing += len(lost)
            if len({entry.link for entry in lost}) != 1 or found.link == lost[0].link:
                return missing, f"lost in the middle of a link: {lost}"
        if not found.is_confirmed:
            survivors.append(found)
            later = sent[position + 1:]
            if any(entry.link == found.link and entry.is_confirmed for entry in later):
                return missing, f"{found} arrived unconfirmed, and its link went on"
            if all(entry.link == found.link for entry in later):
                return missing, f"{found} arrived unconfirmed, and no link follows its own"
        position += 1
    left = [entry for entry in sent[position:] if entry.is_confirmed]
    if left:
        return missing, f"the last {len(left)} values are lost"
    if holes > kills:
        return missing, f"{holes} holes after {kills} kills"
    if len(survivors) > kills or len({entry.link for entry in survivors}) < len(survivors):
        return missing, f"{len(survivors)} unconfirmed values arrived after {kills} kills: {survivors}"
    return missing, None
