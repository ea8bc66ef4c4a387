// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Platform
import Readings

/// How often the two sides of a link meet, by the wanted interval of values. Each meeting costs the sensor's battery.
struct LinkPace: Equatable, Sendable {
    /// After this many changed links that ended soon, the sensor's links stay unchanged.
    static let failureLimit = 2
    /// An end within this many milliseconds counts as soon.
    static let trial: Int64 = 60_000
    /// A faster link still has the gateway's initial parameters. A slower link has the pace that the sensor asked for,
    /// so it stays unchanged.
    static let unasked: Duration = .milliseconds(60)

    /// The time when the present link was made slower, in milliseconds since boot.
    private var changedAt: Int64?
    /// How often a slower link ended soon.
    private(set) var failures = 0

    /// The present link is unchanged, and may be changed.
    var isOpen: Bool { changedAt == nil && failures < Self.failureLimit }

    /// The present link is made slower.
    mutating func changed(at now: Int64) { changedAt = now }

    /// Nil: the link stays unchanged. `interval`: the wanted or actual milliseconds between values.
    static func parameters(interval: Int64) -> CBConnectionParameters? {
        switch interval {
        case ..<2_000: nil
        case ..<10_000:
            CBConnectionParameters(
                interval: .milliseconds(200)...(.milliseconds(250)), latency: 0, timeout: .seconds(5))
        default:
            CBConnectionParameters(
                interval: .milliseconds(400)...(.milliseconds(500)), latency: 0, timeout: .seconds(6))
        }
    }

    /// The link has ended, `byPeer` or by the radio.
    mutating func ended(byUs: Bool, at now: Int64) {
        guard let changedAt else { return }
        if !byUs, now.subtractingSaturated(changedAt) <= Self.trial { failures += 1 }
        self.changedAt = nil
    }
}

extension Collector {
    /// Measures the pace of a link, counts its cost, and makes the link slower if no client needs the speed.
    func lookAtPace(of sensor: LinkedSensor) {
        let peripheral = sensor.peripheral
        let identifier = sensor.candidate.identifier
        Task { [weak self] in
            guard let information = try? await peripheral.linkInformation(timeout: .seconds(5)), let self else {
                return
            }
            queue.async {
                if let sensor = self.linked[identifier] { self.judgePace(of: sensor, information) }
            }
        }
    }

    private func judgePace(of sensor: LinkedSensor, _ link: CBLinkInformation) {
        let now = uptime
        guard sensor.hasLink, sensor.link == .collecting else { return }
        sensor.record.runs(every: link.interval * (link.latency + 1), at: now)
        guard slots.shortage == nil, sensor.record.mayBeSlower(than: link.interval, at: now),
            !sensor.pairing.isUnderway, let interval = sensor.wantedInterval ?? sensor.readings.usualMs,
            let parameters = LinkPace.parameters(interval: interval)
        else { return }
        sensor.record.madeSlower(at: now)
        logger.debug(
            "the link is made slower", metadata: sensor.metadata.merging(["value.every_ms": "\(interval)"]) { $1 })
        manager?.setConnectionParameters(parameters, for: sensor.peripheral)
    }
}
