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
 * Allocates, maps and frees memory outside the Java heap, and counts all of it, {@link
 * NativeFile}'s mappings too.
 *
 * <p>Java 17 has no supported way to give direct memory back before a garbage collection, and a
 * task that waits for one exceeds its container; so this class calls {@code
 * sun.misc.Unsafe.invokeCleaner}, and nothing else in Sluice touches {@code Unsafe}.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever calls {@link #allocate} or {@link
 * #map} calls {@link #free} exactly once, after the last access through the buffer, its slices and
 * its duplicates; an access after that crashes the JVM. Failure: {@link OutOfMemoryError} from the
 * JVM when {@code -XX:MaxDirectMemorySize} is exceeded, {@link IOException} from mapping.
 */
public final class OffHeap {
  private static final MethodHandle INVOKE_CLEANER = findInvokeCleaner();

  /** Between collections that are asked for: each may take as long as the heap is large. */
  private static final long GARBAGE_NS = TimeUnit.SECONDS.toNanos(60);

  private static final AtomicLong COLLECTED_NS = new AtomicLong(System.nanoTime() - GARBAGE_NS);

  private static final AtomicLong ALLOCATED_BYTES = new AtomicLong();
  private static final AtomicLong MAPPED_BYTES = new AtomicLong();

  /** What gives back memory that somebody keeps though he does not use it now. */
  private static final Set<Runnable> KEEPERS = ConcurrentHashMap.newKeySet();

  private OffHeap() {}

  /** Allocates {@code lengthBytes} of zeroed direct memory, in big-endian order as usual. */
  public static ByteBuffer allocate(int lengthBytes) {
    ByteBuffer buffer;
    try {
      buffer = ByteBuffer.allocateDirect(lengthBytes);
    } catch (OutOfMemoryError e) {
      if (KEEPERS.isEmpty()) { // Java has waited half a second already
        throw e;
      }
      KEEPERS.forEach(Runnable::run);
      buffer = ByteBuffer.allocateDirect(lengthBytes);
    }
    ALLOCATED_BYTES.addAndGet(lengthBytes);
    return buffer;
  }

  /**
   * Allocates as {@link #allocate} does, unless less than {@link DirectMemory#headRoomBytes} would
   * be left for others. If that may be because of others' buffers that nobody uses any more, Java
   * is asked to collect them, at most once in {@link #GARBAGE_NS}: whoever asks later may have it.
   *
   * @return null if there is too little now
   */
  public static ByteBuffer tryAllocate(int lengthBytes) {
    if (!leavesHeadRoom(lengthBytes)) {
      KEEPERS.forEach(Runnable::run);
      if (!leavesHeadRoom(lengthBytes)) {
        collectGarbage(lengthBytes);
        return null;
      }
    }
    try {
      return allocate(lengthBytes);
    } catch (OutOfMemoryError e) { // others were faster, or the machine has no more
      return null;
    }
  }

  /** Java does so by itself only where nothing is left at all. */
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
   * Has {@code giveBack} called before an allocation fails or is refused, by the thread that wants
   * memory and with whatever locks that has; until {@link #removeKeeper}.
   */
  public static void addKeeper(Runnable giveBack) {
    KEEPERS.add(giveBack);
  }

  /** Ends that. */
  public static void removeKeeper(Runnable giveBack) {
    KEEPERS.remove(giveBack);
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
   * @param buffer the very buffer that method returned, not a slice or duplicate of it
   * @throws IllegalArgumentException if it is a slice, a duplicate or a heap buffer
   */
  public static void free(ByteBuffer buffer) {
    invokeCleaner(buffer);
    ALLOCATED_BYTES.addAndGet(-buffer.capacity());
  }

  /**
   * Removes a mapping from {@link #map}.
   *
   * @param buffer the very buffer that method returned, not a slice or duplicate of it
   * @throws IllegalArgumentException if it is a slice, a duplicate or a heap buffer
   */
  public static void unmap(MappedByteBuffer buffer) {
    invokeCleaner(buffer);
    MAPPED_BYTES.addAndGet(-buffer.capacity());
  }

  /** Direct memory allocated here and not yet freed; a test compares it before and after. */
  public static long allocatedBytes() {
    return ALLOCATED_BYTES.get();
  }

  /** File mappings made here and not yet freed. */
  public static long mappedBytes() {
    return MAPPED_BYTES.get();
  }

  /** Counts what {@link NativeFile} maps, and what it unmaps as a negative number. */
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
