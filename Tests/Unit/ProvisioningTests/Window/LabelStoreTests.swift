// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Testing

@testable import Provisioning

@Suite struct LabelStoreTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func `a record comes back as it was, and nobody else reads it`() throws {
        try withFolder { folder in
            let store = LabelStore(directory: folder)
            #expect(try store.load() == nil)
            let record = LabelRecord(passkey: Secret("019655"), failures: 3, isAtRisk: true)
            try store.save(record)
            #expect(try store.load() == record)
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/provision.json")[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test(arguments: [
        "", "{", "{}", #"{"at_risk":false,"condition":"good","failures":-1,"passkey":"019655","version":1}"#,
        #"{"at_risk":false,"condition":"good","failures":6,"passkey":"019655","version":1}"#,
        #"{"at_risk":false,"condition":"good","failures":0,"passkey":"19655","version":1}"#,
        #"{"at_risk":false,"condition":"good","failures":0,"passkey":"019655","version":2}"#,
    ])
    func `what is damaged is no label with fresh tries`(_ text: String) throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: folder + "/provision.json", atomically: true, encoding: .utf8)
            #expect(throws: LabelStore.Trouble.damaged) { _ = try LabelStore(directory: folder).load() }
        }
    }
}
