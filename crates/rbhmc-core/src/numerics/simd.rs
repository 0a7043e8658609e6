//! Inner loops compiled for the baseline and for AVX2.

/// Declares a function that is compiled twice, for the baseline and for AVX2 (256-bit registers), and chooses at
/// run time. No operation is fused or reordered: both versions give the same bits.
macro_rules! simd {
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
                if std::arch::is_x86_feature_detected!("avx2") && !$crate::numerics::simd::is_baseline_forced() {
                    // SAFETY: the machine supports AVX2, as just detected.
                    return unsafe { avx2($($argument),*) };
                }
            }
            plain($($argument),*)
        }
    };
}

pub(crate) use simd;

#[cfg(test)]
thread_local! {
    static FORCE_BASELINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether this thread runs the baseline although the machine has AVX2; only a test sets this.
#[inline(always)]
pub(crate) fn is_baseline_forced() -> bool {
    #[cfg(test)]
    return FORCE_BASELINE.get();
    #[cfg(not(test))]
    false
}

#[cfg(test)]
mod tests {
    use super::FORCE_BASELINE;
    use crate::Sampler;
    use crate::config::{Config, Scheme};

    #[test]
    fn the_baseline_and_avx2_give_the_same_bits() {
        let x = crate::simulate(Config { alpha: 2.0, gamma0: 3.0, ..Config::default() }, 90, 5, 1).unwrap().x;
        for (c, scheme) in
            [(0.0, Scheme::Collapsed), (0.7, Scheme::Collapsed), (0.7, Scheme::Exact), (0.7, Scheme::Paper)]
        {
            let states = [false, true].map(|baseline| {
                FORCE_BASELINE.set(baseline);
                let config = Config { C: c, alpha: 1.0, scheme, ..Config::default() };
                let mut sampler = Sampler::new(x.view(), config, None, 2).unwrap();
                (0..40).for_each(|_| sampler.sweep());
                FORCE_BASELINE.set(false);
                sampler.state().clone()
            });
            assert!(states[0] == states[1], "C = {c}, {scheme:?}");
        }
    }
}
