// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Operations

/// Works of operations on sensors.
extension OperationWorks {
    private static let devices = common(OperationTable.devices) { operations, call throws(OperationError) in
        // The nearest come first.
        Array(await operations.heardSensors().prefix(call.caller.longestList))
    }

    private static let why = own(OperationTable.why) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.explain(wish.sensor)
    }

    private static let accept = common(OperationTable.accept) { operations, wish, _ throws(OperationError) in
        try await operations.accept(
            SensorAcceptance(
                address: wish.address, id: wish.id, subscribe: wish.subscribe,
                passkey: wish.passkey.map { Secret($0) }, label: wish.label, room: wish.room))
    }

    private static let forget = common(OperationTable.forget) { operations, wish, _ throws(OperationError) in
        if let quantity = wish.quantity {
            try await operations.forget(quantity, of: wish.sensor)
        } else {
            try await operations.forget(wish.sensor)
        }
        return wish.sensor
    }

    private static let key = own(OperationTable.key) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.setBindKey(Secret(wish.key), of: wish.sensor)
        return wish.sensor
    }

    private static let passkey = common(OperationTable.passkey) { operations, wish, _ throws(OperationError) in
        try await operations.setPasskey(Secret(wish.passkey), of: wish.sensor)
        return wish.sensor
    }

    private static let trust = own(OperationTable.trust) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.trust(wish.sensor, wish.address)
    }

    private static let rename = common(OperationTable.rename) { operations, wish, _ throws(OperationError) in
        try await operations.rename(wish.sensor, label: wish.label, room: wish.room)
        return wish.sensor
    }

    private static let acknowledge = own(OperationTable.acknowledge) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).acknowledge(wish.problem, for: wish.seconds, ends: wish.end ?? false)
    }

    private static let maintenance = own(OperationTable.maintenance) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).maintain(wish.sensor, for: wish.seconds)
    }

    private static let read = own(OperationTable.read) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).read(try wish.request)
    }

    private static let write = own(OperationTable.write) { gateway, wish, _ throws(OperationError) in
        try await GatewayOperator(gateway).write(
            wish.value, to: try wish.target.request, wantsResponse: wish.response)
    }

    private static let unpair = own(OperationTable.unpair) { gateway, wish, _ throws(OperationError) in
        try await gateway.operations.unpair(wish.sensor)
    }

    private static let bonds = own(OperationTable.bonds) { gateway, _ in
        await gateway.operations.bonds()
    }

    static let sensors: [Named] = [
        devices, why, accept, forget, key, passkey, trust, rename, acknowledge, maintenance, read, write, unpair, bonds,
    ]
}
