// SPDX-License-Identifier: Apache-2.0

/// Carries a delegate into a lock. Sound: a delegate is called only on its manager's queue, as Apple's contract
/// demands, no matter which thread set the delegate.
struct UncheckedReference<Value>: @unchecked Sendable {
    let value: Value
}
