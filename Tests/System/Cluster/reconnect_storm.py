#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reconnect_storm.py [--gateways 33333] [--rate 2000] - when gateways are back whose node has died, by computation.

Each waits 1 s, doubled up to 60 s, ±50 %, and tries in each round the nodes that live. A node takes RATE connections a second,
lets BACKLOG of them wait, and refuses more. `--away 300` has all nodes away for so many seconds first.
"""
import argparse
import heapq
import random


def storm(gateways, rate, nodes, backlog, away, dice):
    """When each gateway is connected, in order, and how many tries there were, in all and in the busiest second."""
    free_at = [0.0] * nodes  # when a node has worked off what waits
    events = [(dice.uniform(0.5, 1.5), number, 1.0) for number in range(gateways)]
    heapq.heapify(events)
    connected, tries, busiest = [], 0, {}
    while events:
        now, number, wait = heapq.heappop(events)
        if now >= away:
            for step in range(nodes):
                node = (number + step) % nodes
                tries += 1
                busiest[int(now)] = busiest.get(int(now), 0) + 1
                free_at[node] = max(free_at[node], now)
                if (free_at[node] - now) * rate < backlog:
                    free_at[node] += 1 / rate
                    connected.append(free_at[node] - away)
                    break
            else:
                wait = min(wait * 2, 60)
                heapq.heappush(events, (now + wait * dice.uniform(0.5, 1.5), number, wait))
        else:
            wait = min(wait * 2, 60)
            heapq.heappush(events, (now + wait * dice.uniform(0.5, 1.5), number, wait))
    return sorted(connected), tries, max(busiest.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateways", type=int, default=33_333, help="that lose their connection")
    parser.add_argument("--rate", type=float, default=2000, help="connections a second that a node takes")
    parser.add_argument("--nodes", type=int, default=2, help="that live")
    parser.add_argument("--backlog", type=int, default=128)
    parser.add_argument("--away", type=float, default=0, help="seconds for which no node lives")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    connected, tries, busiest = storm(arguments.gateways, arguments.rate, arguments.nodes, arguments.backlog,
                                      arguments.away, random.Random(arguments.seed))
    share = {text: connected[int(len(connected) * part)] for text, part in (("50 %", 0.5), ("90 %", 0.9), ("99 %", 0.99))}
    print(f"{', '.join(f'{text} after {time:.0f} s' for text, time in share.items())}, all after {connected[-1]:.0f} s; "
          f"{tries} tries, {busiest} in the busiest second")


if __name__ == "__main__":
    main()
