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
                if std::arch::is_x86_feature_detected!("avx2") && !$crate::numerics::wide::is_kept_narrow() {
                    // SAFETY: the machine has the units that the function asks for.
                    return unsafe { avx2($($argument),*) };
                }
            }
            plain($($argument),*)
        }
    };
}

pub(crate) use wide;

#[cfg(test)]
thread_local! {
    static KEPT_NARROW: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether this thread is to run the baseline, which only a test asks for.
#[inline(always)]
pub(crate) fn is_kept_narrow() -> bool {
    #[cfg(test)]
    return KEPT_NARROW.get();
    #[cfg(not(test))]
    false
}

#[cfg(test)]
mod tests {
    use super::KEPT_NARROW;
    use crate::Sampler;
    use crate::config::{Config, Scheme};

    #[test]
    fn both_widths_give_the_same_bits() {
        let x = crate::simulate(Config { alpha: 2.0, gamma0: 3.0, ..Config::default() }, 90, 5, 1).unwrap().x;
        for (c, scheme) in
            [(0.0, Scheme::Collapsed), (0.7, Scheme::Collapsed), (0.7, Scheme::Exact), (0.7, Scheme::Paper)]
        {
            let states = [false, true].map(|narrow| {
                KEPT_NARROW.set(narrow);
                let config = Config { C: c, alpha: 1.0, scheme, ..Config::default() };
                let mut sampler = Sampler::new(x.view(), config, None, 2).unwrap();
                (0..40).for_each(|_| sampler.sweep());
                KEPT_NARROW.set(false);
                sampler.state().clone()
            });
            assert!(states[0] == states[1], "C = {c}, {scheme:?}");
        }
    }
}
