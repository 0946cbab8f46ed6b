package io.sluice.bench.micro;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The lower bound of {@link SortBenchmark}: the same bytes copied, in their order and in a random
 * one, and nothing but the same keys sorted.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class LimitBenchmark {
  private static final int RECORD_BYTES = 100;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  /** Records of TeraSort, memory to copy them to, and their order. */
  @State(Scope.Benchmark)
  public static class Bytes {
    /** As {@link SortBenchmark} sorts. */
    @Param("134217728")
    public int lengthBytes;

    ByteBuffer from;
    ByteBuffer to;
    long[] keys;
    int[] order;

    /** All of it is touched. */
    @Setup
    public void make() {
      byte[] bytes = new byte[lengthBytes];
      new Random(42).nextBytes(bytes);
      from = OffHeap.allocate(bytes.length).put(0, bytes);
      to = OffHeap.allocate(bytes.length).put(0, bytes);
      keys = new long[lengthBytes / RECORD_BYTES];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = from.getLong(i * RECORD_BYTES);
      }
      order = sorted(keys);
    }

    /** Frees it. */
    @TearDown
    public void free() {
      OffHeap.free(from);
      OffHeap.free(to);
    }
  }

  @Benchmark
  public ByteBuffer copy(Bytes bytes) {
    return bytes.to.put(0, bytes.from, 0, bytes.from.capacity());
  }

  /** To memory that is new, as Java gives it: each page is a fault, and zeroed twice. */
  @Benchmark
  public int copyToNewMemory(Bytes bytes) {
    ByteBuffer to = OffHeap.allocate(bytes.from.capacity());
    try {
      return to.put(0, bytes.from, 0, bytes.from.capacity()).get(0);
    } finally {
      OffHeap.free(to);
    }
  }

  /** As {@link SortBenchmark#gather}, without encoding and without looking for records. */
  @Benchmark
  public ByteBuffer copyInOrder(Bytes bytes) {
    for (int i = 0; i < bytes.order.length; i++) {
      bytes.to.put(i * RECORD_BYTES, bytes.from, bytes.order[i] * RECORD_BYTES, RECORD_BYTES);
    }
    return bytes.to;
  }

  /** The checksums that runs have, of all bytes. */
  @Benchmark
  public BlockChecksums checksum(Bytes bytes) {
    return BlockChecksummer.sum(bytes.from.duplicate());
  }

  @Benchmark
  public int[] radixSort(Bytes bytes) {
    return sorted(bytes.keys);
  }

  /** Where the keys lie in unsigned order, by their least significant digits first. */
  static int[] sorted(long[] keys) {
    int[] order = new int[keys.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
    }
    int[] next = new int[order.length];
    int[] starts = new int[DIGITS + 1];
    for (int shift = 0; shift < Long.SIZE; shift += DIGIT_BITS) {
      Arrays.fill(starts, 0);
      for (long key : keys) {
        starts[digit(key, shift) + 1]++;
      }
      for (int i = 0; i < DIGITS; i++) {
        starts[i + 1] += starts[i];
      }
      for (int each : order) {
        next[starts[digit(keys[each], shift)]++] = each;
      }
      int[] swapped = order;
      order = next;
      next = swapped;
    }
    return order;
  }

  private static int digit(long key, int shift) {
    return (int) (key >>> shift) & (DIGITS - 1);
  }
}
