import TestSupport
import Testing

@testable import DuetApp

/// Which words find which texts.
@Suite struct SearchTextTests {
    private func finds(_ typed: String, in text: String) -> Bool {
        SearchWords(typed).match(SearchText(text))
    }

    @Test(arguments: [
        ("queen", "Dancing Queen"), ("que dan", "Dancing Queen"), ("QUEEN d", "dancing queen"),
        ("edith piaf", "Édith Piaf"), ("Éd", "EDITH"), ("strasse", "Straße"), ("straße", "STRASSE"),
        ("bjork", "Björk"), ("bjo\u{308}rk", "Björk"), ("rodgrod", "Rødgrød"), ("ærø", "AERO"),
        ("lodz", "Łódź"), ("thor", "Þór"), ("abba", "ＡＢＢＡ"), ("ＡＢ", "abba"),
        ("αγαπ", "Αγάπη"), ("κοσμος", "Κόσμος"), ("κόσμοσ", "ΚΌΣΜΟΣ"), ("елка", "Ёлка"),
        ("МОСК", "москва"), ("שלום", "שָׁלוֹם"), ("سلام", "سَلَام"), ("한", "한국"),
        ("istanbul", "İstanbul"),
    ])
    func caseAndAccentsDoNotMatter(typed: String, text: String) {
        #expect(finds(typed, in: text))
    }

    @Test(arguments: [
        ("acdc", "AC/DC"), ("ac/dc", "AC/DC"), ("ac-dc", "AC DC's"), ("01titel", "01 Titel"),
        ("dc", "AC/DC"),
        ("amour", "L'amour"), ("l'amour", "L’amour"), ("lam", "L'amour"), ("dont", "Don't Stop"),
        ("rem", "R.E.M."), ("titel", "01Titel"), ("01", "01Titel"),
        ("queen", "ABBA_-_DancingQueen"),
        ("dancing queen", "DancingQueen"), ("jp", "J.P."), ("÷", "÷ (Deluxe)"), ("live", "(Live)"),
    ])
    func wordsBeginInsideNames(typed: String, text: String) {
        #expect(finds(typed, in: text))
    }

    /// Scripts without spaces: each character may begin a word.
    @Test(arguments: [
        ("桜", "千本桜"), ("本桜", "千本桜"), ("さくら", "サクラ"), ("サク", "さくら"), ("がく", "音楽がく"),
        ("ดาว", "เพลงดาว"),
    ])
    func everyCharacterBeginsAWordWithoutSpaces(typed: String, text: String) {
        #expect(finds(typed, in: text))
    }

    @Test(arguments: [
        ("ueen", "Dancing Queen"), ("dancing king", "Dancing Queen"),
        ("dancingqueen", "Dancing Queen"),
        ("queens", "Queen"), ("桜千", "千本桜"),
    ])
    func otherTextsAreNotFound(typed: String, text: String) {
        #expect(!finds(typed, in: text))
    }

    @Test func punctuationAloneIsNoWord() {
        #expect(SearchWords(" - ¡! ").words.isEmpty && SearchWords("").words.isEmpty)
        #expect(SearchWords("simon & garfunkel").words.count == 2)
    }

    /// Whatever a text is, it has no other marks, and its own words find it, also as far as they are typed.
    @Test func everyTextFindsItself() {
        var random = SeededRandom(seed: 63)
        let scalars: [ClosedRange<UInt32>] = [
            0x01...0x7F, 0x80...0x24F, 0x300...0x36F, 0x370...0x5FF, 0xE00...0xEFF, 0x3040...0x30FF,
            0xAC00...0xAC80, 0xFF00...0xFFEF, 0x1F300...0x1F700,
        ]
        for _ in 0..<2000 {
            let scalars = (0..<Int.random(in: 1...12, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: scalars.randomElement(using: &random)!, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let folded = SearchText(text)
            let marks = folded.bytes.filter { $0 < SearchText.leastOfWord }
            #expect(
                marks.allSatisfy { [SearchText.gap, SearchText.seam].contains($0) }, "\(scalars)")
            #expect(SearchWords(text).match(folded), "\(scalars)")
        }
    }
}
