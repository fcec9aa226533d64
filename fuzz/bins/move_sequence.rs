#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| oju_fuzz::move_sequence::run(data));
