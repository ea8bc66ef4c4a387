// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SensorCipher

/// The UUIDs and the cipher of the battery monitor kind: Leagend's BM6, as JeffWDH/bm6-battery-monitor has found it out.
package enum BatteryMonitorService {
    package static let service = BluetoothUUID(0xFFF0 as UInt16)
    /// The client's commands; write, write without response.
    package static let command = BluetoothUUID(0xFFF3 as UInt16)
    /// The answers and the values; notify.
    package static let value = BluetoothUUID(0xFFF4 as UInt16)
    /// The key of all sensors of the model. The initialization vector is zeros.
    package static let key: [UInt8] = Array("leagend".utf8) + [0xFF, 0xFE] + Array("0100009".utf8)
    /// The head of the command for values, and of each answer.
    static let head: [UInt8] = [0xD1, 0x55, 0x07]

    package static func seal(_ octets: [UInt8]) -> [UInt8] {
        PacketCipher.sealCBC(octets, key: key, initial: [UInt8](repeating: 0, count: 16))
    }

    static func open(_ octets: [UInt8]) -> [UInt8]? {
        PacketCipher.openCBC(octets, key: key, initial: [UInt8](repeating: 0, count: 16))
    }

    /// An answer: 16 octets, enciphered.
    static func answer(_ octets: [UInt8]) -> [UInt8] {
        let plain = head + octets
        return seal(plain + [UInt8](repeating: 0, count: max(0, 16 - plain.count)))
    }
}

extension VirtualSensor {
    /// Confirms the command for values, and sends values from then on. The sensor ignores all else.
    func receiveCommand(_ value: [UInt8]) {
        let stream = values.measured.lowerBound
        guard BatteryMonitorService.open(value)?.starts(with: BatteryMonitorService.head) == true,
            let bearer, bearer.server.isSubscribed(stream), bearer.hasRoom(for: 1)
        else { return }
        publish(BatteryMonitorService.answer([0xFF]), on: stream)
        commanded()
    }
}
