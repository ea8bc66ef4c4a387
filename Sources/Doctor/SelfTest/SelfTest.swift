// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Glibc
import HCI
import HCITransport
import Platform
import Synchronization

/// Measures a board, for people who want to know, or to publish, its quality. The adapter has to be free.
package struct SelfTest: Sendable {
    /// The longest time for the set-up of an adapter.
    private static let patience: Duration = .seconds(15)

    let surroundings: Surroundings
    /// The controller's name in the configuration.
    let controller: String
    /// The controller's transport.
    let transport: CBController.Transport
    /// The folder for the disk test.
    let folder: String
    /// How long to listen.
    let time: Duration
    /// Addresses of sensors to connect to.
    let sensors: Set<String>
    var linkLimits = LinkProbe.Limits()

    package init(
        _ surroundings: Surroundings = Surroundings(), controller: String, transport: CBController.Transport,
        folder: String, time: Duration, sensors: Set<String> = []
    ) {
        (self.surroundings, self.sensors) = (surroundings, sensors)
        (self.controller, self.transport, self.folder, self.time) = (controller, transport, folder, time)
    }

    /// Calls `progress` with each measurement before it begins. Blocks for ``time`` and a few seconds.
    package func run(progress: (String) -> Void = { _ in }) -> SelfTestReport {
        progress("disk")
        var report = SelfTestReport(version: GatewayVersion.current, board: board)
        do {
            report.disk = try PathOwner.run(at: folder) { try DiskProbe.measure(in: folder) }
        } catch {
            report.diskProblem = "\(error)"
        }
        progress("adapter")
        // A sensor may keep only one bond, and needs it for its gateway.
        let host = CBController(transport: transport, stateDirectory: nil, pairing: .neverByItself, words: .here)
        defer { host.shutdown() }
        let begin = ContinuousClock.now
        let count = AdvertisementCount(host)
        guard count.begin(within: Self.patience) else {
            report.adapterProblem =
                "not ready within \(Int(Self.patience / .seconds(1))) s: \(host.statusDescription). One that answers nothing has no "
                + "power, no firmware, or another speed than the line"
            return report
        }
        let ready = begin.duration(to: .now)
        report.adapter = adapter(host, readyMs: Int(ready / .milliseconds(1)))
        progress("advertisements, \(Int(time / .seconds(1))) s")
        report.advertisements = count.end(after: time)
        guard !sensors.isEmpty else { return report }
        progress("links to \(sensors.count) sensors")
        report.links = LinkProbe(host, addresses: sensors, limits: linkLimits).measure()
        return report
    }

    private var board: SelfTestReport.Board {
        let memory = surroundings.text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
            .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        let bits = surroundings.line("/sys/devices/platform/soc/soc:firmware/get_throttled")
            .flatMap { UInt32($0, radix: 16) }
        return SelfTestReport.Board(
            model: surroundings.model, kernel: surroundings.line("/proc/sys/kernel/osrelease"),
            processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), memoryMib: memory.map { $0 / 1_024 },
            temperatureC: surroundings.line("/sys/class/thermal/thermal_zone0/temp").flatMap(Double.init)
                .map { $0 / 1_000 },
            wasUndervolted: bits.map { $0 & (1 | 1 << 16) != 0 }, hasRtc: surroundings.exists("/dev/rtc0"),
            isClockSynchronized: surroundings.isClockSynchronized())
    }

    private func adapter(_ host: CBController, readyMs: Int) -> SelfTestReport.Adapter {
        let answer = Mutex(ControllerInformation())
        let isThere = DispatchSemaphore(value: 0)
        host.askForInformation { information in
            answer.withLock { $0 = information }
            isThere.signal()
        }
        isThere.wait()
        let information = answer.withLock { $0 }
        var bus: String?
        if case .hci(let index) = TransportAddress(controller) {
            bus = surroundings.target(of: "/sys/class/bluetooth/hci\(index)/device")
                .flatMap { surroundings.target(of: "\($0)/subsystem") }?.split(separator: "/").last.map(String.init)
        }
        return SelfTestReport.Adapter(
            bus: bus, company: String(format: "%04x", Int(information.companyIdentifier)),
            hciVersion: Int(information.hciVersion),
            hasExtendedAdvertising: information.features.contains(.extendedAdvertising),
            hasCodedPhy: information.features.contains(.leCoded),
            resolvesPrivateAddresses: information.features.contains(.llPrivacy),
            scansWhileInitiating: information.scansWhileInitiating, aclCount: information.aclCount,
            aclLength: information.aclLength, acceptListSize: information.acceptListSize, readyMs: readyMs)
    }
}
