import ArgumentParser

/// What the program can be told to do.
enum Commands {
    static var all: [any ParsableCommand.Type] {
        [Sing.self, Play.self, Mix.self, Render.self, Graph.self, Doctor.self, Demo.self]
    }

    /// As they are typed.
    static var names: [String] { all.map { "\($0)".lowercased() } }
}
