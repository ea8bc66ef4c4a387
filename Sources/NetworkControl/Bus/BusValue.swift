// SPDX-License-Identifier: Apache-2.0

/// A value of a D-Bus message, with its type: a value that was read can be written back unchanged.
indirect enum BusValue: Equatable, Sendable {
    case boolean(Bool)
    case octet(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    /// An array of octets, such as the name of a Wi-Fi network.
    case octets([UInt8])
    /// An array of anything but octets and dictionary entries; `of` is the signature of an element.
    case array(of: String, [BusValue])
    /// A dictionary whose keys are strings; `of` is the signature of its values. Other dictionaries are not used here.
    case dictionary(of: String, [String: BusValue])
    case structure([BusValue])
    case variant(BusValue)

    /// The type in D-Bus' letters.
    var type: String {
        switch self {
        case .boolean: "b"
        case .octet: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .octets: "ay"
        case .array(let element, _): "a\(element)"
        case .dictionary(let value, _): "a{s\(value)}"
        case .structure(let fields): "(" + fields.map(\.type).joined() + ")"
        case .variant: "v"
        }
    }

    /// The value without the variants around it.
    var bare: BusValue {
        if case .variant(let inner) = self { inner.bare } else { self }
    }

    var bool: Bool? {
        if case .boolean(let value) = bare { value } else { nil }
    }

    /// Any whole number that fits.
    var integer: Int? {
        switch bare {
        case .octet(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A string or a path.
    var text: String? {
        switch bare {
        case .string(let value), .path(let value): value
        default: nil
        }
    }

    var data: [UInt8]? {
        if case .octets(let value) = bare { value } else { nil }
    }

    var elements: [BusValue]? {
        if case .array(_, let values) = bare { values } else { nil }
    }

    var entries: [String: BusValue]? {
        if case .dictionary(_, let entries) = bare { entries } else { nil }
    }
}

extension BusValue {
    /// `a{sv}`, the form of settings and options.
    static func options(_ entries: [String: BusValue]) -> BusValue {
        .dictionary(of: "v", entries.mapValues { .variant($0) })
    }

    /// `a{sa{sv}}`, the form of a connection profile.
    static func settings(_ sections: [String: [String: BusValue]]) -> BusValue {
        .dictionary(of: "a{sv}", sections.mapValues { options($0) })
    }
}

/// Why a call failed.
struct BusFailure: Error, Equatable {
    /// D-Bus' name of the error, `org.freedesktop.NetworkManager.PermissionDenied`; or a name of libsystemd's for an
    /// errno.
    var name: String
    var message: String

    /// The called name has no owner, or there is no bus.
    var isAbsence: Bool {
        [
            "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.NoServer", Self.noBus,
        ].contains(name)
    }

    /// No answer came in time, or the called service has gone.
    var isSilence: Bool {
        ["org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout"].contains(name)
    }

    static let noBus = "no bus"
    static let unexpected = "unexpected answer"
}
