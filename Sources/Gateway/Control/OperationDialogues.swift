// SPDX-License-Identifier: Apache-2.0

import Operations

/// The dialogues of the rows that this module carries out on the control socket. Another module begins other dialogues:
/// ``GatewayService/provide(_:dialogue:)``.
enum OperationDialogues {
    typealias Beginning = @Sendable (GatewayService, OperationCall) -> ControlDialogue

    private static let byName: [OperationName: Beginning] = [
        OperationTable.pair.name: { gateway, call in gateway.pairing(call) },
        OperationTable.inspect.name: { gateway, call in gateway.operations.inspection(call) },
    ]

    static subscript(name: OperationName) -> Beginning? { byName[name] }
}
