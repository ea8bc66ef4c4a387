// SPDX-License-Identifier: Apache-2.0

// The examples of README.md, with its only import; a test compares them.
import CoreBluetooth

final class Thermometers: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return print("not yet: \(central.stateReason)") }
        central.scanForPeripherals(withServices: [CBUUID(string: "1809")])
    }
}

func listen() {
    CBController.default = CBController(transport: .hci(1), stateDirectory: "/var/lib/thermometers")
    let thermometers = Thermometers()
    let central = CBCentralManager(delegate: thermometers, queue: nil)
    withExtendedLifetime((thermometers, central)) {
        dispatchMain()
    }
}

func followHeartRate() async throws {
    let central = CBCentralManager()
    try await central.waitUntilPoweredOn()
    let strap = try await central.peripheral(reconnectingTo: [], orAdvertising: [CBUUID(string: "180D")])
    let rate = try await strap.characteristic(CBUUID(string: "2A37"), in: CBUUID(string: "180D"))
    for try await value in strap.notifications(for: rate) { print(value[1], "bpm") }
}

func openWindow() {
    var policy = CBPairingPolicy()  // nobody starts a pairing
    policy.incoming = .openFor(.seconds(120))  // but for two minutes; an agent is asked: setPairingAgent(_:)
    CBController.default.pairingPolicy = policy
}
