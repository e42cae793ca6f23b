#![no_main]

#[allow(dead_code)]
#[path = "../targets/mod.rs"]
mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use twinql_sql::Schema;

static SCHEMA: LazyLock<Schema> = LazyLock::new(targets::schema);

fuzz_target!(|data: &[u8]| targets::canonical(&SCHEMA, data));
