import AudioGraph

// Songs that users choose. Each is opened while the one before goes on.
extension SongWorker {
    /// Plays the song that is wished for: at once where it is there, else as soon as it is open.
    func play(_ wish: SongLine.Wish) {
        // The song that is heard is not opened again where its beginning can be reached.
        if wish.id == line.heardID, let track = line.heardTrack, filler.hasBegun,
            track.station == nil, track.failure == nil, track.facts.reachesBeginning
        {
            line.dropWish()
            line.list.takeChoice()
            tellBeginning(of: wish)
            let beginning = PendingSeek(number: wish.goal.number, seconds: 0)
            if !go(to: beginning) { seeker.settle(beginning) }
        } else if wish.id == line.list.decoded, line.joints.isEmpty, !filler.hasBegun,
            ringState != .over
        {
            // It is being opened already.
            line.dropWish()
            line.list.takeChoice()
            tellBeginning(of: wish)
            seeker.progress = .asked(wish.goal)
        } else {
            line.begin(wish)
            if line.wished != nil, line.wished === line.track { return carryOut(wish) }
            noteWish()
        }
    }

    /// The song before is heard where it is, until the one that is wished for begins.
    func noteWish() {
        guard let goal = line.wish?.goal else { return }
        seeker.settle(goal)
        control.update { $0.choicePlace = goal.seconds }
    }

    /// Goes on opening the song that is wished for. The one before plays on until that is open, or
    /// for good where it cannot be played.
    func openWish() {
        if let refused = line.openWish() { return giveUp(refused.goal) }
        herald.announce(line.wished)
        if let wish = line.wish, let track = line.wished, track.isOpen, !herald.holds(track) {
            carryOut(wish)
        }
    }

    func carryOut(_ wish: SongLine.Wish) {
        begin(entry: wish.id, at: wish.goal)
        line.dropWish()
        control.settle(wish.goal, next: wish.goal)
        control.update { $0.choicePlace = nil }
        tellBeginning(of: wish)
    }

    /// A pause ends with it, and with the call that the event asks for.
    private func tellBeginning(of wish: SongLine.Wish) {
        if wish.resumes { isPaused = false }
        hold(wish.waits)
        control.emit(.choiceBegins)
    }

    /// What `goal` was to begin is not played: what was heard before goes on.
    func giveUp(_ goal: PendingSeek) {
        control.update { [isHeld] in
            $0.isHeld = isHeld
            $0.choicePlace = nil
        }
        seeker.settle(goal)
        if ringState == .over { control.tellFinished() }
    }
}
