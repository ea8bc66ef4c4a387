// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/*.toml.

extension SensorFamilies {
    /// What files describe.
    static let described: [SensorDefinition] = [
        .amazfitScale, .beewi, .ela, .feasycom, .holyiot, .inode, .jaalee, .miBand, .michelin, .mocreo, .mokobeacon, .radioland, .senssun, .smartdry, .teltonika, .tpms, .xiaogui,
    ]
}
