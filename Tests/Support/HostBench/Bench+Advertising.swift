// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI

/// Our host as advertiser and Peripheral.
extension Bench {
    /// An advertising report of the tester's controller.
    struct Report: Equatable {
        /// 0 connectable, 1 directed, 2 scannable, 3 neither, 4 scan response.
        let type: UInt8
        let address: DeviceAddress
        let data: [UInt8]
    }

    /// Our host begins to advertise. Returns when the advertising is on.
    func advertise(
        _ data: String, scanResponse: String = "", _ kind: AdvertisingKind = .connectable,
        duration: Duration? = nil
    ) throws {
        let demand = AdvertisingDemand(
            data: hex(data), scanResponse: hex(scanResponse), kind: kind, duration: duration)
        host.setAdvertising(demand, for: Self.client, at: now)
        try wait(for: "advertising") { if case .advertisingStarted = $0 { true } else { nil } }
    }

    /// Reports that the tester hears during `time`.
    func listen(active: Bool = true, during time: Duration = .seconds(2)) throws -> [Report] {
        try peer.scan(active: active)
        run(for: time)
        try peer.order(.leSetScanEnable, [0, 0])
        var reports: [Report] = []
        while let event = peer.takeEvent({
            $0[0] == 0x3E && $0[2] == LESubeventCode.advertisingReport.rawValue ? $0 : nil
        }) {
            let value = event[6..<12].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let address = DeviceAddress(kind: event[5] & 1 == 0 ? .public : .random, value: value)
            reports.append(Report(type: event[4], address: address, data: Array(event[13..<(13 + Int(event[12]))])))
        }
        return reports
    }

    /// The tester hears our host as `type`, with this data and from this address, and never otherwise.
    func heard(
        type: UInt8, _ data: String, scanResponse: String? = nil, from address: DeviceAddress = hostAddress
    ) throws {
        let seen = try listen()
        let advertisement = Report(type: type, address: address, data: hex(data))
        let response = scanResponse.map { Report(type: 4, address: address, data: hex($0)) }
        let isEmptyResponse = { (report: Report) in report.type == 4 && report.data.isEmpty }
        try require(seen.contains(advertisement), "expected \(advertisement); heard \(seen)")
        if let response { try require(seen.contains(response), "expected \(response); heard \(seen)") }
        let other = seen.first { $0 != advertisement && $0 != response && !isEmptyResponse($0) }
        try require(other == nil, "heard \(String(describing: other)) as well")
    }

    /// The tester connects to our host.
    func accept(from own: DeviceAddress = hostAddress, as kind: DeviceAddress.Kind = .public) throws {
        try peer.initiate(to: own, from: kind)
        try wait(for: "a Central") { if case .linkUp(_, _, .peripheral) = $0 { true } else { nil } }
        run(for: .seconds(1), until: { !peer.handles.isEmpty })
        _ = try peer.link
    }

    /// The tester tries to connect and cannot.
    func refusesConnections() throws {
        try peer.initiate(to: Self.hostAddress)
        run(for: .seconds(10))
        try require(peer.handles.isEmpty, "the tester has a link")
        try peer.order(.leCreateConnectionCancel)
    }
}
