// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension VirtualAir {
    // MARK: From the nodes

    func send(_ octets: [UInt8], isStart: Bool, token: Int? = nil, as role: LinkRole, on link: Link) {
        link.end(role).queue.append(
            LinkPDU(octets: octets, isStart: isStart, readyAt: now + settings.latency, token: token))
        arm(link)
    }

    func start(_ procedure: LinkProcedure, on link: Link) {
        link.procedures.append(procedure)
        arm(link)
    }

    /// Removes the node from all its links, or from the links of one host, without a notice to the peers.
    func vanish(_ node: any AirNode) {
        for link in links(of: node) {
            for end in [link.central, link.peripheral] where end.node === node {
                end.isOpen = false
                end.queue.removeAll()
            }
            if link.central.isOpen || link.peripheral.isOpen {
                contactChanged(link)
            } else {
                links[link.id] = nil
            }
        }
    }

    func links(of node: any AirNode) -> [Link] {
        links.values.filter { $0.central.node === node || $0.peripheral.node === node }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    func close(_ link: Link, central: HCIStatus, peripheral: HCIStatus) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        for (role, reason) in [(LinkRole.central, central), (.peripheral, peripheral)] where link.end(role).isOpen {
            link.end(role).isOpen = false
            link.end(role).node.linkClosed(link, as: role, reason: reason)
        }
    }

    /// A node came into range or left it: starts or stops the supervision timer.
    func contactChanged(_ link: Link) {
        let isBroken = [link.central, link.peripheral].contains { !$0.isOpen || !$0.node.isInRange }
        guard isBroken != link.isBroken else { return }
        link.isBroken = isBroken
        link.supervisionGeneration &+= 1
        if isBroken {
            agenda.add(
                .supervision(link.id, generation: link.supervisionGeneration),
                at: now + link.parameters.supervisionDuration)
        } else {
            arm(link)
        }
    }

    // MARK: Connection events

    /// Makes sure that a connection event comes if there is work for it. Empty events are not simulated.
    func arm(_ link: Link) {
        guard !link.isArmed, !link.isBroken, links[link.id] != nil else { return }
        var ready = link.procedures.isEmpty ? nil : now
        for end in [link.central, link.peripheral] where link.encryption.request == nil {
            guard let first = end.queue.first else { continue }
            ready = min(ready ?? first.readyAt, first.readyAt)
        }
        guard let ready else { return }
        link.isArmed = true
        agenda.add(.connectionEvent(link.id), at: link.connectionEvent(after: max(ready, now)))
    }

    func connectionEvent(of link: Link) {
        link.isArmed = false
        guard !link.isBroken, runProcedures(of: link), links[link.id] != nil else { return }
        for role in [LinkRole.central, .peripheral] where !transfer(from: role, on: link) { break }
        guard links[link.id] != nil else { return }
        link.central.node.eventEnded(on: link)
        link.peripheral.node.eventEnded(on: link)
        arm(link)
    }

    /// Sends the data that one side has ready and the interval has time for. False when a packet was lost, which ends
    /// the event.
    private func transfer(from role: LinkRole, on link: Link) -> Bool {
        let sender = link.end(role)
        let receiver = link.end(role.other).node
        var budget = link.parameters.intervalDuration.wholeNanoseconds / 1000
        // Vol 6, Part B, 5.1.3.1: no data crosses while encryption starts.
        while link.encryption.request == nil, var pdu = sender.queue.first, pdu.readyAt < now, receiver.acceptsData {
            let length = min(sender.transmitOctets, pdu.octets.count - pdu.sent)
            // Preamble, access address, header and CRC are 14 octets of 8 µs; then an empty packet, twice after 150 µs.
            budget -= Int64(length + 14) * 8 + 380
            guard budget > 0 else { return true }
            guard !isLost() else {
                packetLost(on: link)
                return false
            }
            link.failingSince = nil
            countData(from: sender, on: link)
            let start = pdu.sent
            pdu.sent += length
            let isWhole = pdu.sent == pdu.octets.count
            if isWhole { sender.queue.popFirst() } else { sender.queue.first = pdu }
            receiver.received(pdu.octets[start..<pdu.sent], isStart: pdu.isStart && start == 0, on: link)
            if isWhole { sender.node.acknowledged(pdu.token, on: link) }
        }
        return true
    }

    func packetLost(on link: Link) {
        let since = link.failingSince ?? now
        link.failingSince = since
        if now - since >= link.parameters.supervisionDuration {
            close(link, central: .connectionTimeout, peripheral: .connectionTimeout)
        }
    }

    func superviseLink(_ id: AirLinkID, generation: UInt32) {
        guard let link = links[id], link.supervisionGeneration == generation else { return }
        // A side that had asked to end the link is told that it ended the link, although the peer never acknowledged.
        var reasons = (central: HCIStatus.connectionTimeout, peripheral: HCIStatus.connectionTimeout)
        for case .terminate(let role, _) in link.procedures {
            if role == .central {
                reasons.central = .localHostTerminated
            } else {
                reasons.peripheral = .localHostTerminated
            }
        }
        close(link, central: reasons.central, peripheral: reasons.peripheral)
    }
}
