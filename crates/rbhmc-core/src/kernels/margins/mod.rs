//! The margins: violations, losses, λ and the discriminants η.

pub(crate) mod discriminants;
pub(crate) mod gaussian_proposal;
pub(crate) mod joint_loss;
pub(crate) mod lambda;
pub(crate) mod lanes;
pub(crate) mod scores;
pub(crate) mod siblings;
pub(crate) mod violations;
