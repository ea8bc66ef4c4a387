// SPDX-License-Identifier: Apache-2.0

/// The targets of Package.swift and their dependencies, read from its text.
struct PackageManifest {
    /// For each target, its targets in this package and other packages' products, by the names for imports.
    private(set) var dependencies: [String: Set<String>] = [:]

    init() throws {
        let text = try Repository.text("Package.swift")
        var products: [String: String] = [:]
        for match in text.matches(of: /let (\w+) = Target\.Dependency\.product\(\s*name: "(\w+)"/) {
            products[String(match.1)] = String(match.2)
        }
        func names(_ list: Substring?) -> Set<String> {
            Set(
                (list ?? "").matches(of: /"(\w+)"|(\w+)/).map { item in
                    if let target = item.1 { return String(target) }
                    return item.2.flatMap { products[String($0)] } ?? "?"
                })
        }
        for match in text.matches(of: /\btarget\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?\)/) {
            dependencies[String(match.1)] = names(match.2)
        }
        for match in text.matches(of: /\.(?:systemLibrary|target|executableTarget)\(\s*name: "([\w-]+)"([^)]*)\)/) {
            // Programs and fixtures of the tests are no part of the architecture.
            guard !match.2.contains("path: \"Tests/") else { continue }
            let list = match.2.firstMatch(of: /dependencies: \[([^\]]*)\]/)
            dependencies[String(match.1)] = names(list?.1)
        }
    }
}
