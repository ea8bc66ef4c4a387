// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Logging
import Testing
import TestSupport

/// Details of Apple's documents: descriptions, texts of errors, keys.
@Suite(.timeLimit(.minutes(10)))
struct DocumentedBehaviourTests {
    @Test func `services and characteristics describe themselves`() {
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let rate = CBMutableCharacteristic(
            type: CBUUID(string: "2A37"), properties: [.read, .notify], value: Data([0, 60]), permissions: .readable)
        service.characteristics = [rate]
        #expect("\(service)" == "<CBMutableService isPrimary = true, UUID = 180D>")
        #expect(
            "\(rate)"
                == "<CBMutableCharacteristic UUID = 2A37, properties = 0x12, value = {length = 2, bytes = 0x003c}, "
                + "notifying = NO>")
        let empty = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: .read, value: nil, permissions: .readable)
        #expect("\(empty)".contains("value = (null)"))
        let long = CBMutableCharacteristic(
            type: CBUUID(string: "2A38"), properties: .read, value: Data(count: 65), permissions: .readable)
        #expect("\(long)".contains("length = 65") && "\(long)".contains("…"))
    }

    /// Words of Apple's texts, by code.
    static let causes: [(CBATTError.Code, [String])] = [
        (.invalidHandle, ["handle", "invalid"]), (.readNotPermitted, ["Reading", "not permitted"]),
        (.writeNotPermitted, ["Writing", "not permitted"]), (.invalidPdu, ["invalid"]),
        (.insufficientAuthentication, ["Authentication", "insufficient"]),
        (.requestNotSupported, ["request", "not supported"]), (.invalidOffset, ["offset", "invalid"]),
        (.insufficientAuthorization, ["Authorization", "insufficient"]), (.prepareQueueFull, ["queue", "full"]),
        (.attributeNotFound, ["attribute", "not be found"]), (.attributeNotLong, ["attribute", "not long"]),
        (.insufficientEncryptionKeySize, ["key size", "insufficient"]),
        (.invalidAttributeValueLength, ["length", "invalid"]), (.unlikelyError, ["unlikely error"]),
        (.insufficientEncryption, ["Encryption", "insufficient"]), (.unsupportedGroupType, ["group type"]),
        (.insufficientResources, ["resources", "insufficient"]),
    ]

    @Test func `the texts of errors of an attribute server name the cause`() {
        for (code, words) in Self.causes {
            let error: any Error = CBATTError(code)
            for word in words {
                #expect(error.localizedDescription.contains(word), "\(code): \(error.localizedDescription)")
            }
        }
        let texts = (1...255).compactMap { CBATTError.Code(rawValue: $0) }.map { CBATTError($0).localizedDescription }
        #expect(Set(texts).count == texts.count && texts.allSatisfy { $0.contains("(ATT error ") })
    }

    @Test func `errors have facts by Foundation's keys`() {
        let (error, refusal) = (CBError(.connectionTimeout), CBATTError(.readNotPermitted))
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
        #expect(refusal.userInfo[NSLocalizedDescriptionKey] as? String == refusal.localizedDescription)
        let given: [String: Any] = [NSLocalizedDescriptionKey: "no", "characteristic": "2A19"]
        #expect(CBError(.unknown, userInfo: given).userInfo["characteristic"] as? String == "2A19")
        #expect(CBATTError(.unlikelyError, userInfo: given).userInfo[NSLocalizedDescriptionKey] as? String == "no")
    }

    @Test func `keys of advertisements are Apple's`() {
        #expect(CBAdvertisementDataTimestampKey == "kCBAdvDataTimestamp")
        #expect(CBAdvertisementDataPrimaryPHYKey == "kCBAdvDataRxPrimaryPHY")
        #expect(CBAdvertisementDataLocalNameKey == "kCBAdvDataLocalName")
    }

    // MARK: Advertising

    private func makePeripheral(
        _ lines: LineCollector
    ) async throws -> (Application, PeripheralApplication, CBPeripheralManager) {
        let central = try Application()
        let peripheral = try PeripheralApplication(
            on: central.radio, logger: Logger(label: "test") { _ in CollectingHandler(lines: lines) })
        return (central, peripheral, try await peripheral.makeManager())
    }

    static let otherKeys = [
        CBAdvertisementDataTxPowerLevelKey, CBAdvertisementDataIsConnectable,
        CBAdvertisementDataSolicitedServiceUUIDsKey,
        CBAdvertisementDataOverflowServiceUUIDsKey, "kCBAdvDataAppleMfgData",
    ]

    @Test(arguments: otherKeys)
    func `a key that is not advertised is an error, and nothing is on the air`(key: String) async throws {
        let (central, peripheral, manager) = try await makePeripheral(LineCollector())
        defer { withExtendedLifetime(central) {} }
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Test", key: NSNumber(value: 1)])
        try await peripheral.hears("advertising CBErrorDomain 1")
        #expect(!manager.isAdvertising)
    }

    @Test func `what finds no room is in the log`() async throws {
        let lines = LineCollector()
        let (central, peripheral, manager) = try await makePeripheral(lines)
        defer { withExtendedLifetime(central) {} }
        let uuids = (0..<4).map { CBUUID(string: "7A1B000\($0)-6F0E-4C55-9C7D-2B0F3E8D4A11") }
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: uuids])
        try await peripheral.hears("advertising")
        #expect(lines.all == ["services are not advertised: the advertisement has no room for them"])
        manager.stopAdvertising()
        peripheral.forget()
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "No room", CBAdvertisementDataManufacturerDataKey: Data(count: 26),
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "180D"): Data(count: 25)],
        ])
        try await peripheral.hears("advertising")
        #expect(lines.all.last == "the name is not advertised: the advertisement has no room for it")
    }

    @Test func `a characteristic with a value can be read, whatever its permissions say`() async throws {
        let (central, peripheral, manager) = try await makePeripheral(LineCollector())
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(type: CBUUID(string: "2A38"), properties: [], value: Data([7]), permissions: [])
        ]
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        let found = try await central.find(CBUUID(string: "2A38"), on: remote)
        #expect(found.properties == .read)
        #expect(try await remote.value(for: found, timeout: .seconds(20)) == Data([7]))
        centralManager.cancelPeripheralConnection(remote)
    }
}
