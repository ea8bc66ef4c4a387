// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Platform

/// A controller that refuses to scan may still connect: an entry with an address needs no sighting of its sensor.
extension Collector {
    /// A refusal of the scan shows before this time is over.
    static let refusalLook: Duration = .seconds(5)
    /// In the log and in the history of a sensor.
    static let unheardStep = "by its address, as the controller does not scan"

    func connectUnheard(after pause: Duration) {
        loop.run(at: now + .milliseconds(Int(pause.wholeMilliseconds))) { [weak self] in self?.connectUnheard() }
    }

    private func connectUnheard() {
        guard let manager, manager.state == .poweredOn, !isStopping, refusesToScan else { return }
        for rule in rules where !rule.namesNothing && canMatchMore(rule) {
            guard let value = rule.address else { continue }
            for kind in Self.kinds(of: value) {
                let peripheral = manager.peripheral(atDevice: DeviceAddress(kind: kind, value: value))
                accept(
                    peripheral, rule: rule, candidate: candidate(peripheral), isProven: false, step: Self.unheardStep)
            }
        }
    }

    var refusesToScan: Bool { controller.health.refusals?.contains { $0.use == .scan } == true }

    /// An entry does not name the kind of its address. Random static addresses have two bits set, and some public
    /// addresses have them set, too. Core 5.4, Vol 6, Part B, 1.3.2.1.
    private static func kinds(of address: UInt64) -> [DeviceAddress.Kind] {
        address >> 46 == 0b11 ? [.public, .random] : [.public]
    }
}
