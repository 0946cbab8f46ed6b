package io.sluice.rdma.memory;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates, maps and frees memory outside the Java heap, and counts all of it, including the
 * mappings of {@link NativeFile}.
 *
 * <p>Java 17 has no supported way to free direct memory before a garbage collection, and a task
 * that waits for one exceeds its container. So this class calls {@code
 * sun.misc.Unsafe.invokeCleaner}. No other class of Sluice uses {@code Unsafe}.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller of {@link #allocate} or {@link
 * #map} calls {@link #free} or {@link #unmap} exactly once, after the last access through the
 * buffer, its slices and its duplicates; a later access crashes the JVM. Failure: {@link
 * OutOfMemoryError} from the JVM when {@code -XX:MaxDirectMemorySize} is exceeded, {@link
 * IOException} from mapping.
 */
public final class OffHeap {
  private static final MethodHandle INVOKE_CLEANER = findInvokeCleaner();

  /** The least time between two requested collections, because a large heap takes long. */
  private static final long GARBAGE_NS = TimeUnit.SECONDS.toNanos(60);

  private static final AtomicLong COLLECTED_NS = new AtomicLong(System.nanoTime() - GARBAGE_NS);

  private static final AtomicLong ALLOCATED_BYTES = new AtomicLong();
  private static final AtomicLong MAPPED_BYTES = new AtomicLong();

  /** Actions that free memory which their owners cache but do not use now. */
  private static final Set<Runnable> RECLAIMERS = ConcurrentHashMap.newKeySet();

  private OffHeap() {}

  /** Allocates {@code lengthBytes} of zeroed direct memory, in big-endian order. */
  public static ByteBuffer allocate(int lengthBytes) {
    ByteBuffer buffer;
    try {
      buffer = ByteBuffer.allocateDirect(lengthBytes);
    } catch (OutOfMemoryError e) {
      if (RECLAIMERS.isEmpty()) { // the JVM has waited half a second already
        throw e;
      }
      RECLAIMERS.forEach(Runnable::run);
      buffer = ByteBuffer.allocateDirect(lengthBytes);
    }
    ALLOCATED_BYTES.addAndGet(lengthBytes);
    return buffer;
  }

  /**
   * Allocates as {@link #allocate} does, unless less than {@link DirectMemory#headRoomBytes} would
   * remain. If unused buffers of others may be the reason, it requests a garbage collection, at
   * most once in {@link #GARBAGE_NS}; a later call may then succeed.
   *
   * @return null if there is too little memory now
   */
  public static ByteBuffer tryAllocate(int lengthBytes) {
    if (!leavesHeadRoom(lengthBytes)) {
      RECLAIMERS.forEach(Runnable::run);
      if (!leavesHeadRoom(lengthBytes)) {
        collectGarbage(lengthBytes);
        return null;
      }
    }
    try {
      return allocate(lengthBytes);
    } catch (OutOfMemoryError e) { // another thread was faster, or the machine has no more
      return null;
    }
  }

  /** Requests a collection; the JVM itself does so only when nothing is left. */
  private static void collectGarbage(int lengthBytes) {
    long othersBytes = DirectMemory.usedBytes() - ALLOCATED_BYTES.get();
    long lastNs = COLLECTED_NS.get();
    long nowNs = System.nanoTime();
    if (othersBytes >= lengthBytes
        && nowNs - lastNs >= GARBAGE_NS
        && COLLECTED_NS.compareAndSet(lastNs, nowNs)) {
      System.gc();
    }
  }

  private static boolean leavesHeadRoom(int lengthBytes) {
    return DirectMemory.usedBytes() + lengthBytes
        <= DirectMemory.limitBytes() - DirectMemory.headRoomBytes();
  }

  /**
   * Registers {@code giveBack}, to be called before an allocation fails or is refused. The
   * allocating thread calls it, with the locks that it holds, until {@link #removeReclaimer}.
   */
  public static void addReclaimer(Runnable giveBack) {
    RECLAIMERS.add(giveBack);
  }

  /** Removes an action that {@link #addReclaimer} registered. */
  public static void removeReclaimer(Runnable giveBack) {
    RECLAIMERS.remove(giveBack);
  }

  /** Maps a range of an open file; the mapping outlives the channel. */
  public static MappedByteBuffer map(
      FileChannel file, FileChannel.MapMode mode, long offsetBytes, int lengthBytes)
      throws IOException {
    MappedByteBuffer buffer = file.map(mode, offsetBytes, lengthBytes);
    MAPPED_BYTES.addAndGet(lengthBytes);
    return buffer;
  }

  /**
   * Frees memory from {@link #allocate}.
   *
   * @param buffer the buffer that the method returned, not a slice or duplicate of it
   * @throws IllegalArgumentException if it is a slice, a duplicate or a heap buffer
   */
  public static void free(ByteBuffer buffer) {
    invokeCleaner(buffer);
    ALLOCATED_BYTES.addAndGet(-buffer.capacity());
  }

  /**
   * Removes a mapping from {@link #map}.
   *
   * @param buffer the buffer that the method returned, not a slice or duplicate of it
   * @throws IllegalArgumentException if it is a slice, a duplicate or a heap buffer
   */
  public static void unmap(MappedByteBuffer buffer) {
    invokeCleaner(buffer);
    MAPPED_BYTES.addAndGet(-buffer.capacity());
  }

  /** Direct memory allocated here and not yet freed; tests compare it before and after. */
  public static long allocatedBytes() {
    return ALLOCATED_BYTES.get();
  }

  /** File mappings made here and not yet freed. */
  public static long mappedBytes() {
    return MAPPED_BYTES.get();
  }

  /** Counts bytes that {@link NativeFile} maps, or unmaps as a negative number. */
  static void countMapped(long bytes) {
    MAPPED_BYTES.addAndGet(bytes);
  }

  private static void invokeCleaner(ByteBuffer buffer) {
    try {
      INVOKE_CLEANER.invokeExact(buffer);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Unsafe.invokeCleaner failed", e);
    }
  }

  private static MethodHandle findInvokeCleaner() {
    try {
      Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
      Field theUnsafe = unsafeClass.getDeclaredField("theUnsafe");
      theUnsafe.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(
              unsafeClass, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(theUnsafe.get(null));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
