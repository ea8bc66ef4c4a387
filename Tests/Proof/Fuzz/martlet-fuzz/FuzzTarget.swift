// SPDX-License-Identifier: Apache-2.0

/// A part of the product that reads octets from anywhere.
protocol FuzzTarget: SendableMetatype {
    static var name: String { get }
    /// Inputs that reach deep into the target.
    static var seeds: [[UInt8]] { get }

    /// Octets of the longest input: longer inputs only repeat the same work.
    static var maximumLength: Int { get }

    init()
    /// Handles `octets` as the product would, and stops the process if a promise is broken.
    mutating func run(_ octets: [UInt8])
}

extension FuzzTarget {
    static var maximumLength: Int { 512 }
}

let targets: [any FuzzTarget.Type] = [
    H4Target.self, HCIEventTarget.self, AdvertisingDataTarget.self, L2CAPTarget.self, SignallingTarget.self,
    ChannelTarget.self, ATTClientTarget.self, ATTServerTarget.self, SMPTarget.self, HostTarget.self, BondTarget.self,
    DecoderTarget.self, ConfigurationTarget.self, MQTTTarget.self, ProvisioningServiceTarget.self,
    ProvisioningValuesTarget.self,
]

/// A promise of the product, for every input.
func promise(
    _ condition: @autoclosure () -> Bool, _ text: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    if !condition() { fatalError("broken promise: \(text())", file: file, line: line) }
}
