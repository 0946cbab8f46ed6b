package io.sluice.bench.micro;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
 * All bytes of a file in tmpfs, read through a provider in ranges, some of them in flight; beside
 * {@link SendfileBenchmark}, which is the kernel alone.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 20)
@Fork(1)
public class TransportBenchmark {
  private static final int IN_FLIGHT = 4;

  /** By default, all providers that work here. */
  @Param("tcp")
  public String provider;

  private SharedFile file;
  private MappedByteBuffer mapping;
  private RangeReads reads;

  /** A server with one region, and a client with room for what is in flight. */
  @Setup
  public void open(RandomFile random) throws IOException {
    TransportProvider chosen = TransportChooser.standard().choose(provider).provider();
    file = SharedFile.open(random.path);
    try (FileChannel channel = FileChannel.open(random.path, StandardOpenOption.READ)) {
      mapping = OffHeap.map(channel, FileChannel.MapMode.READ_ONLY, 0, random.lengthBytes);
    }
    reads =
        new RangeReads(
            chosen,
            InetAddress.getLoopbackAddress(),
            MemoryRegion.ofMappedFile(mapping, file, random.lengthBytes),
            random.rangeBytes,
            IN_FLIGHT);
  }

  /** Closes all. */
  @TearDown
  public void close() throws IOException {
    Closer.all(reads, () -> OffHeap.unmap(mapping), file);
  }

  @Benchmark
  public void read() {
    reads.read(reads.ranges(), (read, memory, offset) -> {});
  }

  /** A file in tmpfs to be read in ranges, the same bytes each time. */
  @State(Scope.Benchmark)
  public static class RandomFile {
    /** Bytes of each read, or of each call of a sender and a receiver. */
    @Param({"4096", "65536", "1048576", "4194304"})
    public int rangeBytes;

    /** Bytes of the file. */
    @Param("134217728")
    public int lengthBytes;

    /** Where it is made. */
    @Param("/dev/shm")
    public String parent;

    Path path;

    /** Writes it. */
    @Setup
    public void write() throws IOException {
      byte[] bytes = new byte[lengthBytes];
      new Random(1).nextBytes(bytes);
      path = Files.createTempFile(Path.of(parent), "sluice-bench-", ".bytes");
      try {
        Files.write(path, bytes);
      } catch (IOException e) {
        Files.delete(path);
        throw e;
      }
    }

    /** Removes it. */
    @TearDown
    public void delete() throws IOException {
      Files.delete(path);
    }
  }
}
