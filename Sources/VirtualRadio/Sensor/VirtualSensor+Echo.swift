// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The UUIDs of the echoing serial line: Nordic's UART service, which many boards have.
package enum UARTService {
    package static let service = BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    /// The client's octets; write, write without response.
    package static let receive = BluetoothUUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    /// The echoed octets; notify.
    package static let transmit = BluetoothUUID(high: 0x6E40_0003_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
}

extension VirtualSensor {
    /// Values that wait for their way back. A client that sends faster than it listens loses the rest.
    private static let echoCapacity = 1024

    func echo(_ value: [UInt8], on stream: Int) {
        guard let bearer, bearer.server.isSubscribed(stream) else { return }
        guard bearer.echoes.count < Self.echoCapacity else {
            violations.record("more was written than can be sent back")
            return
        }
        self.bearer?.echoes.append((value, stream))
        sendEchoes()
    }

    func sendEchoes() {
        while bearer?.hasRoom(for: 1) == true, let echo = bearer?.echoes.popFirst() {
            publish(echo.value, on: echo.stream)
            sequence &+= 1
        }
    }
}
