// Greedy wrapping and alignment of plain text for fixed-width output.

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace text {

enum class Align { left, right, center };

constexpr std::size_t kMaxWidth = 400;

/// Returns the alignment with this name; left when the name is not known.
Align parse_align(const std::string& name) {
    static const std::unordered_map<std::string, Align> names = {
        {"left", Align::left},
        {"right", Align::right},
        {"center", Align::center},
        {"middle", Align::center},
    };
    const auto found = names.find(name);
    return found != names.end() ? found->second : Align::left;
}

/// Pads `line` with spaces to `width`; longer lines are returned unchanged.
std::string pad(const std::string& line, std::size_t width, Align align) {
    if (line.size() >= width) return line;
    const std::size_t gap = width - line.size();
    switch (align) {
        case Align::right:
            return std::string(gap, ' ') + line;
        case Align::center:
            return std::string(gap / 2, ' ') + line + std::string(gap - gap / 2, ' ');
        default:
            return line + std::string(gap, ' ');
    }
}

/// Breaks `paragraph` into lines of at most `width` bytes, splitting long words.
std::vector<std::string> wrap(std::string_view paragraph, std::size_t width) {
    if (width == 0 || width > kMaxWidth) throw std::invalid_argument("width out of range");
    std::vector<std::string> lines;
    std::string current;
    std::istringstream words{std::string(paragraph)};
    for (std::string word; words >> word;) {
        if (!current.empty() && current.size() + 1 + word.size() > width) {
            lines.push_back(std::move(current));
            current.clear();
        }
        while (word.size() > width) {
            lines.push_back(word.substr(0, width));
            word.erase(0, width);
        }
        if (!current.empty()) current += ' ';
        current += word;
    }
    if (!current.empty()) lines.push_back(std::move(current));
    return lines;
}

/// Collects wrapped lines from several threads and writes them to a file.
class Page {
public:
    explicit Page(std::size_t width) : width_(width) {}

    /// Wraps a paragraph onto the page and returns the lines it took.
    std::size_t add(std::string_view paragraph, Align align) {
        const auto wrapped = wrap(paragraph, width_);
        const std::lock_guard<std::mutex> guard(mutex_);
        for (const auto& line : wrapped) {
            lines_.push_back(pad(line, width_, align));
        }
        return wrapped.size();
    }

    /// Returns a copy of the lines from `first` up to, not including, `last`.
    std::vector<std::string> slice(std::size_t first, std::size_t last) const {
        const std::lock_guard<std::mutex> guard(mutex_);
        const std::size_t end = std::min(last, lines_.size());
        if (first >= end) return {};
        return {lines_.begin() + static_cast<std::ptrdiff_t>(first),
                lines_.begin() + static_cast<std::ptrdiff_t>(end)};
    }

    /// Writes every line to `path`; throws when the file cannot be written.
    void save(const std::string& path) const {
        const auto snapshot = slice(0, std::string::npos);  // not locked while writing
        std::ofstream out(path);
        for (const auto& line : snapshot) {
            out << line << '\n';
        }
        out.close();
        if (!out) throw std::runtime_error("could not write " + path);
    }

private:
    std::size_t width_;
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

}  // namespace text
