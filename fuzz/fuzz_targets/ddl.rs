#![no_main]

#[allow(dead_code)]
#[path = "../targets/mod.rs"]
mod targets;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| targets::ddl(data));
