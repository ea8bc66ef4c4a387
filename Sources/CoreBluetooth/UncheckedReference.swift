// SPDX-License-Identifier: Apache-2.0

/// Carries a delegate into a lock. Sound: a delegate is called on its manager's queue alone, as Apple's contract has it,
/// whatever thread set it.
struct UncheckedReference<Value>: @unchecked Sendable {
    let value: Value
}
