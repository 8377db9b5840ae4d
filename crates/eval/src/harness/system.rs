//! Calls to the operating system around a measurement.

/// Flushes every disk, so that earlier writes are not written back during a measurement. It opens no file: closing one of a
/// database would release this process's locks on it.
pub(crate) fn sync_disks() {
    rustix::fs::sync();
}

/// Resident memory of this process; 0 where the system does not tell.
pub(crate) fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
