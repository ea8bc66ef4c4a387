// SPDX-License-Identifier: Apache-2.0

extension CBManager {
    /// Additive: why ``state`` is what it is, and what to do about it, in words for people: «hci0 is busy: bluetoothd has
    /// it powered on. Run …».
    public var stateReason: String { controller.statusDescription }
}
