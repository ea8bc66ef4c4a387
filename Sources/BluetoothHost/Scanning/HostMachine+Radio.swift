// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The radio's plan: when to scan, when to initiate, when to advertise.
extension HostMachine {
    mutating func plan(at now: MonotonicTime) {
        refuseLinksBeyondLimit()
        advertising.reopen(at: now)
        var wanted: RadioUsers = []
        if scan.hasDemand || listensForPeers || radio.isProbing { wanted.insert(.scan) }
        if initiator.wantsRadio { wanted.insert(.initiate) }
        let kinds = advertisedKinds
        if !kinds.isEmpty { wanted.insert(.advertise) }
        wanted.subtract(usersBarredByLinks)
        let conflicts = radio.conflicts(
            of: kinds, and: scan.isActive ? .activeScanning : .passiveScanning, with: controller)
        var turn = radio.turn(of: wanted, conflicts: conflicts, at: now)
        wantResolving()
        if planAddress(at: now) {
            turn = []
        } else if addresses.privacy.wantsAddressChange {
            turn.remove(.advertise)
        }
        let needsQuiet = advertisingNeedsQuiet && turn.contains(.advertise)
        if needsQuiet { turn = .advertise }

        let mayScan = turn.contains(.scan) && mayBegin(.scan, conflicts)
        let setup = mayScan ? scanSetup(isAlone: wanted == .scan) : nil
        switch radio.nextScan(wanted: setup, at: now) {
        case .setParameters(let setup): setScanParameters(setup)
        case .enable: submitScanEnable(true)
        case .stop: submitScanEnable(false)
        case nil: break
        }
        initiator.suspend(!turn.contains(.initiate) || !mayBegin(.initiate, conflicts))
        if let effect = initiator.next(at: now) { perform(effect) }
        planAdvertising(
            mayAdvertise: turn.contains(.advertise) && mayBegin(.advertise, conflicts),
            isQuiet: needsQuiet && activeUsers.isDisjoint(with: [.scan, .initiate]), at: now)
        if activeUsers.isEmpty {
            changeAddress(at: now)
            changeResolvingList(at: now)
        }
    }

    /// The controller is in use, and has reported that the scan is on.
    package var isScanning: Bool { state == .ready && radio.isScanning }

    /// The controller has granted the last scan. Other uses may have the radio in between.
    package var grantsScans: Bool { state == .ready && radio.grantsScans }

    /// Uses of the radio that the controller never grants.
    package var refusedUses: [RadioHealth.Refusal] { state == .ready ? radio.commands.problems : [] }

    /// A client waits for a connection.
    package var wantsConnections: Bool { state == .ready && initiator.wantsRadio }

    /// Switches a scan without a client on or off, to hear whether the radio works.
    package mutating func probe(_ isWanted: Bool, at now: MonotonicTime) {
        guard radio.isProbing != isWanted else { return }
        radio.probe(isWanted)
        pump(at: now)
    }

    /// Stops the scan and starts the scan again.
    package mutating func renewScan(at now: MonotonicTime) {
        radio.renewScan()
        pump(at: now)
    }

    /// The uses that have the radio now, or may have it.
    var activeUsers: RadioUsers {
        var users: RadioUsers = []
        if radio.mayScan { users.insert(.scan) }
        if initiator.isInitiating { users.insert(.initiate) }
        if advertising.isActive { users.insert(.advertise) }
        return users
    }

    /// A user that is on stays on for its turn. A user may begin after all users in conflict with it are off.
    private func mayBegin(_ user: RadioUsers, _ conflicts: Set<RadioUsers>) -> Bool {
        let active = activeUsers
        return active.contains(user)
            || !conflicts.contains { $0.isSuperset(of: user) && !$0.subtracting(user).isDisjoint(with: active) }
    }

    /// Uses that a controller does not support while a Central is connected to us. Beside links with us as the Central,
    /// every use has always been tried, and works.
    private var usersBarredByLinks: RadioUsers {
        guard controller.states != [], links.hasLink(as: .peripheral) else { return [] }
        var users: RadioUsers = []
        if !controller.states.contains(.activeScanningAndPeripheral) { users.insert(.scan) }
        if !controller.states.contains(.initiatingAndPeripheral) { users.insert(.initiate) }
        return users
    }

    private func scanSetup(isAlone: Bool) -> ScanSetup {
        let timing: ScanTiming
        if scan.isBackground, !initiator.wantsRadio {
            timing = .background
        } else {
            timing = links.isEmpty && isAlone ? .continuous : .shared
        }
        return ScanSetup(timing: timing, isActive: scan.isActive)
    }

    /// How to listen on LE 1M, and on LE Coded if the controller has LE Coded.
    private func shares(of timing: ScanTiming) -> (le1M: ScanTiming, leCoded: ScanTiming?) {
        guard controller.usesCoded, let shares = timing.sharesOfTwoPHYs else { return (timing, nil) }
        return shares
    }

    private mutating func setScanParameters(_ setup: ScanSetup) {
        if controller.usesExtendedCommands {
            let shares = shares(of: setup.timing)
            submit(
                LESetExtendedScanParameters(
                    active: setup.isActive, timing: shares.le1M, coded: shares.leCoded, ownAddress: ownAddressType))
        } else {
            submit(LESetScanParameters(active: setup.isActive, timing: setup.timing, ownAddress: ownAddressType))
        }
    }

    private mutating func submitScanEnable(_ enable: Bool) {
        if controller.usesExtendedCommands {
            submit(LESetExtendedScanEnable(enable: enable))
        } else {
            submit(LESetScanEnable(enable: enable))
        }
    }

    private mutating func perform(_ effect: InitiatorMachine.Effect) {
        switch effect {
        case .clearList: submit(LEClearFilterAcceptList())
        case .addToList(let address): submit(LEAddDeviceToFilterAcceptList(address: address))
        case .removeFromList(let address): submit(LERemoveDeviceFromFilterAcceptList(address: address))
        case .cancel: submit(LECreateConnectionCancel())
        case .create(let target):
            addresses.beginsToInitiate(with: controller)
            let timing: ScanTiming = links.isEmpty && !advertising.isActive ? .continuous : .shared
            if controller.usesExtendedCommands {
                let shares = shares(of: timing)
                submit(
                    LEExtendedCreateConnection(
                        target: target, timing: shares.le1M, coded: shares.leCoded,
                        uses2M: controller.uses2M, ownAddress: ownAddressType,
                        parameters: linkDefaults.parameters))
            } else {
                submit(
                    LECreateConnection(
                        target: target, timing: timing, ownAddress: ownAddressType,
                        parameters: linkDefaults.parameters))
            }
        }
    }
}
