// SPDX-License-Identifier: Apache-2.0

// Deprecated names, so that old code compiles.

/// Apple's states of central managers before ``CBManagerState``, with the same numbers:
/// `CBCentralManagerState(rawValue: central.state.rawValue)`.
@available(*, deprecated, message: "Use CBManagerState instead")
public enum CBCentralManagerState: Int, Sendable {
    /// See ``CBManagerState/unknown``.
    case unknown = 0
    /// See ``CBManagerState/resetting``.
    case resetting = 1
    /// See ``CBManagerState/unsupported``.
    case unsupported = 2
    /// See ``CBManagerState/unauthorized``.
    case unauthorized = 3
    /// See ``CBManagerState/poweredOff``.
    case poweredOff = 4
    /// See ``CBManagerState/poweredOn``.
    case poweredOn = 5
}

/// Apple's states of peripheral managers, with the numbers of ``CBManagerState``.
@available(*, deprecated, message: "Use CBManagerState instead")
public enum CBPeripheralManagerState: Int, Sendable {
    /// See ``CBManagerState/unknown``.
    case unknown = 0
    /// See ``CBManagerState/resetting``.
    case resetting = 1
    /// See ``CBManagerState/unsupported``.
    case unsupported = 2
    /// See ``CBManagerState/unauthorized``.
    case unauthorized = 3
    /// See ``CBManagerState/poweredOff``.
    case poweredOff = 4
    /// See ``CBManagerState/poweredOn``.
    case poweredOn = 5
}
