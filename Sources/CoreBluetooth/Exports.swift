// SPDX-License-Identifier: Apache-2.0

// As Apple's module does: a program that imports CoreBluetooth alone has Data, UUID, NSObject and DispatchQueue.
@_exported import Dispatch
@_exported import Foundation
