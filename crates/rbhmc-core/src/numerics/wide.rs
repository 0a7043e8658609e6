//! Inner loops for the width of the machine.

/// Declares a function that is compiled twice, for the baseline and for 256-bit units, and that runs
/// the one that the machine has. Nothing is fused or reordered: both give the same bits.
macro_rules! wide {
    (
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    ) => {
        $(#[$meta])*
        #[inline]
        $visibility fn $name($($argument: $type),*) $(-> $output)? {
            #[inline(always)]
            fn plain($($argument: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) $(-> $output)? {
                    plain($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has the units that the function asks for.
                    return unsafe { avx2($($argument),*) };
                }
            }
            plain($($argument),*)
        }
    };
}

pub(crate) use wide;
