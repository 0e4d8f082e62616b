/// The commands that the user's configuration is for.
enum ConfiguredCommands {
    static let all: [any ConfiguredCommand.Type] = [
        Sing.self, Play.self, Mix.self, Render.self, GraphCommand.self, Demo.self,
    ]
}
