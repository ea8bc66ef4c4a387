// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `NSError` that a program made an error of. Sound: an `NSError` is immutable.
struct ErrorOrigin: @unchecked Sendable {
    let error: NSError

    /// The program's own description of the error.
    var description: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }

    /// The program's information on an error, always with a description.
    static func userInfo(of origin: ErrorOrigin?, _ text: String) -> [String: Any] {
        var info = origin?.error.userInfo ?? [:]
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = text }
        return info
    }
}
