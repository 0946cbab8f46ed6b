package io.sluice.workloads.graph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/**
 * What is known of a page, of which parts are merged: a rank, or shares of one, and its links.
 *
 * <p>Thread contract: not thread-safe.
 */
final class Page implements Writable {
  private static final long[] NONE = {};

  private long rank;
  private long[] links = NONE;

  long rank() {
    return rank;
  }

  long[] links() {
    return links;
  }

  /** Both, of which none is copied. */
  Page set(long newRank, long[] newLinks) {
    rank = newRank;
    links = newLinks;
    return this;
  }

  /** A share alone. */
  Page setShare(long share) {
    return set(share, NONE);
  }

  /** Adds another part; at most one part has links. */
  void add(Page part) {
    rank = Math.addExact(rank, part.rank);
    if (part.links.length > 0) {
      links = part.links;
    }
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVLong(out, rank);
    WritableUtils.writeVInt(out, links.length);
    for (long link : links) {
      WritableUtils.writeVLong(out, link);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    rank = WritableUtils.readVLong(in);
    links = new long[WritableUtils.readVInt(in)];
    for (int i = 0; i < links.length; i++) {
      links[i] = WritableUtils.readVLong(in);
    }
  }
}
