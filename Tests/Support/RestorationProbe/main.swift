// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Logging

// An application in both roles, for tests with kills: `restoration-probe SOCKET STATE-DIRECTORY [churn]`. The program prints a line for
// each event; with `churn` the preserved state changes all the time.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    FileHandle.standardError.write(Data("usage: restoration-probe SOCKET STATE-DIRECTORY [churn]\n".utf8))
    exit(64)
}
var logger = Logger(label: "probe") { StreamLogHandler.standardError(label: $0) }
logger.logLevel = .warning
let controller = CBController(transport: .unix(arguments[1]), stateDirectory: arguments[2], logger: logger)
let probe = Probe(on: controller, churns: arguments.dropFirst(3).contains("churn"))
withExtendedLifetime(probe) { dispatchMain() }
