// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Seconds since 1 January 2001, as Core Foundation counts them.
public typealias CFAbsoluteTime = Double

/// The present time, in the form for a disconnection's time.
// Disfavoured: if Foundation has the same name, programs get Foundation's.
@_disfavoredOverload
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
