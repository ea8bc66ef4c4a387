// SPDX-License-Identifier: Apache-2.0

/// A result of which some callers see only a part: the rest is private, or too long for their way.
package protocol PartlySeen: Codable, Sendable {
    func seen(by caller: OperationRow.Caller) -> Self
}
