// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The radio's plan: when to scan, when to initiate.
extension HostMachine {
    /// How long the radio listens, or initiates, before the other has its turn.
    static let slice: Duration = .seconds(4)

    mutating func plan(at now: MonotonicTime) {
        let canDoBoth = controller.scansWhileInitiating
        let wantsScan = scan.hasDemand || listensForPeers
        let isContended = !canDoBoth && wantsScan && initiator.wantsRadio
        // A controller that cannot listen and initiate at once does them in turns.
        let slice = now.nanoseconds / Self.slice.wholeNanoseconds
        sliceEnd = isContended ? MonotonicTime(nanoseconds: (slice + 1) * Self.slice.wholeNanoseconds) : nil
        privacy.advance(to: now)
        let pauses = privacy.wantsAddressChange
        let mayScan = wantsScan && !pauses && (!isContended || slice % 2 == 0) && (canDoBoth || !initiator.isInitiating)
        let timing: ScanTiming? = mayScan ? (links.isEmpty && !initiator.wantsRadio ? .continuous : .shared) : nil
        switch scanControl.next(wanted: timing, at: now) {
        case .start(let timing): startScan(timing)
        case .stop: submitScanEnable(false)
        case nil: break
        }
        let isScanning = scanControl.running != nil || scanControl.isChanging
        initiator.isSuspended = pauses || !canDoBoth && (isScanning || (isContended && slice % 2 == 0))
        if let effect = initiator.next(at: now) { perform(effect) }
        if pauses, !isScanning, !initiator.isInitiating { changeAddress(at: now) }
    }

    private mutating func startScan(_ timing: ScanTiming) {
        if controller.usesExtendedCommands {
            submit(LESetExtendedScanParameters(active: true, timing: timing, ownAddress: ownAddressKind))
        } else {
            submit(LESetScanParameters(active: true, timing: timing, ownAddress: ownAddressKind))
        }
        submitScanEnable(true)
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
            let timing: ScanTiming = links.isEmpty ? .continuous : .shared
            if controller.usesExtendedCommands {
                submit(
                    LEExtendedCreateConnection(
                        target: target, timing: timing, ownAddress: ownAddressKind, parameters: parameters))
            } else {
                submit(
                    LECreateConnection(
                        target: target, timing: timing, ownAddress: ownAddressKind, parameters: parameters))
            }
        }
    }
}
