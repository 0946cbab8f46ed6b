package io.sluice.bench.micro;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.Closing;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
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
  private static final long TIMEOUT_MS = 60_000;
  private static final int IN_FLIGHT = 4;

  /** Those that work here, unless it is told. */
  @Param("tcp")
  public String provider;

  private int rangeBytes;
  private int lengthBytes;
  private SharedFile file;
  private MappedByteBuffer mapping;
  private ServerEndpoint server;
  private ClientEndpoint client;
  private Connection connection;
  private RegionDescriptor region;
  private ByteBuffer memory;
  private RegisteredBuffer landing;

  /** A server with one region, and a client with room for what is in flight. */
  @Setup
  public void open(RandomFile random) throws IOException {
    TransportProvider chosen = TransportChooser.standard().choose(provider).provider();
    rangeBytes = random.rangeBytes;
    lengthBytes = random.lengthBytes;
    file = SharedFile.open(random.path);
    try (FileChannel channel = FileChannel.open(random.path, StandardOpenOption.READ)) {
      mapping = OffHeap.map(channel, FileChannel.MapMode.READ_ONLY, 0, lengthBytes);
    }
    server = chosen.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    region = server.register(MemoryRegion.ofMappedFile(mapping, file, lengthBytes));
    client = chosen.openClient();
    memory = OffHeap.allocate(IN_FLIGHT * rangeBytes);
    landing = client.register(memory);
    connection = client.connect(server.address(), TIMEOUT_MS);
  }

  /** Closes all. */
  @TearDown
  public void close() throws IOException {
    Closing.all(
        connection::close,
        landing::close,
        client::close,
        server::close,
        () -> OffHeap.free(memory),
        () -> OffHeap.unmap(mapping),
        file);
  }

  @Benchmark
  public void read() {
    ArrayDeque<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
    int slot = 0;
    for (long at = 0; at < lengthBytes; at += rangeBytes) {
      if (inFlight.size() == IN_FLIGHT) {
        inFlight.poll().join();
      }
      int length = (int) Math.min(rangeBytes, lengthBytes - at);
      inFlight.add(connection.read(region, at, landing, slot * rangeBytes, length, TIMEOUT_MS));
      slot = (slot + 1) % IN_FLIGHT;
    }
    inFlight.forEach(CompletableFuture::join);
  }
}
