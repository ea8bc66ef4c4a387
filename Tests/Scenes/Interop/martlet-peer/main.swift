// SPDX-License-Identifier: Apache-2.0

// martlet-peer central|peripheral --controller CONTROLLER --name NAME [--capture FILE] [--patience SECONDS]
//     [--without WORD,...]
// martlet-peer pairing --role central|peripheral --controller CONTROLLER --name NAME --state FOLDER [--capture FILE]
// martlet-peer bridge --controller CONTROLLER --state FOLDER [--capture FILE]
//
// One end of the interoperability tests, an application of Core Bluetooth; a JSON line a step on standard output.
//
//   central     connects to the device NAME, which offers the reference database, and runs every GATT procedure.
//   peripheral  publishes the reference database, advertises as NAME and answers until standard input ends.
//
//   pairing     pairs as JSON lines on standard input say; the folder gets its bonds.
//
//   bridge      the Bluetooth of a browser whose page is tested: requests as JSON lines on standard input.
//
// --without leaves steps of the central out that the other side has no means for, by their names with hyphens:
// `write-longest`.

import CoreBluetooth
import Foundation

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("martlet-peer: \(message)\n".utf8))
    exit(2)
}

var options: [String: String] = [:]
var words = CommandLine.arguments.dropFirst()
let role = words.popFirst()
while let key = words.popFirst() {
    guard key.hasPrefix("--"), let value = words.popFirst() else { fail("\(key): an option with a value is expected") }
    options[String(key.dropFirst(2))] = value
}
guard let name = options["name"] ?? (role == "bridge" ? "" : nil),
    let transport = options["controller"].flatMap(CBController.Transport.init(_:))
else {
    fail("usage: martlet-peer central|peripheral|pairing|bridge --controller CONTROLLER --name NAME")
}
let controller = CBController(transport: transport, stateDirectory: options["state"], capture: options["capture"])
// Each role sets its own policy for pairings.
controller.pairingPolicy = CBPairingPolicy()
switch role {
case "central":
    let left = Set((options["without"] ?? "").split(separator: ",").map(String.init))
    let patience = options["patience"].flatMap(TimeInterval.init) ?? 30
    let script = CentralScript(controller: controller, name: name, patience: patience, leaving: left)
    let passed = script.run()
    controller.shutdown()
    exit(passed ? 0 : 1)
case "peripheral":
    let server = PeripheralServer(name: name)
    server.start(on: controller)
    while readLine() != nil {}
    server.stop()
    controller.shutdown()
    exit(0)
case "pairing":
    let end =
        options["role"] == "central"
        ? PairingCentral(controller: controller, name: name) : PairingPeripheral(controller: controller, name: name)
    end.run()
    controller.shutdown()
    exit(0)
case "bridge":
    Bridge(controller: controller).run()
    controller.shutdown()
    exit(0)
default:
    fail("central, peripheral, pairing or bridge?")
}
