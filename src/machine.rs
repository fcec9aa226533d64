//! What this machine has to give: memory and disk.

use std::path::Path;

/// Bytes of memory that can be had, where the system tells.
pub fn available_memory() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory_specifics(sysinfo::MemoryRefreshKind::nothing().with_ram());
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    Some(system.available_memory().min(limit)).filter(|&bytes| bytes > 0)
}

/// Bytes free on the disk of a directory that is there, where the system tells.
pub fn available_disk(dir: &Path) -> Option<u64> {
    let dir = dir.canonicalize().ok()?;
    let disks =
        sysinfo::Disks::new_with_refreshed_list_specifics(sysinfo::DiskRefreshKind::nothing().with_storage());
    let mounted = disks.iter().filter(|disk| dir.starts_with(disk.mount_point()));
    mounted.max_by_key(|disk| disk.mount_point().components().count()).map(sysinfo::Disk::available_space)
}
