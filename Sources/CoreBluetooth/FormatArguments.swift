// SPDX-License-Identifier: Apache-2.0

import Foundation

// Apple's classes are arguments of `String(format:)` and `NSLog` as all Objective-C objects are. Foundation on Linux
// formats its own objects alone, so that these stand for their descriptions: `String(format: "%@", peripheral)`.

/// Additive: an object that `%@` formats by its description. The text is held until the format is done.
public protocol CBFormatArgument: NSObject, _CVarArgObject {}

extension CBFormatArgument {
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    // No object: whoever encodes an argument asks for the one above first, and holds it.
    public var _cVarArgEncoding: [Int] { [0] }
}

extension CBManager: CBFormatArgument {}
extension CBPeer: CBFormatArgument {}
extension CBAttribute: CBFormatArgument {}
extension CBUUID: CBFormatArgument {}
extension CBATTRequest: CBFormatArgument {}
extension CBL2CAPChannel: CBFormatArgument {}
