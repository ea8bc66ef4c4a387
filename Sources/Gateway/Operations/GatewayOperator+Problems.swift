// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Health
import Journal
import Operations
import Platform
import Readings

extension GatewayOperator {
    /// Seconds of an acknowledgement or a maintenance.
    package static let lengths = 60.0...31_536_000.0

    /// Takes note that an operator knows of problems.
    ///
    /// - Parameters:
    ///   - name: A problem's name, its code, or the label of its line in the status: the sensor, or the part.
    ///   - seconds: Nil: until the problem is over.
    package func acknowledge(
        _ name: String, for seconds: Double?, ends: Bool
    ) async throws(OperationError) -> AcknowledgedProblems {
        let length = try seconds.map { seconds throws(OperationError) in try Self.milliseconds(seconds) }
        let problems = await status().problems ?? []
        let found = Set(
            problems.filter { problem in
                let label = problem.sensor ?? problem.part
                return [ProblemName(problem).description, problem.code.rawValue, label].contains(name)
            }.filter { $0.code != .sensorMaintenance }.map { ProblemName($0) })
        guard !found.isEmpty else {
            let names = problems.prefix(8).map { ProblemName($0).description }.joined(separator: ", ")
            throw OperationError(
                .notFound,
                "no problem is called \(quoted(String(name.prefix(64))))"
                    + (names.isEmpty ? ": there is none" : "; there are \(names)"))
        }
        let until = length.map { gateway.clock.stamp().uptimeMilliseconds.addingSaturated($0) }
        let isDone = gateway.inquiries.health.change { word in
            var isDone = true
            for problem in found {
                if ends {
                    _ = word.withdraw(problem)
                } else if !word.acknowledge(problem, until: until) {
                    isDone = false
                }
            }
            return isDone
        }
        guard isDone else {
            throw OperationError(.refused, "\(OperatorWord.capacity) problems are acknowledged already")
        }
        gateway.keepOperatorWord()
        return AcknowledgedProblems(
            problems: found.map(\.description).sorted(), forMs: ends ? nil : length, isEnded: ends ? true : nil)
    }

    /// Puts a sensor into maintenance, for so many seconds.
    ///
    /// - Parameter seconds: Nil ends it.
    package func maintain(_ sensor: String, for seconds: Double?) async throws(OperationError) -> SensorMaintenance {
        let length = try seconds.map { seconds throws(OperationError) in try Self.milliseconds(seconds) }
        // The maintenance of a sensor that was removed meanwhile ends, too.
        if length == nil, gateway.inquiries.health.change({ $0.endMaintenance(of: sensor) }) {
            gateway.keepOperatorWord()
            return SensorMaintenance(sensor: sensor, forMs: nil)
        }
        let known: String
        switch try await named(sensor) {
        case .success(.sensor(let sensor)): known = sensor.id
        case .success(.awaited(let entry)): known = entry.entry
        case .failure(let error): throw OperationError(.notFound, error.description)
        }
        guard let length else {
            guard gateway.inquiries.health.change({ $0.endMaintenance(of: known) }) else {
                throw OperationError(.notFound, "\(quoted(known)) is not in maintenance")
            }
            gateway.keepOperatorWord()
            return SensorMaintenance(sensor: known, forMs: nil)
        }
        let until = gateway.clock.stamp().uptimeMilliseconds.addingSaturated(length)
        guard gateway.inquiries.health.change({ $0.maintain(known, until: until) }) else {
            throw OperationError(.refused, "\(OperatorWord.capacity) sensors are in maintenance already")
        }
        gateway.keepOperatorWord()
        return SensorMaintenance(sensor: known, forMs: length)
    }

    private static func milliseconds(_ seconds: Double) throws(OperationError) -> Int64 {
        guard lengths.contains(seconds) else {
            throw OperationError(.notValid, "a time is 60 s to 365 d long")
        }
        return Int64(seconds * 1_000)
    }
}

extension GatewayService {
    /// Keeps the word of operators over a restart.
    func keepOperatorWord() { inquiries.health.keep(in: journal, operatorEnds) }

    /// Takes the word of a former run.
    func loadOperatorWord() {
        journal.whenOpen { [weak self] in
            guard let self else { return }
            inquiries.health.load(from: journal, operatorEnds)
        }
    }

    /// Looks whether the clock was set.
    func mindOperatorWord() { inquiries.health.mind(operatorEnds, in: journal) }

    private var operatorEnds: HealthKeeper.Ends {
        let stamp = clock.stamp()
        let unix = stamp.unixMilliseconds ?? clock.systemMilliseconds
        return HealthKeeper.Ends(
            offset: unix.subtractingSaturated(stamp.uptimeMilliseconds), boot: stamp.boot, now: stamp.uptimeMilliseconds
        )
    }
}
