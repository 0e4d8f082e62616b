import AudioMedia
import Testing

@testable import DuetApp

/// What changes of a bus when its songs begin, and what is kept of them.
@Suite struct RememberedBusTests {
    private let start = MixPlan()
    private let songs = ["/a.mp3", "/b.mp3", "/c.mp3"].map(Location.file)

    private func bus() -> RememberedBus {
        let plan = MemoryPlan(folder: "/nowhere", forgets: false, given: [], configured: start)
        return RememberedBus(plan, bus: 0, name: "song", vocabulary: start.vocabulary)
    }

    private func parameter(_ address: String) throws -> MixParameter {
        try #require(start.vocabulary.parameter(address))
    }

    /// The mix when the song of that number begins, of which `values` are remembered, and which takes
    /// all but those at `refused`.
    private func begin(
        _ number: Int, _ values: [String: Double], on bus: inout RememberedBus, _ mix: MixPlan,
        refused: String? = nil
    ) -> MixPlan {
        bus.find(songs[number - 1], number: number)
        _ = bus.learn(values, number: number)
        let found = bus.open(number, in: mix, at: 0).values
        return bus.apply(found ?? [:], to: mix) { parameter, _ in parameter.address != refused }.mix
    }

    /// The mix after a user has set a value.
    private func set(
        _ address: String, _ value: Double, on bus: inout RememberedBus, _ mix: MixPlan
    ) throws -> MixPlan {
        var new = mix
        new[try parameter(address)] = value
        let isEffect = bus.note([address])
        #expect(isEffect == (address != "/song/volume"))
        return new
    }

    /// A song that cannot have the value that is to come back has all others, and the song after it
    /// has that one, too.
    @Test(arguments: [false, true]) func aValueThatASongCannotHave(isSetByHand: Bool) throws {
        var bus = bus()
        let (tempo, volume) = try (parameter("/song/tempo"), parameter("/song/volume"))
        var mix = try set("/song/tempo", 80, on: &bus, start)
        _ = bus.end(in: mix)
        mix = begin(
            1, ["/song/tempo": 90, "/song/volume": 0.25], on: &bus, mix)
        #expect(mix[tempo] == 90 && mix[volume] == 0.25)
        _ = bus.end(in: mix)
        mix = begin(2, [:], on: &bus, mix, refused: "/song/tempo")
        #expect(mix[tempo] == 90 && mix[volume] == 1)
        if isSetByHand { mix = try set("/song/tempo", 100, on: &bus, mix) }
        _ = bus.end(in: mix)
        mix = begin(3, [:], on: &bus, mix)
        #expect(mix[tempo] == (isSetByHand ? 100 : 80) && mix[volume] == 1)
    }

    /// What is changed by hand stays for the next song; but not where it is remembered of the song in
    /// which it is changed.
    @Test func whatIsChangedByHand() throws {
        var bus = bus()
        let (key, volume) = try (parameter("/song/key"), parameter("/song/volume"))
        var mix = begin(1, ["/song/key": 1], on: &bus, start)
        mix = try set("/song/key", 2, on: &bus, mix)
        mix = try set("/song/volume", 0.5, on: &bus, mix)
        let kept = bus.end(in: mix)
        #expect(kept == ["/song/key": 2, "/song/volume": 0.5])
        mix = begin(2, [:], on: &bus, mix)
        #expect(mix[key] == 0 && mix[volume] == 0.5)
        let keptOfSecond = bus.end(in: mix)
        #expect(keptOfSecond.isEmpty)
        // Between two songs what is changed is the next one's.
        mix = try set("/song/key", -1, on: &bus, mix)
        mix = begin(3, ["/song/key": 5], on: &bus, mix)
        #expect(mix[key] == -1)
    }

    /// For 2 s from its beginning a song waits for what is remembered of it.
    @Test func whatComesTooLate() {
        var bus = bus()
        bus.find(songs[0], number: 1)
        let first = bus.open(1, in: start, at: 10).values
        let late = [11.9, 12, 13].map { bus.giveUp(at: $0) }
        let isSet = bus.learn(["/song/key": 1], number: 1)
        #expect(first == nil && late == [false, true, false] && !isSet)

        bus.find(songs[1], number: 2)
        let second = bus.open(2, in: start, at: 20).values
        let isLate = bus.giveUp(at: 21)
        let isSetNow = bus.learn(["/song/key": 1], number: 2)
        let isLateNow = bus.giveUp(at: 30)
        #expect(second == nil && !isLate && isSetNow && !isLateNow)
    }

    /// A reset forgets the song that is heard; what is changed then is remembered, and the next song
    /// begins as after the reset.
    @Test func aResetForgetsTheSong() throws {
        var bus = bus()
        let key = try parameter("/song/key")
        var mix = begin(1, ["/song/key": 3, "/song/volume": 0.5], on: &bus, start)
        bus.reset()
        mix = try set("/song/tempo", 90, on: &bus, start)
        let kept = bus.end(in: mix)
        #expect(kept["/song/key"] == .some(nil) && kept["/song/volume"] == .some(nil))
        #expect(kept["/song/tempo"] == 90 && kept.count == bus.parameters.count)
        mix = begin(2, [:], on: &bus, mix)
        #expect(mix[key] == 0)
        let keptOfSecond = bus.end(in: mix)
        #expect(keptOfSecond.isEmpty)
    }

    /// Undone, everything is remembered as before it; also where the song is over, and its file was
    /// emptied.
    @Test(arguments: [false, true]) func aResetIsUndone(isOver: Bool) throws {
        var bus = bus()
        let key = try parameter("/song/key")
        let first = begin(1, ["/song/key": 3, "/song/volume": 0.5], on: &bus, start)
        let before = try set("/song/tempo", 90, on: &bus, first)
        bus.reset()
        _ = try set("/song/volume", 0.25, on: &bus, start)
        if isOver { _ = bus.end(in: start) }
        let (values, keptNow) = bus.undoReset(in: before)
        let kept = ["/song/key": 3, "/song/volume": 0.5, "/song/tempo": 90]
        let keptAtTheEnd = isOver ? keptNow : bus.end(in: before)
        #expect(keptAtTheEnd == kept && keptNow.isEmpty == !isOver && values == nil)
        // What was remembered of the song is not the next one's.
        let next = begin(2, [:], on: &bus, before)
        #expect(next[key] == 0)
    }

    /// Undone after the song has begun, the song has both what users changed before the reset and what
    /// is remembered of it.
    @Test func aResetBeforeTheSongBeginsIsUndone() throws {
        var bus = bus()
        let (key, tempo, volume) = try (
            parameter("/song/key"), parameter("/song/tempo"), parameter("/song/volume")
        )
        let before = try set("/song/tempo", 80, on: &bus, set("/song/key", 2, on: &bus, start))
        bus.reset()
        let begun = begin(1, ["/song/tempo": 90, "/song/volume": 0.5], on: &bus, start)
        #expect(begun[tempo] == 90 && begun[key] == 0)
        let (values, changes) = bus.undoReset(in: before)
        let mix = bus.apply(values ?? [:], to: before) { _, _ in true }.mix
        #expect(mix[key] == 2 && mix[tempo] == 80 && mix[volume] == 0.5 && changes.isEmpty)
        let kept = bus.end(in: mix)
        #expect(kept == ["/song/key": 2, "/song/tempo": 80])
        // The next song has what was changed by hand, and not what was remembered.
        let next = begin(2, [:], on: &bus, mix)
        #expect(next[key] == 2 && next[tempo] == 80 && next[volume] == 1)
    }
}
