package io.sluice.hadoop.files;

import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * The status of a file or directory, from its record and the root's file system.
 *
 * <p>Thread contract: as {@link FileStatus}.
 */
final class ClusterFileStatus extends FileStatus {
  private static final long serialVersionUID = 1L;

  private final transient PooledFile pooled; // null: it lies in the root, or this was serialised

  private ClusterFileStatus(FileStatus below, Path path, FileRecord record, long blockBytes) {
    super(
        record.lengthBytes(),
        false,
        record.pooled().isPresent() ? 1 : below.getReplication(),
        blockBytes,
        below.getModificationTime(),
        below.getAccessTime(),
        below.getPermission(),
        below.getOwner(),
        below.getGroup(),
        path);
    this.pooled = record.pooled().orElse(null);
  }

  /** The status of a file. */
  static FileStatus of(FileStatus below, Path path, FileRecord record) {
    long blockBytes = record.pooled().map(PooledFile::blockBytes).orElse(below.getBlockSize());
    return new ClusterFileStatus(below, path, record, blockBytes);
  }

  /** The status of a directory. */
  static FileStatus directory(FileStatus below, Path path) {
    return new FileStatus(
        0,
        true,
        0,
        0,
        below.getModificationTime(),
        below.getAccessTime(),
        below.getPermission(),
        below.getOwner(),
        below.getGroup(),
        path);
  }

  /** Where its bytes are, if they are in a pool and this still says so. */
  Optional<PooledFile> pooled() {
    return Optional.ofNullable(pooled);
  }

  // Hadoop has statuses equal if their paths are.
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
