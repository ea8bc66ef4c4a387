// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCI

extension CBCentralManager.Feature {
    /// Additive: the controller has LE 2M, which links then use by themselves.
    public static let le2M = Self(rawValue: 1 << 16)
    /// Additive: the controller has LE Coded, for long ranges.
    public static let leCoded = Self(rawValue: 1 << 17)
    /// Additive: the controller can resolve private addresses itself.
    public static let controllerPrivacy = Self(rawValue: 1 << 18)
}

extension CBController {
    /// Whether the controller has all of `features`; known while the controller is powered on.
    public func supports(_ features: CBCentralManager.Feature) -> Bool {
        let (controller, usesExtendedCommands) = host.abilities
        return CBCentralManager.Feature(controller, usesExtendedCommands: usesExtendedCommands).isSuperset(of: features)
    }
}

extension CBCentralManager.Feature {
    /// The features of a controller.
    init(_ controller: LEFeatures, usesExtendedCommands: Bool) {
        self = usesExtendedCommands ? .extendedScanAndConnect : []
        if controller.contains(.le2M) { insert(.le2M) }
        if controller.contains(.leCoded) { insert(.leCoded) }
        if controller.contains(.llPrivacy) { insert(.controllerPrivacy) }
    }
}
