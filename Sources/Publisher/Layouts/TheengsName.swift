// SPDX-License-Identifier: Apache-2.0

import Readings

/// How OpenMQTTGateway and Theengs name a sensor.
struct TheengsName: Equatable, Sendable {
    /// The address in upper case without colons; the sensor's name here, if its address is unknown.
    var topic: String
    /// The address in upper case with colons.
    var id: String
    var name: String?
    var brand: String?
    var model: String?

    /// - Parameter device: The `<dev>` of the topics: 12 digits of an address, or a configured id.
    init(_ device: String, _ description: SensorDescription?) {
        let digits = (description?.address ?? device).uppercased().filter { $0 != ":" }
        name = description?.name
        brand = description?.manufacturer
        model = description?.model
        guard digits.count == 12, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            topic = device
            id = device
            return
        }
        topic = digits
        let pairs = stride(from: 0, to: 12, by: 2).map { digits.dropFirst($0).prefix(2) }
        id = pairs.joined(separator: ":")
    }
}
