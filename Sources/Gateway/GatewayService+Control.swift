// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Logging

/// What clients of the control socket are told.
extension GatewayService {
    package var status: GatewayStatus {
        let configuration = self.configuration
        return GatewayStatus(
            gateway: configuration.gateway, version: GatewayVersion.current,
            uptimeS: Int((ContinuousClock.now - began) / .seconds(1)), clock: clock.stamp().quality.rawValue,
            controller: .init(
                name: configuration.bluetooth.controller, state: controller.statusDescription,
                counters: controller.statistics.counters),
            collector: collector.status, journal: bufferStatistics,
            mqtt: slot.publisher?.statistics
                ?? PublisherStatistics(broker: configuration.mqtt.addresses[0].description),
            bondProblems: controller.bondProblems, time: clock.status)
    }

    private func setClock(_ request: ControlRequest) throws -> [UInt8] {
        let failure: String
        switch request.unixMs.map({ clock.trust(unixMilliseconds: $0, insists: request.force == true) }) {
        case .taken:
            clockKeeper.look()
            return try ControlCoding.encode(ControlResponse.success(clock.status))
        case .notNeeded(let difference):
            failure =
                "the system's clock counts as right already, and stays; "
                + "what was given is \(difference) ms ahead of it"
        case .doubtful(let doubt): failure = "\(doubt); if it is right all the same, insist on it with --force"
        case .implausible: failure = "no reading is given a time before 15 September 2025 or after the year 2099"
        case nil: failure = #"the request has no "unix_ms""#
        }
        return try ControlCoding.encode(ControlResponse<ClockStatus>.failure(failure))
    }

    /// The journal's books, and those of each sensor.
    package var bufferStatistics: JournalStatistics {
        var books = journal.statistics
        books.sensors = journal.sensorBooks
        return books
    }

    /// Holds history up, lets it go, or sends all of it.
    private func answerHistory(_ request: ControlRequest) throws -> [UInt8] {
        let mode: HistoryMode =
            switch ControlRequest.Command(rawValue: request.command) {
            case .historyPause: .paused
            case .historyDrain: .draining
            default: .normal
            }
        slot.setHistory(mode)
        return try ControlCoding.encode(
            ControlResponse.success(HistoryAnswer(mode: mode, buffered: journal.statistics.buffered)))
    }

    /// Begins the dialogue that a line of the control socket asks for.
    func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard let request = try? ControlCoding.decode(ControlRequest.self, from: line),
            ControlRequest.Command(rawValue: request.command) == .pair, !isStopped
        else { return nil }
        let passkey = request.passkey.flatMap { CBPasskey($0) }
        let dialogue = PairingDialogue(passkey: passkey)
        let control = dialogue.makeControl()
        if request.passkey != nil, passkey == nil {
            dialogue.fail("a passkey has six digits")
        } else if let trouble = collector.controllerTrouble {
            // Nobody has to wait for a sensor that cannot be heard.
            dialogue.fail("the controller is not ready: \(trouble)")
        } else {
            collector.pair(request.device ?? "", dialogue)
        }
        return control
    }

    /// Answers one line of the control socket.
    func answer(_ line: [UInt8]) -> [UInt8] {
        do {
            guard let request = try? ControlCoding.decode(ControlRequest.self, from: line) else {
                let wanted = #"the request is no JSON object with a "command""#
                return try ControlCoding.encode(ControlResponse<String>.failure(wanted))
            }
            switch ControlRequest.Command(rawValue: request.command) {
            case .status: return try ControlCoding.encode(ControlResponse.success(status))
            case .bufferStats: return try ControlCoding.encode(ControlResponse.success(bufferStatistics))
            case .historyPause, .historyResume, .historyDrain: return try answerHistory(request)
            case .bufferPurge:
                guard let purged = journal.purge() else {
                    let reason = journal.statistics.problem ?? "the gateway is stopping"
                    return try ControlCoding.encode(ControlResponse<String>.failure(reason))
                }
                return try ControlCoding.encode(ControlResponse.success(BufferPurge(purged: purged)))
            case .bufferCompact:
                guard let compaction = journal.compact() else {
                    let reason = journal.statistics.problem ?? "the gateway is stopping"
                    return try ControlCoding.encode(ControlResponse<String>.failure(reason))
                }
                return try ControlCoding.encode(ControlResponse.success(compaction))
            case .bonds: return try ControlCoding.encode(ControlResponse.success(collector.bondList))
            case .unpair:
                switch collector.unpair(request.device ?? "") {
                case .success(let bond): return try ControlCoding.encode(ControlResponse.success(bond))
                case .failure(let error):
                    return try ControlCoding.encode(ControlResponse<BondStatus>.failure(error.description))
                }
            case .clock: return try ControlCoding.encode(ControlResponse.success(clock.status))
            case .clockSet: return try setClock(request)
            case .pair: return try ControlCoding.encode(ControlResponse<String>.failure("the gateway is stopping"))
            case nil: return try ControlCoding.encode(ControlResponse<String>.failure("unknown command"))
            }
        } catch {
            logger.error("answer could not be encoded", metadata: ["error": "\(error)"])
            return Array(#"{"error":"internal error","ok":false}"#.utf8)
        }
    }
}
