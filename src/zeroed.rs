//! Large vectors of zeros, on huge pages where the system has them.
//!
//! Search tables and the cells of a tier are read at random places. On pages of 4 KiB nearly every such look also has to find out where
//! its page lies, and the system is asked for each page in turn; with pages of 2 MiB two threads took 14 to 30 % less
//! time over the hard quarter of the suites (`cargo bench --bench search -- ayoayo hoyito --tables DIR --threads 2 --hard-quarter 1`).
//!
//! Rust has no way to ask for them but the call of the system, which its safe wrappers too leave `unsafe`; memory mapped by a crate can be
//! advised safely, but not be shared as atomic words.

use zerocopy::FromZeros;

/// Bytes of a huge page, here and on nearly all machines.
const HUGE_PAGE: usize = 2 << 20;

/// A vector of zeros, fresh from the system, so that its pages are first touched by whoever fills them.
pub(crate) fn vec<T: FromZeros>(len: usize) -> Vec<T> {
    let vec = T::new_vec_zeroed(len)
        .unwrap_or_else(|_| std::alloc::handle_alloc_error(std::alloc::Layout::new::<T>()));
    ask_for_huge_pages(&vec);
    vec
}

/// Asks the system to put the whole huge pages inside this memory on huge pages. It may decline: memory is the same either way.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_huge_pages<T>(memory: &[T]) {
    let pages = whole_pages(memory.as_ptr().addr(), size_of_val(memory));
    if pages.is_empty() {
        return;
    }
    let first = memory.as_ptr().wrapping_byte_add(pages.start).cast_mut().cast();
    // SAFETY: `pages` lies inside `memory`, which is borrowed for the call, and this advice changes nothing that memory holds. What the
    // call returns says only whether the system took the advice.
    let _ = unsafe { libc::madvise(first, pages.len(), libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_: &[T]) {}

/// Where the whole huge pages lie in `bytes` bytes from the address `start` on, counted from there.
#[cfg(any(target_os = "linux", test))]
fn whole_pages(start: usize, bytes: usize) -> std::ops::Range<usize> {
    let first = start.next_multiple_of(HUGE_PAGE) - start;
    first..first + bytes.saturating_sub(first) / HUGE_PAGE * HUGE_PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_pages_are_whole_and_inside() {
        let whole = |start, bytes| whole_pages(start * HUGE_PAGE / 4, bytes * HUGE_PAGE / 4);
        // In quarters of a page: seen from quarter 1, the first whole page is the quarters 3 to 6.
        assert!(whole(1, 6).is_empty());
        assert_eq!(whole(1, 7), 3 * HUGE_PAGE / 4..7 * HUGE_PAGE / 4);
        assert_eq!(whole(1, 10), whole(1, 7));
        assert_eq!(whole(4, 8), 0..2 * HUGE_PAGE);
        assert!(whole_pages(1, 0).is_empty());
    }

    #[test]
    fn any_length_is_all_zeros() {
        for len in [0, 1, HUGE_PAGE - 1, HUGE_PAGE, 3 * HUGE_PAGE + 5] {
            let mut bytes = vec::<u8>(len);
            assert_eq!(bytes.len(), len);
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes.fill(1);
        }
        assert!(vec::<u64>(HUGE_PAGE).iter().all(|&word| word == 0));
    }
}
