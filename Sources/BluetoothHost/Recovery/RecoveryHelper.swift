// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Takes the steps that the host cannot take by itself: those beyond ``RecoveryStep/reopen``.
package protocol RecoveryHelper: Sendable {
    /// The steps that it can take now, and is allowed to. Asked on the radio thread: must not wait.
    var available: Set<RecoveryStep> { get }

    /// Takes a step. Does not wait; `done` is called once, on any thread, with why it could not be taken, or nil.
    func take(_ step: RecoveryStep, done: @escaping @Sendable (_ failure: String?) -> Void)
}
