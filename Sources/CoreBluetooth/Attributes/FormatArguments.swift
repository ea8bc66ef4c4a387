// SPDX-License-Identifier: Apache-2.0

import Foundation

// Apple's classes are arguments of `String(format:)` and `NSLog` as all Objective-C objects are. Foundation on Linux
// formats its own objects alone, so that these stand for their descriptions: `String(format: "%@", peripheral)`.

/// Additive: an object that `%@` formats by its description. The text is held until the format is done.
public protocol CBFormatArgument: NSObject, _CVarArgObject {}

extension CBFormatArgument {
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    // No object: an encoder asks for `_cVarArgObject` first, and keeps the object alive.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension CBManager: CBFormatArgument {}
extension CBPeer: CBFormatArgument {}
extension CBAttribute: CBFormatArgument {}
extension CBUUID: CBFormatArgument {}
extension CBATTRequest: CBFormatArgument {}
extension CBL2CAPChannel: CBFormatArgument {}
