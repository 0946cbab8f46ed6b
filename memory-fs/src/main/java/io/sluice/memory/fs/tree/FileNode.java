package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A file.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}, but for the content and whether
 * it has a name.
 */
final class FileNode extends Node {
  private final FileContent content;
  private final long blockBytes;
  private short replication;
  private boolean written;
  private long version;
  private volatile boolean named = true;

  FileNode(
      long id,
      String owner,
      String group,
      FsPermission permission,
      FileContent content,
      short replication,
      long blockBytes) {
    super(id, owner, group, permission);
    this.content = content;
    this.replication = replication;
    this.blockBytes = blockBytes;
  }

  FileContent content() {
    return content;
  }

  long blockBytes() {
    return blockBytes;
  }

  short replication() {
    return replication;
  }

  void setReplication(short replication) {
    this.replication = replication;
  }

  /** Whether somebody is writing to it. */
  boolean isWritten() {
    return written;
  }

  void setWritten(boolean written) {
    this.written = written;
  }

  /** Of the content, counted up by each that has written to it. */
  long version() {
    return version;
  }

  void changed() {
    version++;
    modified();
  }

  boolean isNamed() {
    return named;
  }

  void loseName() {
    named = false;
  }
}
