// SPDX-License-Identifier: Apache-2.0

import Testing

/// The program of all tests. Swift Package Manager writes one itself where this file is missing; it reads an index of all sources
/// for that, which takes the compiler a tenth of the build.
@main
enum TestProgram {
    static func main() async {
        // `swift test` starts the program a second time for XCTest, of which there are no tests.
        if CommandLine.arguments.contains("xctest") { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
