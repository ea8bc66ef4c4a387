// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `NSError` that a program made an error of. Sound: an `NSError` is immutable.
struct ErrorOrigin: @unchecked Sendable {
    let error: NSError

    /// What the program says of it.
    var description: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }

    /// What is known of an error: what the program gave, and a description in any case.
    static func userInfo(of origin: ErrorOrigin?, _ text: String) -> [String: Any] {
        var info = origin?.error.userInfo ?? [:]
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = text }
        return info
    }
}
