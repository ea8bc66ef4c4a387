// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension ATTPDU {
    /// The whole items of a response whose last item lacks octets; nil for all other octets. Some servers fill the PDU up with
    /// a part of an item. Core 5.4, Vol 3, Part F, 3.4.3.2, 3.4.3.4, 3.4.4.2 and 3.4.4.10.
    package init?(wholeItemsOf octets: ArraySlice<UInt8>) {
        guard let opcode = octets.first else { return nil }
        let second = octets.dropFirst().first ?? 0
        let (head, size): (Int, Int) =
            switch ATTOpcode(rawValue: opcode) {
            case .findInformationResponse: (2, second == 1 ? 4 : 18)
            case .findByTypeValueResponse: (1, 4)
            case .readByTypeResponse, .readByGroupTypeResponse: (2, Int(second))
            default: (0, 0)
            }
        guard size > 0, (octets.count - head) % size != 0 else { return nil }
        let whole = (octets.count - head) / size
        guard whole > 0, let pdu = try? Self(decoding: octets.prefix(head + whole * size)) else { return nil }
        self = pdu
    }

    /// The handle of a list's last item; nil for PDUs without a list.
    package var lastHandle: UInt16? {
        switch self {
        case .findInformationResponse(let items): items.last?.handle
        case .findByTypeValueResponse(let items): items.last?.start
        case .readByTypeResponse(let items): items.last?.handle
        case .readByGroupTypeResponse(let items): items.last?.start
        default: nil
        }
    }
}
