// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What services, characteristics and descriptors have in common.
open class CBAttribute: NSObject, @unchecked Sendable {
    // Sound: immutable here; subclasses keep what changes behind a Mutex.
    /// Its type.
    public let uuid: CBUUID

    init(uuid: CBUUID) { self.uuid = uuid }
}
