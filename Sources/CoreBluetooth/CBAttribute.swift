// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What services, characteristics and descriptors have in common.
open class CBAttribute: NSObject, @unchecked Sendable {
    // Sound: immutable here; subclasses keep what changes behind a Mutex.
    private let type: CBUUID

    init(uuid: CBUUID) { type = uuid }

    /// Its type.
    open var uuid: CBUUID { type }
}
