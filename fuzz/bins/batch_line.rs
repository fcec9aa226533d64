#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| oju_fuzz::batch_line::run(data));
