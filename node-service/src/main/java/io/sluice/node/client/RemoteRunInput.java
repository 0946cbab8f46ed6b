package io.sluice.node.client;

import io.sluice.node.client.BounceReads.BounceBusyException;
import io.sluice.node.client.RunReads.ReadPath;
import io.sluice.node.client.RunReads.RunWindow;
import io.sluice.node.client.RunReads.StaleLocationException;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A run in another node's pool, read through a sliding row of windows by one-sided reads; a short
 * one may have come with the answer that says where it lies.
 *
 * <p>As many windows as {@link #setWindows} allows are filled ahead of the reader, so a run that
 * fits in them is fetched eagerly and a longer one on demand; no more than that is ever held of it
 * in memory. Differs from a mapped run in that bytes are transferred and can fail to come: after a
 * failed read the node is asked anew. If the run lies elsewhere now, it is read on there; else the
 * read is tried again on the same transport (the service may have been restarted), then on the next
 * one, and only then given up; a connection that ends may have been idle too long for the service,
 * so that it is made again several times before. A segment that has no region on a transport is
 * read through the node's bounce slots, and directly over the next transport while none of them is
 * free; where there is no other, it waits for one until the deadline of an exchange. A node that
 * takes no further connection is asked again later, which is no failure; only when it has refused
 * for long the reader gives up, with {@link NodeBusyException} and without blame for the output. A
 * block that comes with a wrong checksum is read once more, over the last of the transports. Where
 * this process has no descriptor left, it waits for one as long as for a restart.
 *
 * <p>Thread contract: one thread at a time; handing it over needs a happens-before. Ownership: its
 * cursor closes it, which returns the windows; the node stays its owner's. Failure: {@link
 * FetchFailedException}, or {@link ReaderFailedException} where this process is at fault.
 */
final class RemoteRunInput implements RunInput {
  private static final int ENDINGS_IN_A_ROW = 5; // which are no failures of the transport

  private final RemoteNode node;
  private final String outputId;
  private final String name;
  private final Run run;
  private final RunLocator where;
  private final RunReads reads;
  private final Deque<RunWindow> windows = new ArrayDeque<>();
  private int maxWindows = 1;
  private final BusyBackoff refusal;
  private final BusyBackoff slotRefusal;
  private final BusyBackoff shortage; // of this process
  private String transport;
  private int failuresInARow;
  private int endingsInARow;
  private boolean avoidBounce;
  private long issuedBytes;
  private long consumedBytes;

  /**
   * Starts no read yet.
   *
   * @param inlined all bytes of the run as its node has sent them, which are read like a first
   *     window and again from its place if they are wrong; or null
   */
  RemoteRunInput(
      RemoteNode node,
      String outputId,
      String name,
      LocatedRun located,
      Map<Integer, SegmentLocation> segments,
      byte[] inlined) {
    this.node = node;
    this.outputId = outputId;
    this.name = name;
    this.run = located.run();
    this.refusal = new BusyBackoff(name, node.timeouts().busyMs());
    this.slotRefusal = new BusyBackoff(name, node.timeouts().exchangeMs());
    this.shortage = new BusyBackoff(name, node.timeouts().restartMs());
    this.where = new RunLocator(node, outputId, name, located, segments, refusal);
    this.reads = new RunReads(node, outputId, name, run, where);
    if (inlined != null) {
      windows.add(RunWindow.inlined(inlined));
      issuedBytes = inlined.length;
    }
  }

  /**
   * Allows so many windows, at least one, and gives back what is held beyond that.
   *
   * <p>When several runs are merged, the windows of all of them together must not exceed the pool:
   * otherwise one would wait for a window while the others, unread, hold them all.
   */
  void setWindows(int count) {
    maxWindows = Math.max(1, count);
    while (windows.size() > maxWindows) {
      RunWindow last = windows.removeLast();
      issuedBytes -= last.lengthBytes();
      reads.discard(last);
    }
  }

  /** Whether nothing of it was read, is here or is on its way. */
  boolean isUnread() {
    return consumedBytes == 0 && windows.isEmpty();
  }

  /** How many windows all runs of this reader have together. */
  int windowCount() {
    return node.pools().windowCount();
  }

  /**
   * Starts reads for as many windows as are allowed and free; does not wait for them. A failure to
   * start is left for {@link #read} to find again.
   *
   * @param spare how many windows stay free
   * @return whether no further read is needed; not if one has failed, for those of other runs of
   *     this node would only fail too, and take as long
   */
  boolean prefetch(int spare) {
    try {
      fill(false, spare);
    } catch (IOException e) {
      node.stats().retried();
    }
    return issuedBytes == run.lengthBytes() && !hasFailed();
  }

  /** Whether the read that was started last has failed already. */
  boolean hasFailed() {
    return !windows.isEmpty() && windows.getLast().done().isCompletedExceptionally();
  }

  private void fill(boolean needOne, int spare) throws IOException {
    while (issuedBytes < run.lengthBytes()
        && windows.size() < maxWindows
        && issue(needOne && windows.isEmpty(), spare)) {}
  }

  /** Starts the next read; false if there is no window for it, or it failed at once. */
  private boolean issue(boolean wait, int spare) throws IOException {
    ReadPath way = reads.bestWay(issuedBytes, avoidBounce, where.isDoubted(issuedBytes));
    transport = way.transport();
    RunWindow window = reads.start(way, issuedBytes, wait, spare);
    if (window == null) {
      return false;
    }
    windows.addLast(window);
    issuedBytes += window.lengthBytes();
    // The next one would only fail too, and take as long.
    return !window.done().isCompletedExceptionally();
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (consumedBytes == run.lengthBytes()) {
      return -1;
    }
    RunWindow head = arrivedHead();
    int n = Math.min(lengthBytes, head.view().remaining());
    head.view().get(dst, offset, n);
    consumedBytes += n;
    if (!head.view().hasRemaining()) {
      windows.removeFirst();
      head.close();
      prefetch(0); // these bytes are read, whatever becomes of the next
    }
    return n;
  }

  private RunWindow arrivedHead() throws IOException {
    while (true) {
      try {
        fill(true, 0);
        RunWindow head = windows.getFirst();
        if (head.view() != null) {
          return head;
        }
        transport = head.way().transport();
        await(head);
        head.arrived();
        count(head);
        failuresInARow = 0;
        endingsInARow = 0;
        refusal.isOver();
        slotRefusal.isOver();
        shortage.isOver();
        avoidBounce = false;
        return head;
      } catch (TransportException e) {
        if (!(e instanceof BounceBusyException) || !avoidBounce()) {
          recover(e);
        }
      }
    }
  }

  private void count(RunWindow window) {
    node.stats().read(transport, window.lengthBytes());
    if (window.way().isBounced()) {
      node.stats().bounced(window.lengthBytes());
    }
  }

  /**
   * The node has no bounce slot free: goes another way until the next window has come.
   *
   * @return whether there is one
   */
  private boolean avoidBounce() throws IOException {
    if (avoidBounce || reads.bestWay(consumedBytes, true, false).isBounced()) {
      return false;
    }
    node.stats().bounceRefused();
    avoidBounce = true;
    suspend();
    return true;
  }

  private void await(RunWindow window) throws IOException {
    try {
      // The transport keeps its own deadline; the second one is for a transport that does not.
      window.done().get(2 * node.timeouts().exchangeMs(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TransportException cause) {
        throw cause;
      }
      throw new TransportException(name + ": read failed", e.getCause());
    } catch (TimeoutException e) {
      throw new FetchFailedException(
          outputId,
          "%s: a read of %s bytes over %s has not ended after twice its deadline of %s ms"
              .formatted(
                  name,
                  window.lengthBytes(),
                  window.way().transport(),
                  node.timeouts().exchangeMs()),
          e);
    } catch (InterruptedException e) {
      throw where.interrupted();
    }
  }

  @Override
  public boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
    RuntimeException hanging = null; // of reads ahead: what came is wrong all the same
    try {
      suspend();
    } catch (RuntimeException e) {
      hanging = e;
      cause.addSuppressed(e);
    }
    boolean again =
        hanging == null
            ? where.mayComeRight(offsetBytes, cause)
            : where.isStale(offsetBytes, cause);
    if (!again) {
      return false;
    }
    if (hanging != null) {
      throw hanging; // else a window that is not given back would go unnoticed
    }
    node.stats().retried();
    consumedBytes = offsetBytes;
    issuedBytes = offsetBytes;
    return true;
  }

  private void recover(TransportException cause) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw where.interrupted(); // the others that use this node are not to go another way for it
    }
    boolean isShort = node.ways().isShort(cause);
    if (!isShort) {
      shortage.isOver();
    }
    if (cause instanceof NodeBusyException busy) {
      suspend(); // a reader that waits must not hold windows that others could use
      refusal.comeLater(busy);
      return;
    }
    if (cause instanceof BounceBusyException) {
      suspend();
      if (slotRefusal.waits()) {
        return; // there is no other way
      }
    }
    node.stats().retried();
    suspend();
    if (isShort) {
      if (!shortage.waits()) {
        throw new ReaderFailedException(
            name + ": cannot be read by this process: " + ErrorText.of(cause), cause);
      }
      return;
    }
    if (where.askAgain(consumedBytes, cause)) {
      failuresInARow = 0; // they were of the location that was known before
      endingsInARow = 0;
      return;
    }
    boolean another = !(cause instanceof StaleLocationException) && mayTryAgain(cause);
    if (!another && cause instanceof RegistrationException) {
      throw cause; // another attempt of the producer would not change this process's limits
    }
    if (!another) {
      throw new FetchFailedException(
          outputId,
          "%s: cannot be read from %s after %s of %s bytes: %s"
              .formatted(name, node.name(), consumedBytes, run.lengthBytes(), cause.getMessage()),
          cause);
    }
  }

  /**
   * A transport may fail once. A connection may end several times: its service ends those that it
   * finds idle, however soon a reader that stands still comes to read.
   */
  private boolean mayTryAgain(TransportException cause) {
    boolean ended = cause instanceof ConnectionLostException && ++endingsInARow <= ENDINGS_IN_A_ROW;
    if (!ended || failuresInARow == 0) {
      failuresInARow++;
    }
    return ended
        || failuresInARow == 1
        || (failuresInARow == 2
            && !where.isDoubted(consumedBytes) // another transport than the best, for this block
            && node.ways().giveUp(transport, cause));
  }

  /**
   * Gives every window back, whatever became of the others; reading goes on where it was. After an
   * error the next call gives back the rest.
   */
  void suspend() {
    RuntimeException failure = null;
    while (!windows.isEmpty()) {
      try {
        reads.discard(windows.removeLast());
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    issuedBytes = consumedBytes;
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public long remainingBytes() {
    return run.lengthBytes() - consumedBytes;
  }

  @Override
  public void close() {
    suspend();
  }
}
