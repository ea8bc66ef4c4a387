// SPDX-License-Identifier: Apache-2.0

extension SensorFamilies {
    static let described: [SensorDefinition] = []
}
