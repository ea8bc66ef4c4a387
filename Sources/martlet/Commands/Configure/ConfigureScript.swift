// SPDX-License-Identifier: Apache-2.0

import Foundation
import Provisioning

/// Carries out a plan in a sensible order: first the actions that identify the gateway, then settings, then sensors.
struct ConfigureScript {
    let client: ProvisioningClient
    let plan: ConfigurePlan
    let report: any ConfigureReport
    /// How long to listen for sensors.
    let listening: Duration

    func run() async throws(ProvisioningClientError) {
        if plan.identifies {
            try await client.identify()
            report.show(.identified)
        }
        if plan.setsTime {
            try await client.setTime()
            report.show(.time(try await client.time()))
        }
        if let isOpen = plan.window {
            try await client.setWindow(isOpen: isOpen)
            report.show(.window(try await client.window()))
        }
        if plan.listsNetworks {
            for network in try await client.scanNetworks() { report.show(.network(network)) }
            report.flush()
        }
        try await stage()
        if plan.hasSettings || plan.applies {
            try await client.apply { report.show(.progress($0)) }
        }
        try await changeSensors()
        if plan.listsSensors {
            for sensor in try await client.sensors(within: listening) { report.show(.sensor(sensor)) }
            report.flush()
        }
        if plan.showsStatus { report.show(.status(try await client.status())) }
        if plan.showsLog { for line in try await client.log() { report.show(.log(line)) } }
        if plan.rollsBack {
            // Staged changes are dropped first. A second call undoes the last applied change.
            if try await client.presentation().state == "staged" {
                try await client.dropStaged()
                report.show(.dropped)
            } else {
                try await client.rollBack()
                report.show(.rolledBack)
            }
        }
        if plan.resets {
            try await client.resetToFactory()
            report.show(.reset)
        }
    }

    private func stage() async throws(ProvisioningClientError) {
        if let name = plan.name {
            try await client.setName(name)
            report.show(.staged("Name"))
        }
        if let country = plan.country {
            try await client.setCountry(country)
            report.show(.staged("Wi-Fi country"))
        }
        if let wireless = plan.wireless {
            try await client.setWireless(wireless.message)
            report.show(.staged("Wi-Fi"))
        }
        if let authority = plan.authority {
            if authority.isEmpty {
                try await client.removeAuthority()
                report.show(.staged("CA certificate"))
            } else {
                try await client.uploadAuthority(authority) { report.show(.uploaded(octets: $0, size: $1)) }
            }
        }
        if !plan.broker.isEmpty {
            try await client.setBroker(plan.broker.message)
            report.show(.staged("Broker"))
        }
    }

    private func changeSensors() async throws(ProvisioningClientError) {
        for sensor in plan.accepts {
            try await client.accept(sensor)
            report.show(.accepted(sensor.id ?? sensor.address))
        }
        for sensor in plan.forgets {
            try await client.forget(sensor: sensor)
            report.show(.forgotten(sensor))
        }
    }
}
