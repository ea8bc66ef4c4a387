// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations

/// Libraries of the network are loaded only by a gateway with page or webhook.
@Suite(.serialized, .ownThread)
struct OpenedLibrariesTests {
    @Test(arguments: [false, true])
    func `a gateway loads the libraries of page and webhook only when it has one`(hasPage: Bool) throws {
        let page = hasPage ? "[page]\nlisten = \"127.0.0.1:\(try TestPorts.next())\"\n" : ""
        let folder = try TestFolder()
        try folder.write("martlet.toml", ProcessTests.configuration(in: folder) + "\n" + page)
        let gateway = try MartletProcess(["run", "--config", folder.path("martlet.toml")])
        func status() -> GatewayStatus? {
            try? ControlClient.ask(OperationTable.status, socket: folder.path("control.sock"))
        }
        // Values come: the whole gateway has begun.
        try #require(
            blockingEventually { (status()?.collector.sensors.first?.readings ?? 0) > 3 }, "\(gateway.errors)")
        if hasPage { try #require(blockingEventually { gateway.errors.contains("the page is served") }) }
        let found = Set(["libmicrohttpd.so", "libcurl.so"].filter { gateway.hasLoaded($0) })
        #expect(found == (hasPage ? ["libmicrohttpd.so"] : []))
        #expect(gateway.hasLoaded("libmosquitto.so"), "nothing is seen at all")
        gateway.send(SIGTERM)
        #expect(gateway.wait() == 0, "\(gateway.errors)")
    }
}
