//! Files that commands write.

use std::path::Path;

use anyhow::bail;

/// Refuses an output that can not be written in the end, before any work is done. `replace`: it may be there already.
/// `resumable`: the command could go on with it.
pub(super) fn check(path: &Path, replace: bool, resumable: bool) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return Ok(());
    }
    let name = path.display();
    if !replace && path.is_file() {
        let or = if resumable { ", --resume to go on with it, or" } else { " or" };
        bail!("{name}: is there already: another name{or} --force is needed");
    }
    if path.is_dir() || path.file_name().is_none() {
        bail!("{name}: can not be written: it is a directory, and the name of a file is needed");
    }
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !dir.is_dir() {
        bail!("{name}: can not be written: {} is no directory", dir.display());
    }
    Ok(())
}
