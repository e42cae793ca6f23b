//! The built-in test-suite fuzzer: databases, a sandboxed executor and verdicts with witnesses; also the reference metric.
