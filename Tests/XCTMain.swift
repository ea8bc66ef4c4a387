// SPDX-License-Identifier: Apache-2.0

import Testing

/// The program of all tests. Without this file, Swift Package Manager writes a program itself. It reads an index of all sources for that,
/// and the index takes the compiler a tenth of the build.
@main
enum TestProgram {
    static func main() async {
        // `swift test` starts the program a second time for XCTest, of which there are no tests.
        if CommandLine.arguments.contains("xctest") { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
