import Glibc

extension TerminalLook {
    /// What is behind the text of a terminal, as far as it decides which colours that has. Each of them has a
    /// contrast of 4.5 to 1 to it at least (WCAG 2).
    enum Ground: Int, Sendable, CaseIterable {
        /// The terminal has not told.
        case unknown
        case dark, light
        /// So dark, or so light, that all but what is sung has the terminal's own colour.
        case dim, pale
        /// Neither dark nor light.
        case middle

        init(_ background: Picture.Colour) {
            let luminance = background.luminance
            let fits = { (ground: Ground) in
                ground.colours.allSatisfy { colour in
                    let other = Picture.Colour(
                        red: colour.red, green: colour.green, blue: colour.blue
                    ).luminance
                    let (high, low) = (max(luminance, other), min(luminance, other))
                    return (high + 0.05) / (low + 0.05) >= 4.5
                }
            }
            self = [.dark, .light, .dim, .pale].first(where: fits) ?? .middle
        }

        /// A colour: its number of xterm's 256, and red, green and blue, which are the same.
        struct Colour: Sendable {
            let number: Int
            let (red, green, blue): (UInt8, UInt8, UInt8)

            init(_ number: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8) {
                (self.number, self.red, self.green, self.blue) = (number, red, green, blue)
            }
        }

        /// The colour of what is sung or to be sung; nil: the style has none of its own here. What is sung is
        /// lighter than what is not on a dark ground, and darker on a light one.
        func colour(of style: CellStyle) -> Colour? {
            switch self {
            case .unknown, .middle: nil
            case .dark, .dim:
                switch style {
                case .sung, .lit: Colour(221, 255, 215, 95)
                case .sungSecond, .litSecond: Colour(81, 95, 215, 255)
                case .sungBoth, .litBoth: Colour(120, 135, 255, 135)
                case .sungBehind, .litBehind: Colour(252, 208, 208, 208)
                case .ahead, .faint: self == .dark ? Colour(247, 158, 158, 158) : nil
                case .accent: self == .dark ? Colour(75, 95, 175, 255) : nil
                case .soft: self == .dark ? Colour(77, 95, 215, 95) : nil
                case .loud: self == .dark ? Colour(214, 255, 175, 0) : nil
                case .hot: self == .dark ? Colour(210, 255, 135, 135) : nil
                default: nil
                }
            case .light, .pale:
                switch style {
                case .sung, .lit: Colour(90, 135, 0, 135)
                case .sungSecond, .litSecond: Colour(24, 0, 95, 135)
                case .sungBoth, .litBoth: Colour(22, 0, 95, 0)
                case .sungBehind, .litBehind: Colour(238, 68, 68, 68)
                case .ahead, .faint: self == .light ? Colour(242, 108, 108, 108) : nil
                case .accent: self == .light ? Colour(25, 0, 95, 175) : nil
                case .soft: self == .light ? Colour(22, 0, 95, 0) : nil
                case .loud: self == .light ? Colour(94, 135, 95, 0) : nil
                case .hot: self == .light ? Colour(124, 175, 0, 0) : nil
                default: nil
                }
            }
        }

        private var colours: [Colour] { CellStyle.allCases.compactMap(colour) }
    }
}

extension Picture.Colour {
    /// Its relative luminance, 0…1 (WCAG 2).
    var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
