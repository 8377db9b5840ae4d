//! Consolidation: `intake` makes memories of what was said and sees what changed about the things they speak of, `review`
//! scores the memories of a layer and promotes or demotes them, `perspective` writes what the layer looks back on, holds
//! now and looks forward to.

pub(super) mod intake;
pub(super) mod perspective;
pub(super) mod review;
