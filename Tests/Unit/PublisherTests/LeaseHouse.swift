// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Testing

@testable import Publisher

/// Gateways in a house, with a clock for all of them.
struct LeaseHouse {
    var machines: [String: LeaseMachine] = [:]
    /// Seconds.
    var now = 1_000
    var retained: [String: SensorLease] = [:]
    /// Gateways with a connection to the broker.
    var connected: Set<String> = []
    /// How much each gateway's clock is ahead, in milliseconds; nil does not know the time.
    var clocks: [String: Int64?] = [:]
    var dropped: [String: [Int64]] = [:]
    var complaints: [String: Int] = [:]
    /// Gateways that can neither send nor receive.
    var deaf: Set<String> = []

    func time(_ second: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000) }
    func wall(_ gateway: String) -> Int64? {
        let clock = clocks[gateway] ?? 0
        return clock.map { Int64(now) * 1_000 + $0 }
    }

    mutating func start(_ gateway: String, _ devices: String...) {
        machines[gateway] = LeaseMachine(gateway: gateway)
        connect(gateway)
        for device in devices { hear(device, by: gateway) }
    }

    mutating func connect(_ gateway: String, retains: Bool = true) {
        connected.insert(gateway)
        let time = time(now)
        machines[gateway]?.connected([String](), retains: retains, at: time)
    }

    mutating func cut(_ gateway: String) {
        connected.remove(gateway)
        machines[gateway]?.disconnected()
    }

    mutating func hear(_ device: String, by gateway: String, rssi: Int = -60, isPresent: Bool = true) {
        let time = time(now)
        machines[gateway]?.record(device, rssi: rssi, at: time)
        machines[gateway]?.record(device, isPresent: isPresent, at: time)
    }

    /// Lets seconds pass, and delivers their messages.
    mutating func pass(_ seconds: Int, _ each: (inout Self) -> Void = { _ in }) {
        for _ in 0..<seconds {
            now += 1
            each(&self)
            for gateway in machines.keys.sorted() { act(gateway) }
            // Handles the received messages, too; a machine that asks for an immediate turn would ask for ever.
            for gateway in machines.keys.sorted() {
                act(gateway)
                if let due = machines[gateway]?.nextDue { #expect(due > time(now), "\(gateway) at \(now)") }
            }
        }
    }

    mutating func act(_ gateway: String) {
        let (time, wall) = (time(now), wall(gateway))
        for wish in machines[gateway]?.takeDue(at: time, wall: wall, spread: 1) ?? [] {
            switch wish {
            case .subscribe(let devices) where !deaf.contains(gateway):
                for device in devices {
                    guard let lease = retained[device] else { continue }
                    receive(lease, device, gateway, isRetained: true)
                }
            case .say(let lease, let device) where !deaf.contains(gateway): say(lease, device)
            case .drop(let rows): dropped[gateway, default: []] += rows
            case .unheard: complaints[gateway, default: 0] += 1
            case .subscribe, .say, .changed: break
            }
        }
    }

    mutating func say(_ lease: SensorLease?, _ device: String) {
        retained[device] = lease
        for other in connected.sorted() where !deaf.contains(other) {
            receive(lease, device, other, isRetained: false)
        }
    }

    private mutating func receive(_ lease: SensorLease?, _ device: String, _ gateway: String, isRetained: Bool) {
        let (time, wall) = (time(now), wall(gateway))
        machines[gateway]?.received(
            lease, of: device, isRetained: isRetained, at: time, wall: wall, spread: 1)
    }

    /// The gateways that consider themselves the owner.
    func owners(_ device: String = "s") -> [String] {
        machines.filter { $0.value.sensors[device]?.owner == .us }.map(\.key).sorted()
    }
}
