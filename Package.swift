// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// What the gateway needs beside the library. A package that depends on the library with `traits: []` gets none of it.
let gateway = TargetDependencyCondition.when(traits: ["Gateway"])
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: gateway)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: gateway)
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift", condition: gateway)
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf", condition: gateway)

/// What is built for tests alone is never optimized, and has no debug information beside optimized sources: half the time.
let plainly = SwiftSetting.unsafeFlags(["-Onone", "-gnone"], .when(configuration: .release))
let testSettings = settings + [plainly]

/// One Swift target; the arrows of docs/architecture.md are exactly these lists (a test compares them).
func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// - Parameters:
///   - path: The folder; a module's unit tests are in Tests/Unit.
///   - report: Files beside the tests, of the report that is made of their outcomes.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, report: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: path ?? "Tests/Unit/\(name)", exclude: report,
        swiftSettings: testSettings)
}

let package = Package(
    name: "martlet",
    products: [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .executable(name: "martlet", targets: ["martlet"]),
    ],
    traits: [
        .default(enabledTraits: ["Gateway"]),
        .trait(name: "Gateway", description: "The program martlet, and the packages that it alone needs."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .target(name: "CBlueZ"),
        .target(name: "CCurl"),
        .target(name: "CLibcrypto"),
        .target(name: "CMicroHTTPD"),
        .target(name: "CPage", exclude: ["page"]),
        .target(name: "CSDBus"),
        .target(name: "CTOMLPlusPlus"),
        .target(name: "CoreBluetoothHeaders"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev", "libssl-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        target("BluetoothCore"),
        target("StateFiles"),
        target("HCI", ["BluetoothCore"]),
        target("L2CAP", ["BluetoothCore"]),
        target("ATT", ["BluetoothCore"]),
        target("GATT", ["BluetoothCore", "ATT"]),
        target("Libcrypto", ["CLibcrypto"]),
        target("SMP", ["BluetoothCore", "Libcrypto"]),
        target("HCITransport", ["BluetoothCore", "HCI", "CBlueZ"]),
        target(
            "BluetoothHost",
            ["BluetoothCore", "StateFiles", "HCI", "L2CAP", "ATT", "GATT", "SMP", "HCITransport", log]),
        target(
            "CoreBluetooth",
            [
                "CoreBluetoothHeaders", "BluetoothCore", "L2CAP", "ATT", "GATT", "SMP", "HCI", "HCITransport",
                "BluetoothHost", "StateFiles", log,
            ]),
        target("Replay", ["BluetoothCore", "HCI", "HCITransport", "BluetoothHost"]),
        target("VirtualRadio", ["BluetoothCore", "HCI", "SMP", "SensorCipher"]),
        target("Platform", ["BluetoothCore", "CLinux"]),
        target("SensorCipher", ["CLibcrypto"]),
        // Each sensor of these files is Swift in Described: Sources/Readings/Sensors/generate.py.
        .target(
            name: "Readings", dependencies: ["BluetoothCore", "SensorCipher"], exclude: ["Sensors"],
            swiftSettings: settings),
        target("Journal", ["BluetoothCore", "Platform", "Readings", "Health", grdb, sqlite, log]),
        target("MQTT", ["BluetoothCore", "CMosquitto"]),
        .target(
            name: "SparkplugB", dependencies: ["BluetoothCore", protobuf],
            exclude: ["generate.sh", "sparkplug_b.proto"], swiftSettings: settings),
        target("OperationNames"),
        target("Health", ["BluetoothCore", "OperationNames"]),
        target("Limits", ["BluetoothCore", "Readings"]),
        target("HTTPClient", ["BluetoothCore", "CCurl"]),
        target("Publisher", ["BluetoothCore", "Platform", "Readings", "Health", "Limits", "MQTT", "SparkplugB", log]),
        target("Collector", ["BluetoothCore", "CoreBluetooth", "Platform", "Readings", "SensorCipher", "Health", log]),
        target(
            "Operations",
            ["BluetoothCore", "Platform", "Readings", "Publisher", "Collector", "Health", "Limits", "OperationNames"]),
        target(
            "Configuration",
            [
                "BluetoothCore", "CoreBluetooth", "Platform", "Readings", "SensorCipher", "Journal", "MQTT",
                "Publisher",
                "Collector", "Health", "Libcrypto", "StateFiles", "Operations", "CTOMLPlusPlus",
            ]),
        target("NetworkControl", ["BluetoothCore", "Health", "StateFiles", "CSDBus", log]),
        target(
            "Gateway",
            [
                "BluetoothCore", "HCITransport", "BluetoothHost", "CoreBluetooth", "CLinux", "Platform", "Readings",
                "SensorCipher", "Journal", "MQTT", "Publisher", "Collector", "Health", "Limits", "HTTPClient",
                "Libcrypto", "StateFiles", "Operations", "Configuration", "NetworkControl", log,
            ]),
        target(
            "Doctor",
            [
                "BluetoothCore", "HCI", "HCITransport", "BluetoothHost", "CoreBluetooth", "Platform",
                "Readings", "Journal", "MQTT", "Publisher", "Collector", "Health", "Configuration", "Gateway",
            ]),
        target(
            "Provisioning",
            [
                "BluetoothCore", "BluetoothHost", "CoreBluetooth", "Platform", "Readings", "Publisher", "Collector",
                "Health", "Operations", "Configuration", "Gateway", "NetworkControl", "Libcrypto", "StateFiles", log,
            ]),
        target(
            "Metrics",
            ["BluetoothCore", "Platform", "Readings", "Publisher", "Collector", "Health", "Limits", "Gateway"]),
        target(
            "Page",
            [
                "CMicroHTTPD", "CPage", "CLibcrypto", "BluetoothCore", "Platform", "Readings", "Journal", "Collector",
                "Health", "Operations",
                "Configuration", "Gateway", "Metrics", "Libcrypto", "StateFiles", log,
            ]),
        .executableTarget(
            name: "martlet",
            dependencies: [
                "BluetoothCore", "BluetoothHost", "CoreBluetooth", "HCITransport", "Platform", "Readings", "Journal",
                "Publisher", "Collector", "Doctor", "Health", "Operations", "Configuration", "Gateway", "StateFiles",
                "NetworkControl", "Page", "Provisioning",
                "Replay", "VirtualRadio", "CQREncode", arguments, log,
            ],
            swiftSettings: settings),

        // What tests and the programs beside them share: numbers that can be had again, a disk that loses its power; not installed.
        .target(name: "TestMaterials", path: "Tests/Support/TestMaterials", swiftSettings: testSettings),
        // What all tests share: these, and waiting; not installed.
        .target(
            name: "TestSupport", dependencies: ["TestMaterials"], path: "Tests/Support/TestSupport",
            swiftSettings: testSettings
        ),
        tests("TestSupportTests", ["TestSupport"]),
        // What the tests of the gateway's modules share: brokers, sensors, clocks, processes and logs; not installed.
        .target(
            name: "GatewayBench",
            dependencies: [
                "TestSupport", "BluetoothCore", "CoreBluetooth", "CMosquitto", "Platform", "Readings", "Journal",
                "MQTT", "Publisher", "Collector", "Operations", "Configuration", "Gateway", "VirtualRadio",
                "StateFiles", grdb, log,
            ],
            path: "Tests/Support/GatewayBench", swiftSettings: testSettings),
        tests("HealthTests", ["Health", "BluetoothCore"]),
        tests("LimitsTests", ["Limits", "Readings", "BluetoothCore"]),
        tests("PlatformTests", ["TestMaterials", "Platform", "Readings", "BluetoothCore"]),
        tests(
            "JournalTests",
            ["GatewayBench", "Journal", "Platform", "Readings", "BluetoothCore", grdb, log]),
        tests(
            "MQTTTests",
            [
                "GatewayBench", "FuzzSeeds", "MQTT", "Publisher", "Journal", "Platform", "Readings", "CMosquitto",
                "BluetoothCore", log,
            ]),
        tests("SparkplugBTests", ["SparkplugB", "BluetoothCore", protobuf]),
        tests(
            "PublisherTests",
            [
                "GatewayBench", "FuzzSeeds", "Publisher", "Health", "Limits", "SparkplugB", "MQTT", "Journal",
                "Platform",
                "Readings", "CMosquitto",
                "BluetoothCore", grdb, log,
            ]),
        // The load of many gateways at a broker: docs/scaling.md; not installed.
        .target(
            name: "Simulation",
            dependencies: ["BluetoothCore", "CLinux", "Platform", "Readings", "MQTT", "Publisher"],
            path: "Tests/System/Simulation/Simulation", swiftSettings: settings),
        .executableTarget(
            name: "martlet-simulate",
            dependencies: [
                "Simulation", "BluetoothCore", "Platform", "MQTT", "Publisher", "Configuration", "Gateway", arguments,
            ],
            path: "Tests/System/Simulation/martlet-simulate", swiftSettings: settings),
        tests(
            "SimulationTests",
            [
                "GatewayBench", "Simulation", "Publisher", "MQTT", "Platform", "Readings", "BluetoothCore", "Gateway",
                "martlet-simulate", arguments,
            ]),
        tests(
            "CollectorTests",
            [
                "GatewayBench", "Collector", "CoreBluetooth", "VirtualRadio", "HCI", "Health", "Platform", "Readings",
                "SensorCipher", "BluetoothCore", "StateFiles", log,
            ]),
        tests(
            "GatewayTests",
            [
                "GatewayBench", "FuzzSeeds", "BluetoothCore", "HCITransport", "BluetoothHost", "CoreBluetooth",
                "Platform", "Readings", "SensorCipher", "Journal",
                "MQTT", "Publisher", "Collector", "Health", "Limits", "HTTPClient", "Doctor", "Operations",
                "Configuration", "Gateway", "VirtualRadio", "Replay", "martlet", grdb, log,
            ]),
        tests(
            "DoctorTests",
            [
                "GatewayBench", "BluetoothCore", "HCITransport", "CoreBluetooth", "Platform", "Readings", "Journal",
                "MQTT", "Publisher", "Collector", "Health", "Doctor", "Configuration", "Gateway", "VirtualRadio", log,
            ]),
        // Application code as it is written for iOS, with the compiler settings of an ordinary application.
        .target(
            name: "CoreBluetoothPrograms", dependencies: ["CoreBluetooth"], path: "Tests/Support/CoreBluetoothPrograms",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error), plainly]),
        // What the tests of state restoration kill; not installed.
        .executableTarget(
            name: "restoration-probe", dependencies: ["CoreBluetooth", log], path: "Tests/Support/RestorationProbe",
            swiftSettings: testSettings),
        tests(
            "CoreBluetoothTests",
            [
                "TestSupport", "HostBench", "CoreBluetooth", "CoreBluetoothPrograms", "restoration-probe",
                "BluetoothHost", "SMP", "L2CAP", "ATT",
                "GATT", "VirtualRadio", "HCI", "BluetoothCore", log,
            ]),
        // The host under test of `make bench`; not installed.
        .executableTarget(
            name: "martlet-bench", dependencies: ["CoreBluetooth"], path: "Tests/System/Benchmarks/martlet-bench",
            swiftSettings: settings),
        // One end of the interoperability tests; not installed.
        .executableTarget(
            name: "martlet-peer", dependencies: ["CoreBluetooth"], path: "Tests/Scenes/Interop/martlet-peer",
            swiftSettings: testSettings),
        // What `make test-decoders` compares with other people's decoders; not installed.
        .executableTarget(
            name: "martlet-decode", dependencies: ["Readings", "SensorCipher", "BluetoothCore"],
            path: "Tests/Scenes/Decoders/martlet-decode", swiftSettings: settings),
        tests("ArchitectureTests", ["TestMaterials"]),
        tests("BluetoothCoreTests", ["TestSupport", "BluetoothCore"]),
        tests("ReadingsTests", ["TestMaterials", "FuzzSeeds", "Readings", "SensorCipher", "BluetoothCore"]),
        tests("HCITests", ["HCI", "BluetoothCore"]),
        tests("L2CAPTests", ["TestMaterials", "L2CAP", "BluetoothCore"]),
        tests("ATTTests", ["ATT", "BluetoothCore"]),
        tests("GATTTests", ["TestSupport", "GATT", "ATT", "BluetoothCore"]),
        tests("HCITransportTests", ["HCITransport", "HCI", "BluetoothCore"]),
        tests(
            "BluetoothHostTests",
            [
                "TestSupport", "HostBench", "BluetoothHost", "Replay", "HCITransport", "SMP", "L2CAP", "GATT", "ATT",
                "HCI",
                "VirtualRadio", "Collector", "BluetoothCore", "StateFiles", "CLibcrypto", log,
            ]),
        // How tests write inputs of the fuzz targets; not installed.
        .target(
            name: "FuzzSeeds", dependencies: ["Readings", "SMP", "BluetoothCore"], path: "Tests/Proof/Fuzz/FuzzSeeds",
            swiftSettings: testSettings),
        // The bench of the tests that play a peer with raw octets; not installed.
        .target(
            name: "HostBench",
            dependencies: [
                "TestMaterials", "FuzzSeeds", "BluetoothHost", "SMP", "L2CAP", "GATT", "ATT", "HCI", "VirtualRadio",
                "BluetoothCore",
            ],
            path: "Tests/Support/HostBench", swiftSettings: testSettings),
        tests(
            "AttackTests",
            [
                "TestSupport", "HostBench", "GatewayBench", "Page", "Platform", "Publisher", "Collector",
                "Configuration", "Gateway",
                "Journal", "Readings", "SensorCipher", "CoreBluetooth", "BluetoothHost", "HCITransport", "SMP", "L2CAP",
                "GATT", "ATT", "HCI", "VirtualRadio", "BluetoothCore", "StateFiles", log,
            ], path: "Tests/Proof/AttackTests", report: ["catalogue.json", "report.py"]),
        tests(
            "ConformanceTests",
            [
                "TestMaterials", "HostBench", "BluetoothHost", "SMP", "L2CAP", "GATT", "ATT", "HCI", "VirtualRadio",
                "BluetoothCore", "Readings", "SensorCipher", log,
            ], path: "Tests/Proof/ConformanceTests",
            report: ["catalogue.json", "expected-failures.json", "report.py"]),
        tests("SMPTests", ["FuzzSeeds", "SMP", "BluetoothCore"]),
        tests("LibcryptoTests", ["Libcrypto", "CLibcrypto", "BluetoothCore"]),
        tests(
            "VirtualRadioTests",
            ["TestSupport", "VirtualRadio", "Readings", "SensorCipher", "SMP", "HCI", "BluetoothCore"]),
        // What `make power-cut` is made of; not installed.
        .target(name: "CPowerCut", dependencies: [sqlite], path: "Tests/Proof/PowerCut/CPowerCut"),
        .target(
            name: "PowerCut",
            dependencies: [
                "TestMaterials", "CPowerCut", "Platform", "Readings", "Journal", "Publisher", "Gateway", grdb, log,
            ],
            path: "Tests/Proof/PowerCut/PowerCut", swiftSettings: testSettings),
        .executableTarget(
            name: "martlet-power-cut", dependencies: ["PowerCut", "Journal", "Gateway", arguments],
            path: "Tests/Proof/PowerCut/martlet-power-cut", swiftSettings: settings),
        tests(
            "PowerCutTests", ["TestSupport", "PowerCut", "Readings", "Journal", "Gateway"],
            path: "Tests/Proof/PowerCut/PowerCutTests"),
        tests(
            "PageTests",
            [
                "GatewayBench", "Page", "Metrics", "Operations", "Configuration", "Gateway", "Collector", "Publisher",
                "Health", "Journal",
                "Platform", "Readings",
                "VirtualRadio", "CoreBluetooth", "BluetoothCore", log,
            ]),
        tests("NetworkControlTests", ["NetworkControl", "CSDBus", log]),
        tests(
            "ProvisioningTests",
            [
                "TestSupport", "GatewayBench", "Provisioning", "NetworkControl", "Platform", "Readings", "Journal",
                "MQTT", "Publisher", "Collector", "Operations", "Configuration", "Gateway", "CoreBluetooth",
                "BluetoothHost", "VirtualRadio",
                "BluetoothCore", "martlet",
                arguments, "Libcrypto", log,
            ]),
    ],
    cxxLanguageStandard: .cxx17
)

// The program of `make fuzz`. Only with the fuzzer's runtime does it link: other builds do not know it.
if Context.environment["MARTLET_FUZZ"] != nil {
    package.targets += [
        .executableTarget(
            name: "martlet-fuzz",
            dependencies: [
                "FuzzSeeds", "BluetoothCore", "HCI", "L2CAP", "ATT", "GATT", "SMP", "BluetoothHost", "Platform",
                "Readings", "Journal", "MQTT", "Publisher", "Collector", "Configuration", "Gateway", "NetworkControl",
                "Provisioning",
                "VirtualRadio", log,
            ],
            path: "Tests/Proof/Fuzz/martlet-fuzz", swiftSettings: settings)
    ]
}

// `make check MODULE=Readings`: the tests of one module, and what they need. SwiftPM compiles all test targets otherwise.
if let module = Context.environment["MARTLET_MODULE"] {
    guard package.targets.contains(where: { $0.name == "\(module)Tests" }) else {
        fatalError("there are no tests of \(module)")
    }
    var wanted: Set<String> = []
    var open = ["\(module)Tests"]
    while let name = open.popLast() {
        guard wanted.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        open += target.dependencies.compactMap {
            switch $0 {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll {
        ($0 as? Product.Library)?.targets.contains { !wanted.contains($0) } ?? !wanted.contains($0.name)
    }
}
