// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Takes the steps beyond ``RecoveryStep/reopen``, which the host cannot take by itself.
package protocol RecoveryHelper: Sendable {
    /// The steps that are possible now and allowed. Asked on the radio thread: must not wait.
    var available: Set<RecoveryStep> { get }

    /// Takes a step. Does not wait. `done` is called once, on any thread: with the reason if the step failed, otherwise
    /// with nil.
    func perform(_ step: RecoveryStep, done: @escaping @Sendable (_ failure: String?) -> Void)
}
