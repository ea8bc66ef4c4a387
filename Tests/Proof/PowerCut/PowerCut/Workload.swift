// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Logging
import Platform
import Readings
import Synchronization
import TestMaterials

@testable import Journal

/// A gateway's day in seconds: many sensors, a broker with outages, restarts, and a journal that runs full.
///
/// It drives the real journal as collector and publisher do, and marks the journal's promises in the recording.
package struct Workload: Sendable {
    package var configuration: JournalConfiguration
    package var seed: UInt64
    /// Bursts of readings, about one transaction each.
    package var bursts: Int
    package var sensors = 40
    /// The broker is away in the first and every second of these spans, in bursts.
    package var brokerSpan = 130
    /// Bursts between two restarts of the machine.
    package var restartSpan = 310

    package init(configuration: JournalConfiguration, seed: UInt64, bursts: Int) {
        self.configuration = configuration
        self.seed = seed
        self.bursts = bursts
    }

    /// A journal that commits often and holds few rows, so that it has many events.
    package static func busy(
        path: String, durability: JournalConfiguration.Durability, seed: UInt64, bursts: Int
    ) -> Workload {
        let configuration = JournalConfiguration(
            path: path, commitRows: 20, commitInterval: .milliseconds(2), durability: durability, queueCapacity: 1_000,
            maximumRows: 800)
        return Workload(configuration: configuration, seed: seed, bursts: bursts)
    }

    /// - Returns: the books as they were before the journal was closed.
    package func run(_ recording: Recording) throws -> JournalStatistics {
        var run = try Run(self, recording)
        for burst in 0..<bursts {
            if burst % restartSpan == restartSpan - 1 { try run.restart() }
            run.receive()
            if !(burst / brokerSpan).isMultiple(of: 2) { try run.publish() }
            run.look(at: burst)
        }
        return run.end()
    }

    /// The value of a reading holds its number.
    package static func value(of reading: ReadingNumber, padding: Int) -> [UInt8] {
        withUnsafeBytes(of: reading.littleEndian, Array.init) + Array(repeating: 0xA5, count: padding)
    }

    /// The sensor of a reading, by chance, but reproducibly: the first sensor sends half of all readings, and the next four hardly any.
    package static func sensor(of reading: ReadingNumber, among sensors: Int) -> Int {
        let mixed = Int((reading &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 34)
        switch mixed % 400 {
        case ..<200: return 0
        case ..<(200 + quietSensors): return mixed % 400 - 199
        default: return 1 + quietSensors + mixed / 400 % (sensors - 1 - quietSensors)
        }
    }

    private static let quietSensors = 4

    package static func device(_ sensor: Int) -> String { "sensor-\(sensor)" }

    /// Rows that a full journal leaves at least to each sensor whose rows it evicts: it evicts from the sensors with the most rows, down to
    /// the depth that all together allow.
    package var share: Int { configuration.maximumRows / sensors }

    package static func reading(of value: some Collection<UInt8>) -> ReadingNumber? {
        guard value.count >= 8 else { return nil }
        return value.prefix(8).reversed().reduce(0) { $0 << 8 | ReadingNumber($1) }
    }
}

extension Workload {
    private struct Run {
        let workload: Workload
        let recording: Recording
        var dice: Dice
        var journal: Journal
        var boot = 1
        var uptime: Int64 = 1_000
        var nextReading: ReadingNumber = 0
        /// The publisher's state: its position in the journal, and the unanswered messages to the broker.
        var position: Int64 = 0
        var inFlight: [Int64] = []
        /// Rows acknowledged or given up so far.
        var settling = 0

        init(_ workload: Workload, _ recording: Recording) throws {
            self.workload = workload
            self.recording = recording
            dice = Dice(seed: workload.seed)
            journal = try Journal(
                workload.configuration, clock: .system, folders: recording.folders,
                logger: Logger(label: "workload") { _ in SilentLog() })
        }

        mutating func receive() {
            let readings = (0..<Int.random(in: 1...30, using: &dice)).map { _ in reading() }
            let numbers = Array(nextReading - ReadingNumber(readings.count)..<nextReading)
            if dice.chance(60) {
                // Earlier acknowledgements are in the same transaction as these readings, or in an earlier one.
                journal.append(readings) { [recording, settling] isDurable in
                    recording.mark(isDurable ? .confirmed(numbers) : .refused(numbers))
                    if isDurable { recording.mark(.settled(settling)) }
                }
            } else {
                journal.append(readings)
            }
        }

        private mutating func reading() -> Reading {
            uptime += Int64.random(in: 0...40, using: &dice)
            let sensor = Workload.sensor(of: nextReading, among: workload.sensors)
            let padding = dice.chance(5) ? 200 : Int.random(in: 0...20, using: &dice)
            defer { nextReading += 1 }
            return Reading(
                device: Workload.device(sensor), characteristic: ["2a6e", "2a6f", "2a37"][sensor % 3],
                source: sensor.isMultiple(of: 2) ? .notify : .indicate,
                value: Workload.value(of: nextReading, padding: padding), rssi: -60,
                stamp: TimeStamp(
                    boot: "b000000\(boot % 10)", uptimeMilliseconds: uptime,
                    unixMilliseconds: boot.isMultiple(of: 2) ? nil : 1_800_000_000_000 + uptime,
                    quality: boot.isMultiple(of: 2) ? .unsynced : .synced))
        }

        mutating func publish() throws {
            let rows = try journal.rows(after: position, limit: 100)
            if let last = rows.last {
                position = last.n
                recording.mark(
                    .handedOut(
                        rows.compactMap { row in
                            Workload.reading(of: row.value).map { HandedRow(n: row.n, reading: $0) }
                        }))
                inFlight += rows.map(\.n)
            }
            // The broker answers in any order, and not everything at once.
            inFlight.shuffle(using: &dice)
            let settled = Array(inFlight.prefix(Int.random(in: 0...inFlight.count, using: &dice)))
            guard !settled.isEmpty else { return }
            inFlight.removeFirst(settled.count)
            settling += settled.count
            if dice.chance(5) {
                recording.mark(.givenUp(settled))
                journal.drop(settled, reason: .coalesced)
            } else {
                recording.mark(.acknowledged(settled))
                journal.acknowledge(settled)
            }
        }

        /// Other events of a gateway; and now and then a pause, so that time ends a transaction, and not the number of rows.
        mutating func look(at burst: Int) {
            if dice.chance(3) { journal.setIdentifier("\(burst)", for: "key-\(burst % 5)") }
            if dice.chance(1) { journal.setOffset(1_800_000_000_000, ofBoot: "b000000\(boot % 10)") }
            if dice.chance(5) { journal.requestCommit() }
            if dice.chance(30) { usleep(3_000) }
            while journal.pendingCount > 100 { usleep(200) }
        }

        mutating func restart() throws {
            journal.close()
            recording.mark(.settled(settling))
            boot += 1
            uptime = 1_000
            position = 0
            inFlight = []
            journal = try Journal(
                workload.configuration, clock: .system, folders: recording.folders,
                logger: Logger(label: "workload") { _ in SilentLog() })
        }

        func end() -> JournalStatistics {
            let books = journal.statistics
            journal.close()
            recording.mark(.settled(settling))
            return books
        }
    }

    /// Dropped readings are a normal part of the day.
    private struct SilentLog: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {}
    }
}
