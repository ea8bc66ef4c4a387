// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct SwiftPackageTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable, Equatable {
            struct State: Decodable, Equatable {
                var revision: String
                var version: String?
            }

            var identity: String
            var state: State
        }

        var pins: [Pin]

        init(_ file: String) throws {
            self = try JSONDecoder().decode(Self.self, from: try Repository.data(file))
            pins.sort { $0.identity < $1.identity }
        }
    }

    @Test func `tests are built with the versions of the Swift packages that the image has`() throws {
        let image = try Resolved("board/swift-packages.json").pins
        #expect(!image.isEmpty)
        #expect(
            try Resolved("Package.resolved").pins == image,
            "to build with them: cp board/swift-packages.json Package.resolved")
    }
}
