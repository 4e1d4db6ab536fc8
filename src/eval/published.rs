//! What others published, to stand beside one's own numbers. Different data, judges and prompts: points of reference, no
//! ranks.

use super::golden::Detection;

/// Where [`CR_BENCH`] is from.
pub const CR_BENCH_SOURCE: &str = "CR-Bench, Table 4 (CR-Bench-verified, 174 bugs)";
/// Where [`SWE_PRBENCH`] is from.
pub const SWE_PRBENCH_SOURCE: &str = "SWE-PRBench, Table 8 (100 changes, judge GPT-5.2)";
/// Where [`SPHINX`] is from.
pub const SPHINX_SOURCE: &str = "Sphinx, Table 1 (checklist coverage in percent, lambda 0.9)";
/// Where [`CQS`] is from.
pub const CQS_SOURCE: &str = "Code Quality Score, Tables 1 and 2 (means of 10 runs)";
/// Where [`GOLDEN`] is from.
pub const GOLDEN_SOURCE: &str =
    "withmartian/code-review-benchmark at 012d682 (50 changes, 137 golden comments, judge GPT-5.2)";

/// A row of CR-Bench, in percent but for the ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrBench {
    /// Agent and model.
    pub name: &'static str,
    /// Percent.
    pub recall: f64,
    /// Percent.
    pub precision: f64,
    /// Percent, as printed.
    pub f1: f64,
    /// Percent.
    pub usefulness: f64,
    /// Signal to noise.
    pub snr: f64,
}

/// The reviewers of CR-Bench.
pub static CR_BENCH: [CrBench; 4] = [
    cr_bench("GPT-5.2, single shot", [27.01, 3.56, 6.30, 83.63, 5.11]),
    cr_bench("GPT-5-mini, single shot", [18.39, 3.51, 5.90, 74.29, 2.89]),
    cr_bench("GPT-5.2, Reflexion", [32.76, 5.10, 8.83, 66.10, 1.95]),
    cr_bench("GPT-5-mini, Reflexion", [27.59, 3.19, 5.72, 47.72, 0.91]),
];

const fn cr_bench(name: &'static str, [recall, precision, f1, usefulness, snr]: [f64; 5]) -> CrBench {
    CrBench { name, recall, precision, f1, usefulness, snr }
}

/// A row of SWE-PRBench.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwePrBench {
    /// The model.
    pub name: &'static str,
    /// Score with the contexts A, B and C.
    pub contexts: [f64; 3],
    /// Their mean as printed; that of the first row recomputes to 0.142.
    pub mean: f64,
    /// Detection rate with context A.
    pub detection: f64,
    /// Mean share of fabricated comments.
    pub false_positives: f64,
}

/// The reviewers of SWE-PRBench.
pub static SWE_PRBENCH: [SwePrBench; 8] = [
    swe("Claude Haiku 4.5", [0.172, 0.129, 0.126], [0.153, 0.306, 0.346]),
    swe("Claude Sonnet 4.6", [0.190, 0.135, 0.122], [0.152, 0.297, 0.227]),
    swe("DeepSeek V3", [0.181, 0.132, 0.118], [0.150, 0.312, 0.315]),
    swe("Mistral Large 3", [0.170, 0.125, 0.135], [0.147, 0.305, 0.353]),
    swe("GPT-4o", [0.134, 0.110, 0.090], [0.113, 0.220, 0.193]),
    swe("GPT-4o-mini", [0.110, 0.095, 0.093], [0.108, 0.210, 0.353]),
    swe("Mistral Small", [0.131, 0.080, 0.091], [0.106, 0.257, 0.251]),
    swe("Llama 3.3 70B", [0.088, 0.071, 0.065], [0.079, 0.223, 0.417]),
];

const fn swe(name: &'static str, contexts: [f64; 3], [mean, detection, false_positives]: [f64; 3]) -> SwePrBench {
    SwePrBench { name, contexts, mean, detection, false_positives }
}

/// A row of Sphinx, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphinx {
    /// The model.
    pub name: &'static str,
    /// Coverage for JavaScript, Java, C++, Python and C#.
    pub languages: [f64; 5],
    /// Their mean as printed.
    pub average: f64,
    /// BLEU-1.
    pub bleu_1: f64,
    /// ROUGE-L.
    pub rouge_l: f64,
}

/// Some reviewers of Sphinx: the best general models of each kind, the papers' own, and the two rows whose means are
/// checked.
pub static SPHINX: [Sphinx; 10] = [
    sphinx("LLama3.3-70B", [16.22, 17.32, 21.06, 22.81, 25.97], [20.68, 7.37, 8.71]),
    sphinx("Deepseek-R1", [16.74, 20.72, 27.87, 32.60, 30.09], [25.60, 11.07, 12.13]),
    sphinx("Qwen2.5-72B-Ins", [21.42, 24.94, 33.10, 38.13, 35.06], [30.53, 11.52, 12.22]),
    sphinx("Claude3.7-Sonnet", [19.48, 25.92, 35.68, 38.20, 37.68], [31.39, 11.40, 12.25]),
    sphinx("GPT-o4mini", [20.47, 23.82, 34.93, 40.81, 40.01], [32.01, 10.87, 12.16]),
    sphinx("Gemini2.5-Pro", [21.30, 26.31, 38.59, 40.80, 36.75], [32.75, 11.10, 12.90]),
    sphinx("GPT4.1", [21.82, 26.46, 41.85, 42.4, 38.62], [34.23, 11.50, 12.52]),
    sphinx("Sphinx-7B", [17.56, 23.80, 28.34, 29.43, 29.53], [25.73, 11.52, 13.15]),
    sphinx("Sphinx-14B", [21.71, 28.49, 33.32, 33.02, 34.54], [30.21, 11.86, 13.65]),
    sphinx("Sphinx-4o-SFT", [33.84, 40.16, 44.84, 41.94, 44.83], [41.12, 12.77, 14.93]),
];

const fn sphinx(name: &'static str, languages: [f64; 5], [average, bleu_1, rouge_l]: [f64; 3]) -> Sphinx {
    Sphinx { name, languages, average, bleu_1, rouge_l }
}

/// A row of the code quality score, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cqs {
    /// The model, or the stages of the system.
    pub name: &'static str,
    /// How many issues it raised, where that is published.
    pub issues: Option<u64>,
    /// Percent.
    pub precision: f64,
    /// Percent.
    pub recall: f64,
}

/// The reviewers of the code quality score; the last two have a validator and filters.
pub static CQS: [Cqs; 9] = [
    cqs("Llama 3.1 70B Instruct", Some(138), 11.28, 8.14),
    cqs("Llama 3.1 70B Instruct, SFT", Some(130), 11.14, 7.62),
    cqs("Llama 3.1 70B Instruct, DPO", Some(103), 14.56, 7.82),
    cqs("Llama 3.1 70B Instruct, SFT and DPO", Some(131), 13.48, 9.25),
    cqs("Claude 3.7 Sonnet", Some(193), 30.43, 30.58),
    cqs("GPT-4o", Some(233), 24.33, 29.53),
    cqs("Gemini 2.5 Pro", Some(134), 32.77, 22.53),
    cqs("CQS, collector and validator", None, 78.20, 1.20),
    cqs("Claude 3.7 Sonnet, collector and validator", None, 51.63, 11.45),
];

const fn cqs(name: &'static str, issues: Option<u64>, precision: f64, recall: f64) -> Cqs {
    Cqs { name, issues, precision, recall }
}

/// A tool that reviewed the changes with golden comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Golden {
    /// The tool.
    pub name: &'static str,
    /// What it found.
    pub counts: Detection,
}

/// The tools of the withmartian benchmark.
pub static GOLDEN: [Golden; 12] = [
    golden("augment", 81, 136, 56),
    golden("baz", 37, 70, 100),
    golden("bugbot", 59, 95, 78),
    golden("claude", 51, 116, 86),
    golden("coderabbit", 57, 212, 80),
    golden("copilot", 73, 238, 64),
    golden("gemini", 45, 138, 92),
    golden("graphite", 12, 6, 125),
    golden("greptile", 50, 98, 87),
    golden("kg", 23, 24, 114),
    golden("propel", 51, 80, 86),
    golden("qodo", 58, 190, 79),
];

const fn golden(name: &'static str, true_positives: u64, false_positives: u64, false_negatives: u64) -> Golden {
    Golden { name, counts: Detection { true_positives, false_positives, false_negatives } }
}
