// SPDX-License-Identifier: Apache-2.0

/// Tells the characteristics of one sensor apart that have one UUID, such as two temperatures of two probes. The first one has
/// the UUID for its name in readings, `2a6e`; those after it have a number, `2a6e_2`. So each has its own rows, topics,
/// intervals and entities, and what was known of a sensor with one probe does not change.
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
    /// The field of one of several characteristics with one UUID: its number is in its key, `temperature_2`.
    func numbered(_ number: UInt8) -> Field {
        // Fields that a value numbers itself, such as the cells of one battery, go on behind those of the instances before.
        let offset = index == 0 ? Int(number) : Int(index) + 16 * (Int(number) - 1)
        return Field(quantity, value, index: UInt8(clamping: offset))
    }
}
