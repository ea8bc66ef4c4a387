// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Which procedure carries out which request.
extension GATTClientMachine {
    /// There is nothing to ask the server.
    enum Unneeded: Error {
        case known(Result<GATTResponse, GATTError>)
    }

    func procedure(for request: GATTRequest) -> Result<any GATTProcedure, Unneeded> {
        let procedure: (any GATTProcedure)?
        switch request {
        case .discoverServices(let uuids):
            procedure = uuids == [] ? nil : ServicesSearch(uuids, without: omitted)
        case .discoverIncludedServices(let handles): procedure = IncludedServicesDiscovery(handles)
        case .discoverCharacteristics(let handles, let uuids): procedure = CharacteristicDiscovery(handles, uuids)
        case .discoverDescriptors(let handles):
            procedure = handles.start <= handles.end ? DescriptorDiscovery(handles) : nil
        case .read(let handle): procedure = ValueRead(handle: handle)
        case .readByType(let type): procedure = TypeRead(type: type)
        case .readAll(let type, let handles): procedure = RangeRead(type: type, in: handles)
        case .readMultiple(let handles):
            procedure = isSendable(handles) ? MultipleRead(handles: handles) : nil
        case .readMultipleVariable(let handles):
            procedure = isSendable(handles) ? MultipleVariableRead(handles: handles) : nil
        case .write(let handle, let value): procedure = ValueWrite(handle: handle, value: value)
        case .reliableWrite(let items): procedure = ValueWrite(reliably: items)
        case .watchServices: procedure = watch
        case .configure(let valueHandle, let endHandle, let configuration):
            if let descriptor = cache.configuration(of: valueHandle, endHandle: endHandle) {
                procedure = Configuration(descriptor: descriptor, configuration)
            } else {
                procedure = Configuration(
                    valueHandle: valueHandle, endHandle: endHandle, configuration, without: omitted)
            }
        }
        return procedure.map { .success($0) } ?? .failure(.known(Self.nothing(of: request)))
    }

    /// Two handles at least, as many as fit into one PDU. Core 5.4, Vol 3, Part F, 3.4.4.7.
    private func isSendable(_ handles: [UInt16]) -> Bool { handles.count >= 2 && 1 + 2 * handles.count <= mtu }

    /// The result of a request that needs no PDU.
    private static func nothing(of request: GATTRequest) -> Result<GATTResponse, GATTError> {
        switch request {
        case .discoverDescriptors: .success(.descriptors([]))
        case .configure: .success(.unconfigured)
        case .reliableWrite: .success(.written)
        case .readMultiple, .readMultipleVariable: .failure(.refused(.invalidPDU))
        case .readAll: .failure(.refused(.invalidHandle))
        default: .success(.services([]))
        }
    }

    private var watch: ServiceWatch {
        guard cache.phase == .current else { return ServiceWatch(without: omitted) }
        // A restored Service Changed has only to be switched on. Client Supported Features is left as it is then: with
        // robust caching the server would refuse requests, but Service Changed tells of changes while the link lasts,
        // and the hash on the next link of those in between.
        if case .present(let characteristic, let configuration) = cache.known.watch {
            return ServiceWatch(characteristic, configuration: configuration)
        }
        let service = BluetoothUUID(GATTAttributeType.genericAttributeService)
        if case .services(let found) = cache.known.answer(to: .discoverServices([service])),
            let handles = found.first?.handles
        {
            return ServiceWatch(in: handles)
        }
        return ServiceWatch(without: omitted)
    }
}
