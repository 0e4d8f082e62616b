/// A letter in pixels, four of which have room in a cell of a terminal.
struct Letter: Sendable, Equatable {
    /// Rows of pixels in a letter: two for marks above capitals, seven of which stand small letters in five, two
    /// below the line.
    static let height = 10

    /// From the top, the leftmost pixel in the lowest bit.
    private(set) var rows = [UInt16](repeating: 0, count: height)
    /// In pixels, without the gap behind it.
    private(set) var width: Int

    /// Cells across with the gap behind it, of one pixel at least.
    var cells: Int { (width + 2) / 2 }

    /// - Parameter art: its rows from the capitals' top on, a `#` for each pixel.
    init(art: [Substring]) {
        width = art.map(\.count).max() ?? 0
        for (row, line) in art.prefix(Self.height - 1).enumerated() {
            for (column, pixel) in line.enumerated() where pixel == "#" {
                rows[row + 1] |= 1 << UInt16(column)
            }
        }
    }

    /// Blank cells.
    init(blank cells: Int) { width = 2 * cells - 1 }

    func hasPixel(row: Int, column: Int) -> Bool {
        row < Self.height && column < 16 && rows[row] >> UInt16(column) & 1 == 1
    }

    /// The letter with a mark above it; a letter that reaches as high as capitals gives a row for that.
    func below(_ mark: LetterMark) -> Letter {
        var letter = self
        if rows[1] != 0 || rows[2] != 0 {
            letter.rows.remove(at: 2)
            letter.rows.insert(0, at: 0)
        }
        letter.add(mark, from: 0)
        return letter
    }

    /// The letter with a mark below it.
    func above(_ mark: LetterMark) -> Letter {
        var letter = self
        letter.add(mark, from: Self.height - 2)
        return letter
    }

    /// The letter with an apostrophe beside it, as ď and ť have it.
    var besideApostrophe: Letter {
        var letter = self
        for row in 1...2 { letter.rows[row] |= 1 << UInt16(width + 1) }
        letter.width += 2
        return letter
    }

    private mutating func add(_ mark: LetterMark, from first: Int) {
        let shift = UInt16(max(0, (mark.width - width) / 2))
        if shift > 0 { rows = rows.map { $0 << shift } }
        width = max(width, mark.width)
        let left = UInt16(max(0, (width - mark.width) / 2))
        for (row, pixels) in mark.rows.enumerated() { rows[first + row] |= pixels << left }
    }
}

/// What stands above or below a letter: two rows of pixels.
enum LetterMark: CaseIterable, Sendable {
    case grave, acute, circumflex, tilde, diaeresis, ring, caron, breve, macron, doubleAcute, dot
    case cedilla, ogonek

    private var art: (String, String) {
        switch self {
        case .grave: ("##..", ".##.")
        case .acute: ("..##", ".##.")
        case .circumflex: (".##.", "#..#")
        case .tilde: (".#.#", "#.#.")
        case .diaeresis: ("##.##", ".....")
        case .ring: (".##.", ".##.")
        case .caron: ("#..#", ".##.")
        case .breve: ("#...#", ".###.")
        case .macron: ("####", "....")
        case .doubleAcute: (".#.#", "#.#.")
        case .dot: ("##", "..")
        case .cedilla: ("..#.", ".##.")
        case .ogonek: (".##.", "..##")
        }
    }

    var width: Int { art.0.count }

    /// The leftmost pixel in the lowest bit.
    var rows: [UInt16] {
        [art.0, art.1].map { line in
            line.enumerated().reduce(0) { $1.element == "#" ? $0 | 1 << UInt16($1.offset) : $0 }
        }
    }

    /// Letters that have it, each before the letter that it stands at.
    fileprivate var letters: String {
        switch self {
        case .grave: "ÀA àa ÈE èe ÌI ìı ÒO òo ÙU ùu ẀW ẁw"
        case .acute:
            """
            ģg ÁA áa ÉE ée ÍI íı ÓO óo ÚU úu ÝY ýy ĆC ćc ĹL ĺl ŃN ńn ŔR ŕr ŚS śs ŹZ źz ẂW ẃw ǾØ ǿø \
            ΆA άα ΈE έε ΉH ήη ΊI ίι ΌO όo ΎY ύυ ΏΩ ώω ЃΓ ѓг ЌK ќκ
            """
        case .circumflex: "ÂA âa ÊE êe ÎI îı ÔO ôo ÛU ûu ŴW ŵw ŶY ŷy ĈC ĉc ĜG ĝg ĤH ĥh ŜS ŝs"
        case .tilde: "ÃA ãa ÑN ñn ÕO õo ĨI ĩı ŨU ũu"
        case .diaeresis: "ΐι ΰυ ÄA äa ËE ëe ÏI ïı ÖO öo ÜU üu ŸY ÿy ΪI ϊι ΫY ϋυ ЁE ёe ЇI їı"
        case .ring: "ÅA åa ŮU ůu"
        case .caron: "ČC čc ĎD ĚE ěe ŇN ňn ŘR řr ŠS šs ŤT ŽZ žz"
        case .breve: "ĂA ăa ĞG ğg ŬU ŭu ЙИ йи ЎУ ўy"
        case .macron: "ĀA āa ĒE ēe ĪI īı ŌO ōo ŪU ūu"
        case .doubleAcute: "ŐO őo ŰU űu"
        case .dot: "ĊC ċc ĖE ėe ĠG ġg İI ŻZ żz"
        case .cedilla: "ÇC çc ŞS şs ȘS șs ŢT ţt ȚT țt ĢG ĶK ķk ĻL ļl ŅN ņn ŖR ŗr"
        case .ogonek: "ĄA ąa ĘE ęe ĮI įi ŲU ųu"
        }
    }

    fileprivate var isBelow: Bool { [.cedilla, .ogonek].contains(self) }
}

/// duet's own letters: Latin with the accents of European languages, Greek and Cyrillic.
enum LetterFont {
    /// A letter; nil if the font lacks it.
    static func letter(for character: Character) -> Letter? { letters[character] }

    /// Those that look like others, each before the other one.
    private static let alike = """
        ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX νv οo АA ВB ГΓ ЕE КK МM НH ОO ПΠ РP СC ТT ФΦ ХX ІI \
        ЈJ ЅS аa еe кκ оo рp сc уy фφ хx іi јj ѕs ’' ‘' `' ´' “" ”" ‐- ‑- −– ×x ÐĐ
        """

    private static let letters: [Character: Letter] = {
        var letters: [Character: Letter] = [" ": Letter(blank: 2), "\u{A0}": Letter(blank: 2)]
        for block in LetterArt.blocks {
            let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
            let heads = Array(lines[0])
            let starts = heads.indices.filter { heads[$0] != " " }
            for (number, start) in starts.enumerated() {
                let end = number + 1 < starts.count ? starts[number + 1] : .max
                letters[heads[start]] = Letter(
                    art: lines.dropFirst().map { line in
                        let pixels = line.dropFirst(start).prefix(end - start)
                        return pixels.prefix { $0 != " " }
                    })
            }
        }
        func add(_ pairs: String, _ make: (Letter) -> Letter) {
            for pair in pairs.split(separator: " ") {
                guard let first = pair.first, let other = pair.last, let letter = letters[other]
                else { continue }
                letters[first] = make(letter)
            }
        }
        add(alike) { $0 }
        add("ďd ťt ľl ĽL", \.besideApostrophe)
        for mark in LetterMark.allCases {
            add(mark.letters) { mark.isBelow ? $0.above(mark) : $0.below(mark) }
        }
        return letters
    }()
}
