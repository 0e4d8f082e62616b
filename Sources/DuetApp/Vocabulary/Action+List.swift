extension Action {
    /// Whether a key does it while the page of the list is open. There a host looks for the next song while
    /// somebody sings: of the sound only pause, next and previous song, mutes and volumes are changed.
    var isDoneBesideList: Bool {
        switch self {
        case .page, .add, .get, .find: true
        case .save: false
        case .trigger(let trigger):
            switch trigger {
            case .next, .previous, .playSelected, .removeSelected, .moveUp, .moveDown,
                .undoListChange, .separate, .typeSong, .closePage, .changeView, .quit:
                true
            case .restart, .repeatLine, .fetchWords, .tap, .tapEnd, .undoTap, .tapSlowly, .loop,
                .swap, .releaseMicrophone,
                .releaseSecondMicrophone,
                .releaseThirdMicrophone, .releaseFourthMicrophone,
                .playTake,
                .discardTake, .reset:
                false
            }
        case .set(let target, _), .adjust(let target, _), .toggle(let target):
            switch target {
            case .parameter(let parameter):
                parameter.unit == .mixer && [.mute, .volume].contains(parameter.name)
                    && !parameter.address.hasPrefix("/out/")
            case .state(.play, _), .state(.listSong, _), .state(.listSelected, _): true
            case .state, .ofChannel: false
            }
        }
    }
}
