//! Large vectors of zeros.

use zerocopy::FromZeros;

/// A vector of zeros, fresh from the system, so that its pages are first touched by whoever fills them.
pub(crate) fn vec<T: FromZeros>(len: usize) -> Vec<T> {
    T::new_vec_zeroed(len).unwrap_or_else(|_| std::alloc::handle_alloc_error(std::alloc::Layout::new::<T>()))
}
