package io.sluice.memory.fs;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.LocatedFileStatus;

/**
 * The same as {@link MemoryFileStatus}, with where it lies.
 *
 * <p>Thread contract: as {@link LocatedFileStatus}.
 */
final class MemoryLocatedFileStatus extends LocatedFileStatus implements EtagSource {
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
