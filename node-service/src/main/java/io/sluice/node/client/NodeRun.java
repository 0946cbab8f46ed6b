package io.sluice.node.client;

import io.sluice.node.remote.SegmentLocation;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.SegmentMapper;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * One run of a located output, ready to be read once. What reads it is made when it is needed: a
 * reducer may hold a million runs, and reads a thousand at a time.
 *
 * <p>Thread contract: one thread at a time; handing it over needs a happens-before. Ownership: who
 * located it closes it, or hands {@link #input} to a cursor that does.
 */
public final class NodeRun implements Closeable {
  private final Origin origin;
  private final String outputId;
  private final LocatedRun located;
  private byte[] inlined; // until it is handed out
  private final boolean local;
  private NodeRunInput input; // null while nothing of it is read or on its way
  private RemoteRunInput remote; // what input reads from, unless that is local
  private boolean handedOut;
  private int windows = 1;

  /**
   * What the runs have in common that one answer has located.
   *
   * @param node whose answer it was
   * @param applicationId of the outputs
   * @param segments where their segments are
   * @param mapper reads those that lie in the pool of this node
   * @param key that the outputs are encrypted with, or null if they are not
   */
  record Origin(
      RemoteNode node,
      String applicationId,
      Map<Integer, SegmentLocation> segments,
      SegmentMapper mapper,
      ShuffleKey key) {}

  /**
   * Reads nothing yet.
   *
   * @param inlined all its bytes, if its node has sent them, else null
   * @param local whether it is read where it lies, in the pool of this node
   */
  NodeRun(Origin origin, String outputId, LocatedRun located, byte[] inlined, boolean local) {
    this.origin = origin;
    this.outputId = outputId;
    this.located = located;
    this.inlined = inlined;
    this.local = local;
  }

  private NodeRunInput opened() {
    if (input == null) {
      input = open();
    }
    return input;
  }

  private NodeRunInput open() {
    RemoteNode node = origin.node();
    Run run = located.run();
    String name = name();
    RunKey key =
        origin.key() == null
            ? null
            : origin.key().reading(new OutputId(origin.applicationId(), outputId));
    RunInput from;
    LongConsumer counter;
    if (local) {
      from = new LocalRunInput(node, origin.mapper(), outputId, name, located, origin.segments());
      counter = bytes -> node.stats().read(ReadStats.LOCAL, bytes);
    } else {
      remote = new RemoteRunInput(node, outputId, name, located, origin.segments(), inlined);
      remote.setWindows(windows);
      from = remote;
      counter = bytes -> {}; // it counts for itself
    }
    return new NodeRunInput(outputId, name, from, run, key, counter);
  }

  /** The node that it was located at. */
  public NodeAddress address() {
    return origin.node().address();
  }

  /** The output it belongs to. */
  public String outputId() {
    return outputId;
  }

  /** How messages call it. */
  public String name() {
    return outputId
        + " partition "
        + located.run().partition()
        + " run "
        + located.run().ordinal()
        + " at "
        + origin.node().name();
  }

  /** The partition it belongs to. */
  public int partition() {
    return located.run().partition();
  }

  /** Bytes of {@link #input}: fewer than are stored if they are encrypted. */
  public long plainLengthBytes() {
    return origin.key() == null ? lengthBytes() : DecryptedRunInput.plainBytes(lengthBytes());
  }

  /** Bytes as they are stored. */
  public long lengthBytes() {
    return located.run().lengthBytes();
  }

  /** Bytes that are read of it, decompressed. */
  public long rawLengthBytes() {
    return located.run().rawLengthBytes();
  }

  /** Raw length of its chunks; 0 without. */
  public int chunkBytes() {
    return located.run().chunkBytes();
  }

  /** Mean length of its records, before they were compressed. */
  public long meanRecordBytes() {
    return rawLengthBytes() / Math.max(1, located.run().records());
  }

  /** Whether it lies in the memory of this node's own pool and needs no transfer. */
  public boolean isLocal() {
    return local;
  }

  /** Its bytes, verified, and decrypted if they are encrypted, while they are read. */
  public RunInput input() {
    RunInput opened = opened();
    handedOut = true;
    inlined = null;
    return opened;
  }

  /**
   * Starts to fetch up to {@code windows} windows of a remote run; nothing for a local one.
   *
   * @return false if that failed: it is found again when the run is read
   */
  public boolean prefetch(int windows) {
    if (local) {
      return true;
    }
    allow(windows);
    remote.prefetch(0);
    boolean ok = !remote.hasFailed();
    forgetUnread();
    return ok;
  }

  /**
   * Starts to fetch a remote run that is to be read later, into up to {@code windows} windows. A
   * quarter of all windows stays free for runs that are being read, so that whoever waits for one
   * need not wait for a run that is waiting itself.
   *
   * @return whether all of it is on its way, as a local one is
   */
  public boolean fetchAhead(int windows) {
    if (local) {
      return true;
    }
    allow(windows);
    boolean all = remote.prefetch(Math.max(1, remote.windowCount() / 4));
    forgetUnread();
    return all;
  }

  /** Gives back the windows of a remote run; it goes on where it was when it is read again. */
  public void suspend() {
    if (remote != null) {
      remote.suspend();
      forgetUnread();
    }
  }

  /** What would read it is made again when there is a window for it. */
  private void forgetUnread() {
    if (!handedOut && remote.isUnread()) {
      input = null;
      remote = null;
    }
  }

  void prepareMerge(int windows) {
    if (!local) {
      allow(windows);
    }
  }

  private void allow(int count) {
    windows = count;
    opened();
    remote.setWindows(count);
  }

  @Override
  public void close() throws IOException {
    if (input != null) {
      input.close();
    }
  }
}
