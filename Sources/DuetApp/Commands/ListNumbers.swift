/// The numbers that songs have in a list after all of them were put there, from what was told when each
/// was.
struct ListNumbers {
    private var songs: [(index: Int, number: Int)] = []

    /// The song `index` was put at a number; songs at that number and behind it moved on by one.
    mutating func add(_ index: Int, at number: Int) {
        for other in songs.indices where songs[other].number >= number {
            songs[other].number += 1
        }
        songs.append((index, number))
    }

    /// The songs by their indices, with their numbers.
    var inOrder: [(index: Int, number: Int)] { songs.sorted { $0.index < $1.index } }
}
