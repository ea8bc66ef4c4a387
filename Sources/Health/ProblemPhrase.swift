// SPDX-License-Identifier: Apache-2.0

/// A part of a problem's text, as a value: the name of a template, and the values of the template's places.
///
/// A problem has phrases where its text lists things, and behind its text.
package struct ProblemPhrase: Codable, Equatable, Sendable {
    /// The name of the template: a ``Name`` of the gateway's version.
    package var phrase: String
    package var arguments: [String: String]

    package init(_ name: Name, _ arguments: [String: String] = [:]) {
        (phrase, self.arguments) = (name.rawValue, arguments)
    }

    /// The English words.
    var english: String { Name(rawValue: phrase).map { ProblemRow.filled($0.english, arguments) } ?? "" }

    package enum Name: String, CaseIterable, Sendable {
        // Behind a text
        case over
        case known
        case knownFor = "known-for"

        // Crossed limits
        case above
        case aboveValue = "above-value"
        case below
        case belowValue = "below-value"
        case noValue = "no-value"

        case dropped

        // Sensors with refused readings
        case sensor
        case sensors
        /// Behind a refusal to scan: links to known addresses work.
        case linksOnly = "links-only"
        /// Behind a question: other gateways share sensors.
        case elsewhere

        // Steps against a faulty radio
        case stepScan = "step-scan"
        case stepReset = "step-reset"
        case stepReopen = "step-reopen"
        case stepPower = "step-power"
        case stepRebind = "step-rebind"
        case stepProcess = "step-process"
        case stepReboot = "step-reboot"
        case stepFailed = "step-failed"

        // Devices in the air. Behind the name: the device has the service of the entry, and takes no connection.
        case named
        case namedService = "named-service"
        case namedClosed = "named-closed"
        case namedServiceClosed = "named-service-closed"
        case unnamed
        case unnamedService = "unnamed-service"
        case unnamedClosed = "unnamed-closed"
        case unnamedServiceClosed = "unnamed-service-closed"

        /// The English template, with names of arguments in braces.
        package var english: String {
            switch self {
            case .over: "; it is over now, and watched for a while"
            case .known: "; acknowledged"
            case .knownFor: "; acknowledged, for {time} more"
            case .above: "{quantity} went above {limit}"
            case .aboveValue: "{quantity} went above {limit}: {value}"
            case .below: "{quantity} went below {limit}"
            case .belowValue: "{quantity} went below {limit}: {value}"
            case .noValue: "no value has come for more than {time}"
            case .dropped: "{count} {drop}"
            case .sensor: "one sensor"
            case .sensors: "{count} sensors"
            case .linksOnly: "; sensors whose entries have addresses are connected to all the same"
            case .elsewhere: ", or has another gateway a link with it"
            case .stepScan: "the scan was started again"
            case .stepReset: "the controller was reset"
            case .stepReopen: "the controller was closed and opened"
            case .stepPower: "the adapter's power was cycled"
            case .stepRebind: "the adapter was taken from its driver and given back"
            case .stepProcess: "the gateway was started again"
            case .stepReboot: "the machine was started again"
            case .stepFailed: "{step} could not be done: {reason}"
            case .named: "\"{name}\" ({signs})"
            case .namedService: "\"{name}\" ({signs}, has the service)"
            case .namedClosed: "\"{name}\" ({signs}, does not let itself be connected to)"
            case .namedServiceClosed: "\"{name}\" ({signs}, has the service, does not let itself be connected to)"
            case .unnamed: "a device without a name ({signs})"
            case .unnamedService: "a device without a name ({signs}, has the service)"
            case .unnamedClosed: "a device without a name ({signs}, does not let itself be connected to)"
            case .unnamedServiceClosed:
                "a device without a name ({signs}, has the service, does not let itself be connected to)"
            }
        }
    }
}
