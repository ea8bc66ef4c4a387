// SPDX-License-Identifier: Apache-2.0

/// A file for a helper: the answer to `martlet support-bundle`.
package struct SupportBundle: PartlySeen, Equatable {
    /// The path of the file; nil if the gateway could not write it.
    package var path: String?
    /// Why the file could not be written.
    package var problem: String?
    /// Octets.
    package var bytes: Int
    /// The content; nil if the client only asked for the path.
    package var text: String?

    package init(path: String?, bytes: Int, text: String? = nil) {
        (self.path, self.bytes, self.text) = (path, bytes, text)
    }

    /// The text is private, and too large for a message: only the control socket has it.
    package func seen(by caller: OperationRow.Caller) -> Self {
        var seen = self
        if caller != .socket { seen.text = nil }
        return seen
    }
}
