// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreBluetooth

@Suite("Room for write commands")
struct WriteCommandRoomTests {
    @Test func `a delegate that was told to wait is told once when it may write, and keeps one place`() {
        var room = WriteCommandRoom()
        for _ in 0..<WriteCommandRoom.limit {
            let may = room.mayWrite(isConnected: true)
            #expect(may)
            room.wrote()
        }
        let may = room.mayWrite(isConnected: true)
        #expect(!may && !room.hasRoom)
        room.left()
        #expect(room.hasRoom && !room.hasRoomForOthers, "the place is the delegate's")
        let told = [room.takeReady(), room.takeReady()]
        #expect(told == [true, false])
        #expect(room.hasRoomForOthers)
    }

    @Test func `without a link nobody may write, and nobody is told after its end`() {
        var room = WriteCommandRoom()
        let may = room.mayWrite(isConnected: false)
        room.linkClosed()
        let isTold = room.takeReady()
        #expect(!may && !isTold)
        room.left()
        room.linkOpened()
        #expect(room.hasRoom)
    }
}
