import Rig

/// The live commands, by what plays beside the song.
enum LiveKind: CaseIterable {
    case oneMicrophone, twoMicrophones, fourMicrophones, secondSong

    /// The command and its songs; microphones are connected to nothing.
    func words(_ first: String, _ second: String) -> [String] {
        switch self {
        case .oneMicrophone: ["sing", first, second, "--mic", "none"]
        case .twoMicrophones: ["sing", first, second, "--mic", "none", "--second-mic", "none"]
        case .fourMicrophones:
            Self.twoMicrophones.words(first, second)
                + ["--third-mic", "none", "--fourth-mic", "none"]
        case .secondSong: ["mix", first, second]
        }
    }

    /// The names of its strips on the screen, from left to right.
    var strips: [String] {
        switch self {
        case .oneMicrophone: ["song", "mic", "out"]
        case .twoMicrophones: ["song", "mic", "mic2", "out"]
        case .fourMicrophones: ["song", "mic", "mic2", "mic3", "mic4", "out"]
        case .secondSong: ["song", "second", "out"]
        }
    }

    var addresses: [Address] {
        switch self {
        case .oneMicrophone: Address.ofSing.filter { !$0.name.hasPrefix("/mic2/") }
        case .twoMicrophones: Address.ofSing
        case .fourMicrophones: Address.ofFour
        case .secondSong: Address.ofMix
        }
    }
}
