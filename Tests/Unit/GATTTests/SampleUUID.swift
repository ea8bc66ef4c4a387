// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

enum SampleUUID {
    static let long = BluetoothUUID(high: 0x5E4D_0001_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)
}
