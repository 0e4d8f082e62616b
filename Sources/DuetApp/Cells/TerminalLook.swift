import Glibc

/// What a terminal can show: how many colours, and whether more than ASCII.
struct TerminalLook: Sendable, Equatable {
    enum Colours: Int, Sendable, CaseIterable {
        case none, sixteen, many, all
    }

    var colours = Colours.none
    /// Whether the terminal moves no cursor, so that nothing can be drawn in place.
    var isDumb = false
    /// Whether characters beyond ASCII are replaced by others that resemble them.
    var isASCII = false
    /// What is behind the text.
    var ground = Ground.unknown

    /// Reads the environment: `NO_COLOR` (no-color.org), `COLORTERM`, `TERM`, and the locale.
    ///
    /// - Parameter variable: the value of an environment variable; nil where there is none.
    init(variable: (String) -> String?) {
        let terminal = variable("TERM") ?? ""
        isDumb = terminal.isEmpty || terminal == "dumb"
        if variable("NO_COLOR").map({ !$0.isEmpty }) ?? false || Self.isColourless(terminal) {
            colours = .none
        } else if ["truecolor", "24bit"].contains(variable("COLORTERM"))
            || terminal.hasSuffix("-direct")
        {
            colours = .all
        } else {
            colours = terminal.contains("256color") ? .many : .sixteen
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
        isASCII = !Self.isUTF8(locale ?? "C")
    }

    init(colours: Colours, isASCII: Bool = false) {
        (self.colours, self.isASCII) = (colours, isASCII)
    }

    /// The terminal that this process runs in.
    static var own: TerminalLook {
        TerminalLook { name in getenv(name).map { String(cString: $0) } }
    }

    /// DEC's terminals, but for the VT241 and the VT525, had no colours; `…-m` and `…-mono` say so
    /// themselves.
    private static func isColourless(_ terminal: String) -> Bool {
        let isDEC = terminal.hasPrefix("vt") && terminal.dropFirst(2).first?.isNumber == true
        return terminal.isEmpty || terminal == "dumb" || terminal.hasSuffix("-m")
            || terminal.hasSuffix("-mono")
            || isDEC && !terminal.hasPrefix("vt241") && !terminal.hasPrefix("vt525")
    }

    /// Whether text in the locale of that name is UTF-8. A name that this system does not know may
    /// still be that of the machine at which the user sits: it says so itself, then.
    private static func isUTF8(_ name: String) -> Bool {
        let codeset: String
        if let locale = newlocale(1 << LC_CTYPE, name, nil) {
            codeset = nl_langinfo_l(nl_item(CODESET), locale).map { String(cString: $0) } ?? ""
            freelocale(locale)
        } else {
            // language_TERRITORY.codeset@modifier
            codeset = String(name.drop { $0 != "." }.dropFirst().prefix { $0 != "@" })
        }
        return ["utf-8", "utf8"].contains(codeset.lowercased())
    }
}

// MARK: Characters

extension TerminalLook {
    /// What is shown of a character: itself, or the character of ASCII that resembles it.
    func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        isASCII ? Self.resembling(scalar) : scalar
    }

    /// What is shown of a text.
    func shown(_ text: String) -> String {
        guard isASCII else { return text }
        return String(
            String.UnicodeScalarView(text.compactMap { $0.unicodeScalars.first.map(shown) }))
    }

    /// What is shown of the names of keys: arrows have names in ASCII, since the characters that resemble them are
    /// keys, too.
    func namingArrows(_ keys: String) -> String {
        guard isASCII else { return keys }
        return [("←", "left"), ("→", "right"), ("↑", "up"), ("↓", "down")].reduce(keys) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    /// The character of ASCII that stands for another.
    private static func resembling(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard !scalar.isASCII else { return scalar }
        return switch scalar {
        case "━": "="
        case "─", "–", "—", "−", "▔": "-"
        case "╸", "▶", "▸", "→": ">"
        case "◂", "←": "<"
        case "█": "#"
        case "▒", "▄", "▅", "▆", "▇": ":"
        case "▁", "▂", "▃", "…", "░": "."
        case "●": "o"
        case "‖", "│", "┃", "▌", "▐": "|"
        case "·": ","
        case "×": "x"
        case "↑": "^"
        case "↓": "v"
        case "’", "‘": "'"
        case "“", "”": "\""
        default: "?"
        }
    }
}

// MARK: How styles look

extension TerminalLook {
    /// The bytes from which on characters have `style`, by ECMA-48 (SGR) and, beyond its eight
    /// colours, by xterm.
    func bytes(of style: CellStyle) -> [UInt8] {
        Self.sequences[ground.rawValue][colours.rawValue][Int(style.rawValue)]
    }

    private static let sequences: [[[[UInt8]]]] = Ground.allCases.map { ground in
        Colours.allCases.map { colours in
            CellStyle.allCases.map { Array("\u{1B}[\(parameters(of: $0, colours, ground))m".utf8) }
        }
    }

    private static func parameters(
        of style: CellStyle, _ colours: Colours, _ ground: Ground
    ) -> String {
        if [.many, .all].contains(colours), let colour = ground.colour(of: style) {
            let weight = [.ahead, .faint, .accent, .soft, .loud].contains(style) ? "0" : "0;1"
            return colours == .many
                ? "\(weight);38;5;\(colour.number)"
                : "\(weight);38;2;\(colour.red);\(colour.green);\(colour.blue)"
        }
        // On such a ground the terminal's own colour is the only one that is known to be readable.
        let isOwn =
            colours != .none && [.dim, .pale, .middle].contains(ground)
            || colours == .sixteen && ground == .light
        let weight =
            switch style {
            case .plain, .accent, .soft, .loud, .litSecond, .litBoth, .litBehind: "0"
            case .faint: colours == .sixteen && !isOwn ? "0;2" : "0"
            case .ahead: colours == .sixteen && !isOwn ? "0;2" : "0"
            case .strong, .hot, .lit: "0;1"
            case .sung: "0;1;4"
            case .sungSecond, .sungBoth, .sungBehind: colours == .none || isOwn ? "0;1;4" : "0;4"
            case .selected: "0;7"
            }
        guard !isOwn, let paint = paint(style) else { return weight }
        return switch colours {
        case .none: weight
        case .sixteen: paint.ansi.map { "\(weight);\($0)" } ?? weight
        case .many: "\(weight);38;5;\(paint.number)"
        case .all: "\(weight);38;2;\(paint.red);\(paint.green);\(paint.blue)"
        }
    }

    static func step(_ value: Int) -> Int { value < 48 ? 0 : max(1, (value - 35) / 40) }

    /// The colour of a style: of the eight, of xterm's 256, and as red, green and blue; nil: the terminal's own.
    ///
    /// A terminal does not say whether it is dark or light. Contrast to black and to white alike is 4.5 to 1
    /// (WCAG 2), 4 to 1 for two of the 256.
    private static func paint(
        _ style: CellStyle
    ) -> (ansi: Int?, number: Int, red: Int, green: Int, blue: Int)? {
        switch style {
        case .plain, .strong, .selected, .sung, .lit, .litBehind: nil
        case .faint, .sungBehind, .ahead: (nil, 243, 118, 118, 118)
        case .accent, .sungSecond, .litSecond: (36, 63, 24, 111, 241)
        case .soft, .sungBoth, .litBoth: (32, 29, 14, 136, 48)
        case .loud: (33, 130, 170, 102, 0)
        case .hot: (31, 196, 224, 45, 45)
        }
    }
}
