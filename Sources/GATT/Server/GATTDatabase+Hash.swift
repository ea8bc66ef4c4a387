// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension GATTDatabase {
    /// The input of the Database Hash, AES-CMAC with a key of zeros: declarations and extended properties with their
    /// values, other descriptors of the specification without values. Values of characteristics and users' own
    /// descriptors are left out. Core 5.4, Vol 3, Part G, 7.3.1.
    package var hashInput: [UInt8] {
        var octets: [UInt8] = []
        for attribute in attributes {
            let withValue: Bool
            switch attribute.kind {
            case .service, .include, .characteristic:
                withValue = true
            case .descriptor:
                guard let type = attribute.type.short, (0x2900...0x2905).contains(type) else { continue }
                withValue = type == 0x2900
            case .value:
                continue
            }
            octets.append(u16: attribute.handle)
            octets.append(contentsOf: attribute.type.attributeOctets)
            if withValue, let value = attribute.fixedValue { octets.append(contentsOf: value) }
        }
        return octets
    }
}
