package io.sluice.spill.merge;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.sort.KeyOrder;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Merges sorted runs into one stream of records by a tournament (loser) tree. It compares prefixes,
 * then whole keys, then the runs' numbers in the list, so that the same runs always give the same
 * stream.
 *
 * <pre>
 *                 tree[0] winner                 tree[n]: the loser of the game at node n;
 *                    |                           run r enters at node (r + k) / 2;
 *                 tree[1]                        children of node n: 2n, 2n + 1
 *               /         \
 *          tree[2]       tree[3]                 one game per level and record, none
 *          /     \       /     \                 against the record's own siblings
 *        run 0  run 1  run 2  run 3
 * </pre>
 *
 * <p>Thread contract: single thread, and a {@link KeyOrder} of its own. Ownership: owns the cursors
 * and closes them. Failure: an exception of a cursor or the order; then only {@link #close} is
 * left.
 */
public final class KWayMerge implements Closeable {
  private static final int NONE = -1;

  private final RunCursor[] runs;
  private final KeyOrder order;
  private final boolean hasPrefix;
  private final long[] prefixes;
  private final boolean[] ended;
  private final int[] tree;
  private boolean primed;
  private RunCursor current;
  private long consumedBytes;
  private long remainingBytes;
  private final long initialBytes;

  /** Takes over the cursors, none of which has been advanced. */
  public KWayMerge(List<RunCursor> runs, KeyOrder order) {
    this.runs = runs.toArray(new RunCursor[0]);
    this.order = order;
    this.hasPrefix = order.hasPrefix();
    this.prefixes = new long[this.runs.length];
    this.ended = new boolean[this.runs.length];
    this.tree = new int[Math.max(this.runs.length, 1)];
    for (RunCursor run : runs) {
      remainingBytes += run.remainingBytes();
    }
    initialBytes = remainingBytes;
  }

  /**
   * How many of the shortest runs to merge into one now, when there are more than may be merged at
   * once; 0 when all that are left can be. The caller merges them, puts the result in their place,
   * and asks again. In the first round they are so many that every later round is full, as in
   * Hadoop's {@code Merger}. With the shortest runs taken each time, the fewest bytes are merged
   * twice.
   *
   * @param fanIn most runs that may be merged at once, at least 2
   */
  public static int roundSize(int runs, int fanIn) {
    if (fanIn < 2) {
      throw new IllegalArgumentException("fan-in of a merge is " + fanIn + ", expected at least 2");
    }
    if (runs <= fanIn) {
      return 0;
    }
    int remainder = (runs - 1) % (fanIn - 1);
    return remainder == 0 ? fanIn : remainder + 1;
  }

  /** Goes to the next record, which ends the validity of the last one; false at the end. */
  public boolean next() throws IOException {
    if (!primed) {
      prime();
    } else if (current != null) {
      consumedBytes += current.encodedLength();
      int winner = tree[0];
      advance(winner);
      replay(winner);
    }
    current = runs.length == 0 || ended[tree[0]] ? null : runs[tree[0]];
    return current != null;
  }

  private void prime() throws IOException {
    primed = true;
    Arrays.fill(tree, NONE);
    for (int run = 0; run < runs.length; run++) {
      advance(run);
      enter(run);
    }
  }

  /** Lets a run play up to the first empty node, and wait there. */
  private void enter(int run) {
    int winner = run;
    for (int node = run + runs.length >>> 1; node > 0; node >>>= 1) {
      int waiting = tree[node];
      if (waiting == NONE) {
        tree[node] = winner;
        return;
      }
      if (precedes(waiting, winner)) {
        tree[node] = winner;
        winner = waiting;
      }
    }
    tree[0] = winner;
  }

  /** Plays a run that has a new record against the losers on its way to the root. */
  private void replay(int run) {
    int winner = run;
    for (int node = run + runs.length >>> 1; node > 0; node >>>= 1) {
      int loser = tree[node];
      if (precedes(loser, winner)) {
        tree[node] = winner;
        winner = loser;
      }
    }
    tree[0] = winner;
  }

  private void advance(int run) throws IOException {
    RunCursor cursor = runs[run];
    long before = cursor.remainingBytes();
    if (cursor.advance()) {
      if (hasPrefix) {
        prefixes[run] = order.prefix(cursor.bytes(), cursor.keyOffset(), cursor.keyLength());
      }
    } else {
      ended[run] = true;
    }
    remainingBytes -= before - cursor.remainingBytes();
  }

  private boolean precedes(int a, int b) {
    if (ended[a] || ended[b]) {
      return ended[b] && (!ended[a] || a < b);
    }
    long prefix = prefixes[a];
    if (prefix != prefixes[b]) {
      return Long.compareUnsigned(prefix, prefixes[b]) < 0;
    }
    if (!hasPrefix || !order.decides(prefix)) {
      RunCursor x = runs[a];
      RunCursor y = runs[b];
      int result =
          order.compare(
              x.bytes(), x.keyOffset(), x.keyLength(), y.bytes(), y.keyOffset(), y.keyLength());
      if (result != 0) {
        return result < 0;
      }
    }
    return a < b;
  }

  /** The array that holds the current key. */
  public byte[] keyBytes() {
    return current.bytes();
  }

  public int keyOffset() {
    return current.keyOffset();
  }

  public int keyLength() {
    return current.keyLength();
  }

  /** The array that holds the current value. */
  public byte[] valueBytes() {
    return current.bytes();
  }

  public int valueOffset() {
    return current.valueOffset();
  }

  public int valueLength() {
    return current.valueLength();
  }

  /** Encoded bytes of the records before the current one. */
  public long consumedBytes() {
    return consumedBytes;
  }

  /** Share of the input that has been read, from 0 to 1, in the inputs' own estimate. */
  public float progress() {
    return initialBytes <= 0
        ? (current == null && primed ? 1 : 0)
        : Math.min(1, Math.max(0, 1 - (float) remainingBytes / initialBytes));
  }

  /** Closes every run, also when closing one fails. */
  @Override
  public void close() throws IOException {
    Closer.all(Arrays.asList(runs));
  }
}
