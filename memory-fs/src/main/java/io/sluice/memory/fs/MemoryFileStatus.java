package io.sluice.memory.fs;

import io.sluice.memory.fs.tree.Entry;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * The status of a file or directory, with an etag: which one it is, whatever it is called, and
 * which version of it.
 *
 * <p>Thread contract: as {@link FileStatus}. After serialization it is an ordinary one.
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
