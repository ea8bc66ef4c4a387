// SPDX-License-Identifier: Apache-2.0

/// Tells apart the characteristics of one sensor that have one UUID: the temperatures of two probes, for example. In
/// readings, the first characteristic has the UUID as its name, `2a6e`. Later characteristics have a number, `2a6e_2`.
/// So each has its own rows, topics, intervals and entities, and names of sensors with one probe do not change.
package enum CharacteristicInstance {
    /// - Parameter number: from 1, in the order of the characteristics' handles.
    package static func name(of characteristic: String, number: Int) -> String {
        number <= 1 ? characteristic : "\(characteristic)_\(number)"
    }

    /// The characteristic and its number, 2…255; nil for a name without a number.
    static func parts(of name: String) -> (characteristic: String, number: UInt8)? {
        guard let bar = name.lastIndex(of: "_"), let number = UInt8(name[name.index(after: bar)...]), number >= 2 else {
            return nil
        }
        return (String(name[..<bar]), number)
    }
}

extension Field {
    /// The field of a characteristic with several instances. The instance's number is in the field's key:
    /// `temperature_2`.
    func numbered(_ number: UInt8) -> Field {
        // A value may number its fields itself: the cells of a battery, for example. Such fields go on after the fields
        // of earlier instances.
        let offset = index == 0 ? Int(number) : Int(index) + 16 * (Int(number) - 1)
        return Field(quantity, value, index: UInt8(clamping: offset))
    }
}
