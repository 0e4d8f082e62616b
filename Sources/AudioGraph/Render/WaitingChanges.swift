/// The changes of a schedule that are not due yet. The render thread's alone.
@safe struct WaitingChanges: ~Copyable {
    // Safety: only the render thread uses it, and whoever makes and frees it.

    private let schedule: UnsafePointer<Schedule>
    /// The earliest first.
    private let changes: UnsafeMutablePointer<Schedule.Change>
    private var count = 0

    init(of schedule: UnsafePointer<Schedule>) {
        unsafe self.schedule = schedule
        unsafe changes = .allocate(capacity: Schedule.capacity)
    }

    deinit { unsafe changes.deallocate() }

    /// Carries out what is due at `frame`; returns how many frames there are until the next change.
    @_noLocks mutating func apply(at frame: Int) -> Int {
        while let new = unsafe schedule.pointee.take() { insert(new) }
        guard count > 0 else { return .max }
        var due = 0
        while due < count, unsafe changes[due].frame <= frame {
            let change = unsafe changes[due]
            unsafe change.mailbox.pointee.put(change.value, ramp: change.ramp)
            due += 1
        }
        if due > 0 {
            count -= due
            for i in 0..<count { unsafe changes[i] = changes[i + due] }
            unsafe schedule.pointee.finish(due)
        }
        return count > 0 ? unsafe changes[0].frame - frame : .max
    }

    @_noLocks private mutating func insert(_ change: Schedule.Change) {
        for i in 0..<count
        where unsafe changes[i].frame == change.frame && changes[i].mailbox == change.mailbox {
            unsafe changes[i] = change
            unsafe schedule.pointee.finish(1)
            if change.ramp < 0 { giveUp(i) }
            return
        }
        guard change.ramp >= 0 else { return unsafe schedule.pointee.finish(1) }
        var place = count
        while place > 0, unsafe changes[place - 1].frame > change.frame {
            unsafe changes[place] = changes[place - 1]
            place -= 1
        }
        unsafe changes[place] = change
        count += 1
    }

    @_noLocks private mutating func giveUp(_ place: Int) {
        count -= 1
        for i in place..<count { unsafe changes[i] = changes[i + 1] }
        unsafe schedule.pointee.finish(1)
    }
}
