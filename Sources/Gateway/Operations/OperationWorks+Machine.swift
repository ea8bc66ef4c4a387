// SPDX-License-Identifier: Apache-2.0

import Operations

/// Works of operations on the gateway as a machine.
extension OperationWorks {
    private static let status = common(OperationTable.status) { operations, _ in
        await operations.status()
    }

    private static let clock = own(OperationTable.clock) { gateway, _ in
        await gateway.operations.clock()
    }

    private static let clockSet = common(OperationTable.clockSet) { operations, wish, _ throws(OperationError) in
        try await operations.setClock(unixMilliseconds: wish.unixMs, insists: wish.force == true)
    }

    private static let supportBundle = own(OperationTable.supportBundle) { gateway, call throws(OperationError) in
        let bundle = try await gateway.writeSupportBundle()
        // Only a client of the socket gets more than the path, and there is none.
        if call.caller != .socket, let problem = bundle.problem { throw OperationError(.failed, problem) }
        return bundle
    }

    private static let supportText = own(OperationTable.supportText) { gateway, _ in
        OperationFile(
            type: "text/plain; charset=utf-8", name: "martlet-support.txt", Array(await gateway.supportText().utf8))
    }

    private static let update = own(OperationTable.update) { gateway, wish, call throws(OperationError) in
        if let report = wish.report {
            guard call.caller == .socket else {
                throw OperationError(.refused, "a report cannot be given on this way")
            }
            return try gateway.record(report)
        }
        guard let action = wish.action else { throw OperationError(.notValid, #""action" is missing"#) }
        try gateway.update(action)
        guard let update = gateway.imageUpdate else { throw OperationError(.failed, "the gateway is stopping") }
        return update
    }

    private static let restart = own(OperationTable.restart) { gateway, call throws(OperationError) in
        try gateway.startAnew(call)
    }

    private static let log = common(OperationTable.log) { operations, _ in
        await operations.logTail(lines: 32)
    }

    private static let factoryReset = common(OperationTable.factoryReset) { operations, _ throws(OperationError) in
        try await operations.resetToFactory()
        return OperationTable.Nothing()
    }

    static let machine: [Named] = [
        status, clock, clockSet, supportBundle, supportText, update, restart, log, factoryReset,
    ]
}
