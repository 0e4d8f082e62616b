import Testing

@testable import DuetApp

/// duet's own letters, and lines of them.
@Suite struct LetterFontTests {
    /// A letter as art: the ten rows, a `#` for each pixel.
    private func art(_ character: Character) throws -> [String] {
        let letter = try #require(LetterFont.letter(for: character), "\(character)")
        return (0..<Letter.height).map { row in
            String((0..<letter.width).map { letter.hasPixel(row: row, column: $0) ? "#" : "." })
        }
    }

    @Test func lettersOfEuropeanLanguages() {
        let texts = [
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,!?'\"-–—():;/&+…«»¿¡",
            // French, German, Spanish, Portuguese, Italian, Danish, Swedish, Icelandic.
            "ÀÂÆÇÉÈÊËÎÏÔŒÙÛÜŸàâæçéèêëîïôœùûüÿÄÖßäöÑñÁÍÓÚáíóúÃÕãõÌÒìòØÅøåÞÐÝþðý’‘“”",
            // Polish, Czech, Slovak, Hungarian, Romanian, Croatian, Turkish, Baltic, Welsh.
            "ďťľĽģΐΰĄĆĘŁŃŚŹŻąćęłńśźżČĎĚŇŘŠŤŮŽčěňřšůžĹŔĺŕŐŰőűĂÂȘȚăâșțĐđĞİĞŞğışĀĒĢĪĶĻŅŪāēīķļņūĖŲŠėųŴŶŵŷ",
            "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψωςΆΈΉΊΌΎΏάέήίόύώϊϋ",
            "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюяЄІЇҐЎєіїґўЂЈЉЊЋЏђјљњћџ",
        ]
        for text in texts {
            for character in text {
                #expect(LetterFont.letter(for: character) != nil, "\(character)")
            }
        }
        for character in "世あאع🎤\u{7}" { #expect(LetterFont.letter(for: character) == nil) }
    }

    /// No two letters of a script look alike, but those that do so everywhere.
    @Test func lettersAreToldApart() throws {
        for text in [
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz123456789ÀÁÂÃÄÅàáâäåéèêëíìîïóòôöúùûü",
            "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμξπρσςτυφχψω", "БДЖЗИЙЛЦЧШЩЪЫЬЭЮЯбвгджзийлмнптцчшщъыьэюя",
        ] {
            let arts = try text.map { try art($0).joined(separator: "\n") }
            for (index, one) in arts.enumerated() {
                let twins = zip(text, arts).dropFirst(index + 1).filter { $0.1 == one }.map(\.0)
                #expect(twins.isEmpty, "\(Array(text)[index]) and \(twins)")
            }
        }
    }

    @Test func marksStandAboveAndBelow() throws {
        #expect(
            try art("é") == [
                "..##.", ".##..", ".....", ".###.", "##.##", "#####", "##...", ".####", ".....",
                ".....",
            ])
        // A capital gives a row to its mark.
        #expect(
            try art("Ä") == [
                "##.##", ".....", ".###.", "##.##", "#####", "##.##", "##.##", "##.##", ".....",
                ".....",
            ])
        #expect(try Array(art("ç").suffix(2)) == ["..#..", ".##.."])
        // However it is written.
        #expect(LetterFont.letter(for: "e\u{301}") == LetterFont.letter(for: "é"))
    }

    // MARK: Rows

    @Test func aLineIsBrokenBetweenWords() throws {
        let text = "Long is the road and the night is cold"
        let rows = try #require(LetterRow.rows(of: text, columns: 78, scale: 1))
        #expect(rows.count == 2 && rows.allSatisfy { $0.width <= 78 })
        let wide = try #require(LetterRow.rows(of: text, columns: 120, scale: 1))
        #expect(wide.count == 1 && wide[0].width == rows[0].width + rows[1].width + 2 + 1 - 1)
        // A word that is longer than a row, or has another script, goes down a size.
        #expect(LetterRow.rows(of: "Donaudampfschifffahrt", columns: 50, scale: 1) == nil)
        #expect(LetterRow.rows(of: "a 世", columns: 78, scale: 1) == nil)
        for text in ["", "  "] { #expect(LetterRow.rows(of: text, columns: 78, scale: 1) == nil) }
    }

    /// What is sung is lit from the left on, to the cell.
    @Test(arguments: [1, 2]) func whatIsSungIsLit(scale: Int) throws {
        let row = try #require(LetterRow.rows(of: "no no", columns: 80, scale: scale))[0]
        var lit: [Int] = []
        for part in stride(from: 0.0, through: 5, by: 0.5) {
            var cells = Cells(columns: 80, rows: 12, look: TerminalLook(colours: .all))
            row.draw(
                into: &cells, row: 1, column: 2, size: .quadrants(scale: scale), sung: part,
                styles: (.faint, .strong))
            let columns = cells.cells.indices.filter { cells.cells[$0].style == .strong }
                .map { $0 % 80 }
            lit.append((columns.max() ?? 1) - 1)
            #expect(
                cells.cells.indices.allSatisfy {
                    cells.cells[$0].style != .faint || $0 % 80 > (columns.max() ?? 0)
                })
        }
        #expect(lit == lit.sorted() && lit[0] == 0 && lit.last! >= row.width * scale - scale + 1)
    }

    /// Eight pixels a cell: the characters of Unicode 16 between those that were there before.
    @Test func octantsHaveTheSamePixels() throws {
        let row = try #require(LetterRow.rows(of: "HIg", columns: 80, scale: 1))[0]
        var cells = Cells(columns: 20, rows: 3, look: TerminalLook(colours: .all))
        row.draw(
            into: &cells, row: 0, column: 0, size: .octants, sung: 0, styles: (.plain, .strong))
        let text = (0..<3).map { cells.text(row: $0) }
        // The stem of H: its first pixel row is that of marks.
        #expect(text[0].hasPrefix("▆") && text[1].hasPrefix("█"), "\(text)")
        #expect(
            text.joined().unicodeScalars.contains { (0x1CD00...0x1CDE5).contains($0.value) })
        #expect(LetterSize.octants.height == 3)
    }
}
