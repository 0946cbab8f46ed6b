package io.sluice.rdma.transport;

import io.sluice.rdma.memory.Closer;
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
 * A bounded number of equal windows to read into, which lie in a few large registrations.
 *
 * <p>Registration is slow and each one takes space in the NIC. So windows share slabs of {@value
 * #SLAB_BYTES} bytes. A slab is allocated and registered when first needed, and kept until this is
 * closed. If the process has no direct memory for another slab, the number of windows stays as it
 * is.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that acquires a window closes it,
 * which returns it. The creator closes this object, after all windows are returned and before the
 * endpoint. Failure: {@link TimeoutException} if no window was returned in time; {@link
 * RegistrationException} if there is no direct memory for even one window, or a slab cannot be
 * registered. Closing with windows in use throws {@link IllegalStateException} and keeps the
 * memory, because a read may still write to it.
 */
public final class RegisteredWindows implements AutoCloseable {
  /** The size of a slab, unless one window is larger. */
  public static final int SLAB_BYTES = 16 << 20;

  private record Slab(ByteBuffer memory, RegisteredBuffer registration) {}

  private final ClientEndpoint endpoint;
  private final int windowBytes;
  private final int wantedWindows;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final ArrayDeque<WindowMemory> free = new ArrayDeque<>();
  private final List<Slab> slabs = new ArrayList<>();
  private int maxWindows; // lower than requested once direct memory was short
  private int windows;
  private int peakInUse;
  private boolean closed;

  /**
   * @param endpoint registers the slabs; only its connections may read into the windows
   * @param windowBytes the size of each window
   * @param maxWindows the most windows in use at once
   */
  public RegisteredWindows(ClientEndpoint endpoint, int windowBytes, int maxWindows) {
    if (windowBytes <= 0 || maxWindows <= 0) {
      throw new IllegalArgumentException(
          "expected a positive number and size of windows, got "
              + maxWindows
              + " of "
              + windowBytes
              + " bytes");
    }
    this.endpoint = endpoint;
    this.windowBytes = windowBytes;
    this.wantedWindows = maxWindows;
    this.maxWindows = maxWindows;
  }

  /** Returns a window if it and {@code spare} others are free or can be allocated. */
  public Optional<RegisteredBuffer> tryAcquire(int spare) throws TransportException {
    lock.lock();
    try {
      return maxWindows - inUse() > spare ? Optional.ofNullable(take()) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a window; waits for one to be returned if none is free.
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

  /** The numbers of windows in use, and the registered memory. */
  public Usage usage() {
    lock.lock();
    try {
      long registeredBytes = slabs.stream().mapToLong(slab -> slab.memory().capacity()).sum();
      return new Usage(inUse(), peakInUse, maxWindows, registeredBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Deregisters and frees all slabs; idempotent. */
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
      returned.signalAll();
      closeSlabs();
    } finally {
      lock.unlock();
    }
  }

  /** Memory that is not deregistered must not be freed; it keeps no other slab. */
  private void closeSlabs() {
    while (!slabs.isEmpty()) {
      Slab slab = slabs.remove(slabs.size() - 1);
      try {
        slab.registration().close();
      } catch (RuntimeException | Error e) {
        Closer.after(e, this::closeSlabs);
        throw e;
      }
      OffHeap.free(slab.memory());
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
    WindowMemory memory = free.poll();
    if (memory == null) {
      return null;
    }
    peakInUse = Math.max(peakInUse, inUse());
    return new Window(memory);
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
      free.add(new WindowMemory(registration, memory.slice(i * windowBytes, windowBytes)));
    }
    windows += count;
  }

  /**
   * Allocates memory for {@code count} windows, or for fewer if the process has less. Null if there
   * is none, and windows exist already.
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
    // A failure of this process, not of the output to be read.
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

  private void giveBack(WindowMemory memory) {
    lock.lock();
    try {
      free.push(memory); // the last one used is most likely in the CPU's cache
      returned.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The use of the windows at one moment.
   *
   * @param inUse windows in use now
   * @param peakInUse the most windows ever in use at once
   * @param maxWindows the most windows that may be in use
   * @param registeredBytes memory allocated and registered
   */
  public record Usage(int inUse, int peakInUse, int maxWindows, long registeredBytes) {}

  private record WindowMemory(RegisteredBuffer registration, ByteBuffer memory) {}

  /**
   * One acquisition of a window's memory. Each acquisition is a new object, so that a use after
   * release fails.
   */
  private final class Window extends RegisteredBuffer {
    private final WindowMemory memory;

    Window(WindowMemory memory) {
      super(memory.memory());
      this.memory = memory;
    }

    @Override
    public RegisteredBuffer registration() {
      return memory.registration();
    }

    @Override
    protected void release() {
      giveBack(memory);
    }
  }
}
