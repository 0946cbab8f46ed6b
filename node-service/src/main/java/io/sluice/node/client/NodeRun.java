package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * One run of a located output, which can be read once. Its input is made when it is needed: a
 * reducer may hold a million runs, and reads a thousand at a time.
 *
 * <p>Thread contract: one thread at a time; the next one needs a happens-before. Ownership: its
 * locator closes it, or gives {@link #input} to a cursor that does.
 */
public final class NodeRun implements Closeable {
  private final LocatedRuns from;
  private final int run; // its offset there
  private byte[] inlined; // until the input has it
  private NodeRunInput input; // null while nothing of it is read or on its way
  private RemoteRunInput remote; // what input reads from, unless that is local
  private boolean handedOut;
  private int windows = 1;

  /** Reads nothing yet; {@code run} is its offset in {@code from}. */
  public NodeRun(LocatedRuns from, int run) {
    this(from, run, null);
  }

  /**
   * The same.
   *
   * @param inlined all its bytes, if its node has sent them, else null
   */
  NodeRun(LocatedRuns from, int run, byte[] inlined) {
    this.from = from;
    this.run = run;
    this.inlined = inlined;
  }

  private NodeRunInput opened() {
    if (input == null) {
      input = open();
    }
    return input;
  }

  private NodeRunInput open() {
    RemoteNode node = from.node();
    LocatedRuns.Task task = from.task();
    LocatedRun located = from.located(run);
    Map<Integer, SegmentLocation> segments = from.segments(located.location());
    String outputId = outputId();
    String name = name();
    RunKey key =
        task.key() == null
            ? null
            : task.key().reading(new OutputId(task.applicationId(), outputId));
    RunInput bytes;
    LongConsumer counter;
    if (isLocal()) {
      bytes = new LocalRunInput(node, task.mapper(), outputId, name, located, segments);
      counter = read -> node.stats().read(ReadStats.LOCAL, read);
    } else {
      remote = new RemoteRunInput(node, outputId, name, located, segments, inlined);
      remote.setWindows(windows);
      bytes = remote;
      counter = read -> {}; // it counts for itself
    }
    return new NodeRunInput(outputId, name, bytes, located.run(), key, counter);
  }

  /** The node that it was located at. */
  public NodeAddress address() {
    return from.address();
  }

  /** The output it belongs to. */
  public String outputId() {
    return from.outputId(from.outputOf(run));
  }

  /** How messages call it. */
  public String name() {
    return from.name(run);
  }

  /** The partition it belongs to. */
  public int partition() {
    return from.partition(run);
  }

  /** Bytes of {@link #input}: fewer than are stored if they are encrypted. */
  public long plainLengthBytes() {
    return from.task().key() == null ? lengthBytes() : DecryptedRunInput.plainBytes(lengthBytes());
  }

  /** Bytes as they are stored. */
  public long lengthBytes() {
    return from.lengthBytes(run);
  }

  /** Bytes that are read of it, decompressed. */
  public long rawLengthBytes() {
    return from.rawLengthBytes(run);
  }

  /** Raw length of its chunks; 0 without. */
  public int chunkBytes() {
    return from.chunkBytes(run);
  }

  /** Mean length of its records, before they were compressed. */
  public long meanRecordBytes() {
    return from.meanRecordBytes(run);
  }

  /** Whether it lies in the memory of this node's own pool and needs no transfer. */
  public boolean isLocal() {
    return from.isLocal(run);
  }

  /** Whether nothing of it was read, is here or is on its way. */
  public boolean isUntouched() {
    return input == null && inlined == null;
  }

  /** Whether all of it was read, and found right. */
  public boolean isReadToItsEnd() {
    return input != null && input.isAtEnd();
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
    if (isLocal()) {
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
   * quarter of all windows stays free for runs that are being read: a reader that waits for a
   * window need not wait for a run that is waiting itself.
   *
   * @return whether all of it is on its way, as a local one is
   */
  public boolean fetchAhead(int windows) {
    if (isLocal()) {
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

  /** Drops an unread input. It is made again when there is a window for it. */
  private void forgetUnread() {
    if (!handedOut && remote.isUnread()) {
      input = null;
      remote = null;
    }
  }

  void prepareMerge(int windows) {
    if (!isLocal()) {
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

  /**
   * Verifies a run while it is read, and decrypts it if it is encrypted. It names the output in
   * every failure, so that the engine can run the producer again.
   *
   * <p>Thread contract: one thread. Ownership: owns the input it wraps. Failure: {@link
   * FetchFailedException}; {@link InterruptedIOException}, {@link RegistrationException}, {@link
   * ReaderFailedException} and {@link ClosedRunException} are this task's own and passed on as they
   * are.
   */
  static final class NodeRunInput implements RunInput {
    private final String outputId;
    private final RunInput checked;
    private boolean atEnd;

    /**
     * Reads {@code run} from {@code input}.
     *
     * @param key to decrypt it with, or null if it is not encrypted
     * @param counter is told how many bytes of the run, as it is stored, each read delivered
     */
    NodeRunInput(
        String outputId, String name, RunInput input, Run run, RunKey key, LongConsumer counter) {
      this.outputId = outputId;
      RunInput verified =
          new Counted(
              new VerifiedRunInput(name, input, run.lengthBytes(), run.checksums()), counter);
      this.checked =
          key == null
              ? verified
              : new DecryptedRunInput(
                  name, verified, run.lengthBytes(), key, run.partition(), run.ordinal());
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      try {
        int n = checked.read(dst, offset, lengthBytes);
        atEnd |= n < 0;
        return n;
      } catch (FetchFailedException
          | InterruptedIOException
          | NodeBusyException
          | ReaderFailedException
          | ClosedRunException
          | RegistrationException e) {
        throw e; // the first says it already, the others are no fault of the output
      } catch (IOException e) {
        throw new FetchFailedException(outputId, ErrorText.of(e), e);
      }
    }

    /** Whether all of it was read, and found right. */
    boolean isAtEnd() {
      return atEnd;
    }

    @Override
    public long remainingBytes() {
      return checked.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      checked.close();
    }

    /** Bytes that were verified. */
    private record Counted(RunInput verified, LongConsumer counter) implements RunInput {
      @Override
      public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
        int n = verified.read(dst, offset, lengthBytes);
        if (n > 0) {
          counter.accept(n);
        }
        return n;
      }

      @Override
      public long remainingBytes() {
        return verified.remainingBytes();
      }

      @Override
      public void close() throws IOException {
        verified.close();
      }
    }
  }
}
