// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

/// Packets from the controller.
extension HostMachine {
    /// Takes one whole H4 packet.
    package mutating func received(_ packet: RawSpan, at now: MonotonicTime) {
        guard packet.byteCount > 0 else { return }
        switch HCIPacketType(rawValue: packet.u8(at: 0)) {
        case .aclData: receivedACL(packet, at: now)
        case .event: receivedEvent(packet, at: now)
        case .command, .synchronousData, .isoData, nil: counters.malformedPackets += 1
        }
    }

    // MARK: ACL data

    private mutating func receivedACL(_ packet: RawSpan, at now: MonotonicTime) {
        counters.aclPacketsReceived += 1
        guard packet.byteCount >= 5, packet.byteCount == 5 + Int(packet.u16(at: 3)) else {
            counters.malformedPackets += 1
            return
        }
        let word = packet.u16(at: 1)
        let handle = word & 0x0FFF
        let fragment = packet.extracting(5..<packet.byteCount)
        // Packet_Boundary_Flag 0b01 is a continuing fragment. Vol 4, Part E, 5.4.2.
        guard let receipt = links.received(fragment, isFirst: word >> 12 & 3 != 1, on: handle) else {
            counters.unknownHandles += 1
            if state == .ready { early.hold(packet, on: handle, at: now) }
            return
        }
        switch receipt.result {
        case .whole:
            receivedFrame(fragment, receipt, on: handle, at: now)
        case .recombined:
            let frame = links[handle]?.recombination.frame ?? []
            receivedFrame(frame.span.bytes, receipt, on: handle, at: now)
        case .incomplete:
            break
        case .dropped(let fault):
            counters.droppedFragments += 1
            if case .tooLong(_, let channel) = fault { receivedOverlong(fragment, on: channel, of: handle, at: now) }
        }
    }

    /// The link's event has come. Data that came before the event is the link's.
    mutating func receiveEarlyData(of handle: UInt16, at now: MonotonicTime) {
        for packet in early.take(handle, at: now) where links[handle]?.isEnding == false {
            receivedACL(packet.span.bytes, at: now)
        }
    }

    private mutating func receivedFrame(
        _ frame: RawSpan, _ receipt: Link.Receipt, on handle: UInt16, at now: MonotonicTime
    ) {
        let payload = frame.extracting(L2CAPFrame.headerLength..<frame.byteCount)
        switch ChannelIdentifier(rawValue: frame.u16(at: 2)) {
        case .attributeProtocol:
            receivedATT(payload, receipt, on: handle, at: now)
        case .leSignalling:
            receivedSignalling(payload, on: handle, at: now)
        case .securityManager:
            receivedPairing(payload, on: handle, at: now)
        case let channel:
            receivedChannel(payload, on: channel, of: handle, at: now)
        }
    }

    /// Most PDUs are values. They are handled without access to the link itself.
    private mutating func receivedATT(
        _ pdu: RawSpan, _ receipt: Link.Receipt, on handle: UInt16, at now: MonotonicTime
    ) {
        guard pdu.byteCount > 0 else {
            counters.unexpectedPDUs += 1
            return
        }
        let opcode = ATTOpcode(rawValue: pdu.u8(at: 0))
        if !receipt.usesBond, opcode.carriesValues, bonds.contains(receipt.peer) {
            counters.valuesBlocked += 1
            // The peer is to go on all the same, so an indication is confirmed. GAP/SEC/SEM/BV-56-C and the tests after
            // it.
            if opcode == .indication {
                send([ATTOpcode.confirmation.rawValue], on: .attributeProtocol, to: handle)
                pump(at: now)
            }
            return
        }
        switch opcode {
        case .notification, .indication:
            guard pdu.byteCount >= 3 else {
                counters.unexpectedPDUs += 1
                return
            }
            let isIndication = opcode == .indication
            var number: IndicationNumber?
            if isIndication, pdu.u16(at: 1) == links[handle]?.gatt.serviceChangedHandle {
                receivedServiceChanged(pdu.extracting(3..<pdu.byteCount), on: handle, at: now)
                return
            }
            if isIndication {
                counters.indications += 1
                guard !receipt.clients.isEmpty else {
                    // No client takes the value. The peer is to go on all the same.
                    counters.unexpectedPDUs += 1
                    send([ATTOpcode.confirmation.rawValue], on: .attributeProtocol, to: handle)
                    pump(at: now)
                    return
                }
                number = links[handle]?.owed.record(for: receipt.clients)
            } else {
                counters.notifications += 1
            }
            events.appendValue(
                receipt.link, handle: pdu.u16(at: 1), pdu.extracting(3..<pdu.byteCount), indication: number,
                for: receipt.clients)
        case .multipleHandleValueNotification:
            receivedValues(pdu.extracting(1..<pdu.byteCount), receipt)
        default:
            let octets = pdu.array(0..<pdu.byteCount)[...]
            // Responses have odd opcodes, requests, commands and the confirmation even ones. Vol 3, Part F, 3.4.8.
            if opcode.rawValue & 1 == 1 {
                guard links[handle]?.believesAnswers == true else {
                    counters.unexpectedPDUs += 1
                    return
                }
                let effects = links[handle]?.gatt.received(octets, at: now) ?? []
                perform(effects, on: handle, at: now)
            } else {
                receivedRequest(octets, on: handle, at: now)
            }
            pump(at: now)
        }
    }

    /// Each value with its handle and its length. Vol 3, Part F, 3.4.7.4.
    private mutating func receivedValues(_ list: RawSpan, _ receipt: Link.Receipt) {
        var offset = 0
        repeat {
            guard list.byteCount - offset >= 4 else { break }
            let start = offset + 4
            let end = start + Int(list.u16(at: offset + 2))
            guard end <= list.byteCount else { break }
            counters.notifications += 1
            events.appendValue(
                receipt.link, handle: list.u16(at: offset), list.extracting(start..<end), indication: nil,
                for: receipt.clients)
            offset = end
        } while offset < list.byteCount
        // A value that is cut off does not count.
        if offset == 0 || offset < list.byteCount { counters.unexpectedPDUs += 1 }
    }

    // MARK: Events

    private mutating func receivedEvent(_ packet: RawSpan, at now: MonotonicTime) {
        counters.eventsReceived += 1
        if packet.byteCount > 3, HCIEventCode(rawValue: packet.u8(at: 1)) == .leMeta {
            let subevent = LESubeventCode(rawValue: packet.u8(at: 3))
            if subevent == .advertisingReport || subevent == .extendedAdvertisingReport {
                receivedReports(packet, at: now)
                return
            }
        }
        guard let event = try? HCIEvent(decoding: packet.array(1..<packet.byteCount)[...]) else {
            counters.malformedPackets += 1
            return
        }
        handle(event, at: now)
        pump(at: now)
    }

    private mutating func receivedReports(_ packet: RawSpan, at now: MonotonicTime) {
        do {
            try AdvertisingReport.forEach(in: packet) { report in
                counters.advertisingReports += 1
                guard state == .ready else { return }
                let identified = identify(report)
                if scan.hasDemand { scan.received(identified, in: packet, at: now, into: &events) }
                if initiator.wantsRadio, report.properties.contains(.connectable) {
                    initiator.sighted(report.address, at: now)
                }
            }
        } catch {
            counters.malformedPackets += 1
        }
        if wishes.takeNewTarget() { pump(at: now) }
    }

    private mutating func handle(_ event: HCIEvent, at now: MonotonicTime) {
        switch event {
        case .commandComplete(let credits, let opcode, let parameters):
            if let purpose = outbound.answered(opcode, credits: credits) {
                radio.answered(opcode)
                answered(opcode, purpose, parameters, at: now)
            }
        case .commandStatus(let status, let credits, let opcode):
            if let purpose = outbound.answered(opcode, credits: credits) {
                radio.answered(opcode)
                answered(opcode, purpose, [status.rawValue], at: now)
            }
        case .numberOfCompletedPackets(let list):
            outbound.completed(list, at: now)
        case .disconnectionComplete(let status, let handle, let reason):
            // A failed Disconnect leaves the link unchanged.
            if status == .success {
                let wasPeripheral = links[handle]?.role == .peripheral
                recordPairingLost(on: handle, at: now)
                if links[handle] != nil { early.ended(handle, at: now) }
                removeLink(handle, reason: reason, at: now)
                if wasPeripheral { advertising.hurry(at: now) }
            } else {
                links[handle]?.ending.failed(nextAt: now + Self.endRetry)
            }
        case .advertisingSetTerminated(let termination):
            advertisingTerminated(termination, at: now)
        case .connectionComplete(let completion):
            connectionCompleted(completion, at: now)
        case .hardwareError(let code):
            counters.hardwareErrors += 1
            radio.brokeDown(at: now)
            fail("the controller reported hardware error \(code)")
        case .longTermKeyRequest(let handle, let rand, let ediv):
            keyRequested(handle, rand: rand, ediv: ediv, at: now)
        case .encryptionChange(let status, let handle, let isEnabled, let keySize):
            encryptionChanged(status, on: handle, isEnabled: isEnabled, keySize: keySize, at: now)
        case .encryptionKeyRefreshComplete(let status, let handle):
            encryptionChanged(status, on: handle, isEnabled: true, keySize: nil, at: now)
        case .remoteConnectionParameterRequest(let request):
            answer(request, at: now)
        case .dataBufferOverflow:
            counters.malformedPackets += 1
        // The link ends, and its end follows. The peer has not answered the procedure.
        case .connectionUpdateComplete(let completion) where completion.status.endsLinks: break
        case .readRemoteFeaturesComplete(let status, _, _) where status.endsLinks: break
        case .phyUpdateComplete(let status, _, _, _) where status.endsLinks: break
        case .connectionUpdateComplete(let completion):
            parametersChanged(completion, at: now)
            updated(completion.handle)
        case .readRemoteFeaturesComplete(let status, let handle, let features):
            remoteFeatures(status == .success ? features : nil, on: handle, at: now)
        case .dataLengthChange(let handle, let transmit, let receive):
            dataLengthChanged(on: handle, transmit: transmit, receive: receive, at: now)
        case .phyUpdateComplete(let status, let handle, let transmit, let receive):
            phyUpdated(status, on: handle, transmit: transmit, receive: receive, at: now)
        case .unknown, .unknownLE:
            // Nothing here depends on these events yet. The capture has them.
            break
        }
    }

    /// A controller has one request of this kind a link at a time. Further requests, before it has taken the answer,
    /// stay unanswered, so that no peer fills the command queue.
    private mutating func answer(_ request: LERemoteConnectionParameterRequest, at now: MonotonicTime) {
        let replies = [
            HCIOpcode.leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
        ]
        guard let (link, peer) = links[request.handle].map({ ($0.id, $0.peer) }),
            !outbound.repliesToParameters(of: link),
            !replies.contains(where: radio.commands.isLeftOut)
        else { return }
        let update = SignallingPDU.ParameterUpdate(
            minimumInterval: request.minimumInterval, maximumInterval: request.maximumInterval,
            latency: request.latency, timeout: request.timeout)
        if acceptsParameters(of: peer, at: now), let parameters = SignallingMachine.accepted(update) {
            submit(
                LERemoteConnectionParameterRequestReply(handle: request.handle, parameters: parameters),
                for: .parameterReply(link))
        } else {
            submit(
                LERemoteConnectionParameterRequestNegativeReply(handle: request.handle), for: .parameterReply(link))
        }
    }
}
