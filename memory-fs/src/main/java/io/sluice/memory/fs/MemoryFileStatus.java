package io.sluice.memory.fs;

import io.sluice.memory.fs.tree.Entry;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;

/**
 * The status of a file or directory. A file's status has an etag: the file's id, which renames do
 * not change, and the version of its content.
 *
 * <p>Thread contract: as {@link FileStatus}. Serialization drops the etag.
 */
final class MemoryFileStatus extends FileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;

  private final String etag;

  MemoryFileStatus(Entry entry, Path path) {
    super(
        entry.lengthBytes(),
        entry.isDirectory(),
        entry.replication(),
        entry.blockBytes(),
        entry.modifiedMs(),
        entry.accessedMs(),
        entry.permission(),
        entry.owner(),
        entry.group(),
        path);
    this.etag = entry.isDirectory() ? null : entry.id() + "-" + entry.version();
  }

  @Override
  public String getEtag() {
    return etag;
  }

  // In Hadoop, statuses with equal paths are equal.
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }

  /**
   * A {@link MemoryFileStatus} with the locations of its blocks.
   *
   * <p>Thread contract: as {@link LocatedFileStatus}.
   */
  static final class MemoryLocatedFileStatus extends LocatedFileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    MemoryLocatedFileStatus(MemoryFileStatus status, BlockLocation[] locations) {
      super(status, locations);
      this.etag = status.getEtag();
    }

    @Override
    public String getEtag() {
      return etag;
    }

    // In Hadoop, statuses with equal paths are equal.
    @Override
    public boolean equals(Object other) {
      return super.equals(other);
    }

    @Override
    public int hashCode() {
      return super.hashCode();
    }
  }
}
