package io.sluice.rdma.transport;

import io.sluice.rdma.memory.DirectMemory;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded pool of equal windows to read into, cut from few large registrations.
 *
 * <p>Registering is slow and every registration takes room in the NIC, so windows share slabs of
 * {@value #SLAB_BYTES} bytes, each allocated and registered when first needed and kept until the
 * pool is closed. Where the process has no direct memory for another window, the pool stays as
 * large as it is.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever acquires a window closes it, which
 * returns it; whoever made the pool closes it, after all windows are back and before the endpoint
 * is closed. Failure: {@link TimeoutException} when no window came back in time, {@link
 * RegistrationException} when there is no direct memory for even one window or a slab cannot be
 * registered, {@link IllegalStateException} on closing with windows out: the memory is then kept,
 * for a read may yet land in it.
 */
public final class RegisteredWindows implements AutoCloseable {
  /** Slabs are this large, or one window if that is larger. */
  public static final int SLAB_BYTES = 16 << 20;

  private record Slab(ByteBuffer memory, RegisteredBuffer registration) {}

  private final ClientEndpoint endpoint;
  private final int windowBytes;
  private final int wantedWindows;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final ArrayDeque<Place> free = new ArrayDeque<>();
  private final List<Slab> slabs = new ArrayList<>();
  private int maxWindows; // fewer than wanted once direct memory was short
  private int windows;
  private int peakInUse;
  private boolean closed;

  /**
   * @param endpoint registers the slabs; reads into windows must go over its connections
   * @param windowBytes the size of each window
   * @param maxWindows how many there may be at once
   */
  public RegisteredWindows(ClientEndpoint endpoint, int windowBytes, int maxWindows) {
    if (windowBytes <= 0 || maxWindows <= 0) {
      throw new IllegalArgumentException(
          "a pool needs windows: got " + maxWindows + " of " + windowBytes + " bytes");
    }
    this.endpoint = endpoint;
    this.windowBytes = windowBytes;
    this.wantedWindows = maxWindows;
    this.maxWindows = maxWindows;
  }

  /** A window if one is free or can be made, and {@code spare} others besides. */
  public Optional<RegisteredBuffer> tryAcquire(int spare) throws TransportException {
    lock.lock();
    try {
      return maxWindows - inUse() > spare ? Optional.ofNullable(take()) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A window, waiting for one to come back if need be.
   *
   * @throws TimeoutException after {@code timeoutMs}
   */
  public RegisteredBuffer acquire(long timeoutMs)
      throws TransportException, TimeoutException, InterruptedException {
    lock.lockInterruptibly();
    try {
      long leftNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      RegisteredBuffer window = take();
      while (window == null) {
        if (leftNanos <= 0) {
          throw new TimeoutException(
              "no registered window of "
                  + windowBytes
                  + " bytes came back within "
                  + timeoutMs
                  + " ms; all "
                  + maxWindows
                  + " are in use: "
                  + (maxWindows == wantedWindows
                      ? "give the pool more, or release earlier"
                      : "the process has no direct memory for more of the "
                          + wantedWindows
                          + ": raise -XX:MaxDirectMemorySize or -Xmx"));
        }
        leftNanos = returned.awaitNanos(leftNanos);
        window = take();
      }
      return window;
    } finally {
      lock.unlock();
    }
  }

  public int windowBytes() {
    return windowBytes;
  }

  /** How many windows are out now, ever were out at once, and how much is registered. */
  public Usage usage() {
    lock.lock();
    try {
      long registeredBytes = slabs.stream().mapToLong(slab -> slab.memory().capacity()).sum();
      return new Usage(inUse(), peakInUse, maxWindows, registeredBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Deregisters and frees everything; further calls do nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (inUse() > 0) {
        throw new IllegalStateException(
            "registered buffer pool closed with "
                + inUse()
                + " of "
                + windows
                + " windows of "
                + windowBytes
                + " bytes not released");
      }
      closed = true;
      free.clear();
      windows = 0;
      while (!slabs.isEmpty()) {
        Slab slab = slabs.remove(slabs.size() - 1);
        slab.registration().close();
        OffHeap.free(slab.memory());
      }
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private int inUse() {
    return windows - free.size();
  }

  private RegisteredBuffer take() throws TransportException {
    if (closed) {
      throw new IllegalStateException("registered buffer pool is closed");
    }
    if (free.isEmpty() && windows < maxWindows) {
      addSlab();
    }
    Place place = free.poll();
    if (place == null) {
      return null;
    }
    peakInUse = Math.max(peakInUse, inUse());
    return new Window(place);
  }

  private void addSlab() throws TransportException {
    ByteBuffer memory =
        allocate(Math.min(Math.max(1, SLAB_BYTES / windowBytes), maxWindows - windows));
    if (memory == null) {
      maxWindows = windows;
      return;
    }
    int count = memory.capacity() / windowBytes;
    RegisteredBuffer registration;
    try {
      registration = endpoint.register(memory);
    } catch (TransportException | RuntimeException e) {
      OffHeap.free(memory);
      throw e;
    }
    slabs.add(new Slab(memory, registration));
    for (int i = 0; i < count; i++) {
      free.add(new Place(registration, memory.slice(i * windowBytes, windowBytes)));
    }
    windows += count;
  }

  /**
   * Memory for so many windows, or for fewer where the process has not as much in one piece; null
   * if it has none for more than there are.
   */
  private ByteBuffer allocate(int count) throws RegistrationException {
    OutOfMemoryError shortage = null;
    for (int tried = count; tried > 0; tried /= 2) {
      try {
        return OffHeap.allocate(tried * windowBytes);
      } catch (OutOfMemoryError e) {
        shortage = e;
      }
    }
    if (windows > 0) {
      return null;
    }
    // Of this process, not of the output that is to be read.
    throw new RegistrationException(
        "no direct memory for a window of "
            + windowBytes
            + " bytes: the process uses "
            + DirectMemory.usedBytes()
            + " of "
            + DirectMemory.limitBytes()
            + " bytes; raise -XX:MaxDirectMemorySize or -Xmx",
        shortage);
  }

  private void giveBack(Place place) {
    lock.lock();
    try {
      free.push(place); // the last one used is the likeliest to be in the CPU's cache
      returned.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A pool at one moment.
   *
   * @param inUse windows out now
   * @param peakInUse most windows ever out at once
   * @param maxWindows most windows there may be
   * @param registeredBytes memory allocated and registered
   */
  public record Usage(int inUse, int peakInUse, int maxWindows, long registeredBytes) {}

  private record Place(RegisteredBuffer registration, ByteBuffer memory) {}

  /** One acquisition of a place; a new one each time, so that use after release is noticed. */
  private final class Window extends RegisteredBuffer {
    private final Place place;

    Window(Place place) {
      super(place.memory());
      this.place = place;
    }

    @Override
    public RegisteredBuffer registration() {
      return place.registration();
    }

    @Override
    protected void release() {
      giveBack(place);
    }
  }
}
