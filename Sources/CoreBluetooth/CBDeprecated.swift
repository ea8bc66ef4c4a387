// SPDX-License-Identifier: Apache-2.0

// Names of old, so that old code compiles.

/// Old name of ``CBManagerState``.
@available(*, deprecated, renamed: "CBManagerState")
public typealias CBCentralManagerState = CBManagerState

/// Old name of ``CBManagerState``.
@available(*, deprecated, renamed: "CBManagerState")
public typealias CBPeripheralManagerState = CBManagerState
