// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Attribute types that the profile itself is made of. Core 5.4, Vol 3, Part G, 3.
package enum GATTAttributeType {
    package static let primaryService: UInt16 = 0x2800
    package static let include: UInt16 = 0x2802
    package static let characteristic: UInt16 = 0x2803
    package static let clientCharacteristicConfiguration: UInt16 = 0x2902
    /// The service and the characteristic of Core 5.4, Vol 3, Part G, 7.
    package static let genericAttributeService: UInt16 = 0x1801
    package static let serviceChanged: UInt16 = 0x2A05
    package static let clientSupportedFeatures: UInt16 = 0x2B29
    package static let databaseHash: UInt16 = 0x2B2A
    /// Device Name, of the GAP service. Core 5.4, Vol 3, Part C, 12.1.
    package static let deviceName: UInt16 = 0x2A00
}

/// A service found on a peer.
package struct RemoteService: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let handles: ATTPDU.HandleRange

    package init(uuid: BluetoothUUID, handles: ATTPDU.HandleRange) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A characteristic found on a peer.
package struct RemoteCharacteristic: Equatable, Sendable {
    package let uuid: BluetoothUUID
    /// Characteristic Properties, Core 5.4, Vol 3, Part G, 3.3.1.1.
    package let properties: UInt8
    package let valueHandle: UInt16
    /// The last handle before the next characteristic, or the service's last.
    package let endHandle: UInt16

    package init(uuid: BluetoothUUID, properties: UInt8, valueHandle: UInt16, endHandle: UInt16) {
        self.uuid = uuid
        self.properties = properties
        self.valueHandle = valueHandle
        self.endHandle = endHandle
    }
}

/// The values of a Client Characteristic Configuration descriptor. Core 5.4, Vol 3, Part G, 3.3.3.3.
package enum ClientCharacteristicConfiguration: UInt16, Sendable {
    case none = 0
    case notification = 1
    case indication = 2
}

/// A client's request to a server.
package enum GATTRequest: Equatable, Sendable {
    /// Primary services; nil: all of them.
    case discoverServices([BluetoothUUID]?)
    case discoverIncludedServices(ATTPDU.HandleRange)
    /// Characteristics of a service; nil: all of them.
    case discoverCharacteristics(ATTPDU.HandleRange, [BluetoothUUID]?)
    case discoverDescriptors(ATTPDU.HandleRange)
    /// A whole value; a long value is read in parts.
    case read(handle: UInt16)
    /// The value of the first characteristic of this type, wherever it is.
    case readByType(BluetoothUUID)
    /// The values of two or more attributes in one answer, in order: the caller knows their lengths.
    case readMultiple(handles: [UInt16])
    /// The values of two or more attributes; values that one answer cannot hold are read after it.
    case readMultipleVariable(handles: [UInt16])
    /// All values of a type in a range of handles; of long ones the first 253 octets, or what the MTU allows.
    case readAll(BluetoothUUID, in: ATTPDU.HandleRange)
    /// A write with response; a long value is prepared in parts.
    case write(handle: UInt16, value: [UInt8])
    /// Several values, written in order, all or none of them, after the server has echoed them without an error.
    case reliableWrite([ATTPDU.AttributeValue])
    /// Switches Service Changed indications on, if the server has them; gives the characteristic, or an empty list.
    case watchServices
    /// Finds the configuration descriptor between the value and `endHandle`, and writes it.
    case configure(valueHandle: UInt16, endHandle: UInt16, ClientCharacteristicConfiguration)
}

extension GATTRequest {
    /// The answer may be kept for later links.
    var learnsDatabase: Bool {
        switch self {
        case .discoverServices, .discoverIncludedServices, .discoverCharacteristics, .discoverDescriptors,
            .watchServices, .configure:
            true
        default: false
        }
    }

    /// The request has handles, which mean another attribute in another database.
    var namesHandles: Bool {
        switch self {
        case .discoverServices, .readByType, .watchServices: false
        default: true
        }
    }

    /// A repetition has no further effect.
    var isRepeatable: Bool {
        switch self {
        case .write, .reliableWrite: false
        default: true
        }
    }
}

package enum GATTResponse: Equatable, Sendable {
    case services([RemoteService])
    case characteristics([RemoteCharacteristic])
    case descriptors([ATTPDU.AttributeInformation])
    case value([UInt8])
    case values([ATTPDU.AttributeValue])
    case written
    /// The characteristic has no configuration descriptor, and nothing was written. There are servers that notify by
    /// themselves.
    case unconfigured
}

package enum GATTError: Error, Equatable, Sendable {
    /// The server answered with an error.
    case refused(ATTErrorCode)
    /// 30 s without an answer.
    case timedOut
    /// The server's answers make no sense.
    case malformed
    /// The link ended before the answer came.
    case disconnected
    /// The link ended before the request was sent.
    case notSent
    /// Too many requests wait already.
    case queueFull
}

/// The number of a request, by which its completion finds the caller.
package struct GATTRequestID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
