package io.sluice.bench.micro;

import io.sluice.bench.micro.TransportBenchmark.RandomFile;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The bytes that {@link TransportBenchmark} reads, sent from one socket to another by the kernel,
 * in ranges that nobody asks for: as fast as it gets through the loopback.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 20)
@Fork(1)
public class SendfileBenchmark {
  private final ExecutorService sender = Executors.newSingleThreadExecutor();
  private int rangeBytes;
  private int lengthBytes;
  private FileChannel file;
  private SocketChannel in;
  private SocketChannel out;
  private ByteBuffer memory;

  /** Two sockets that are connected. */
  @Setup
  public void open(RandomFile random) throws IOException {
    rangeBytes = random.rangeBytes;
    lengthBytes = random.lengthBytes;
    file = FileChannel.open(random.path, StandardOpenOption.READ);
    memory = ByteBuffer.allocateDirect(rangeBytes);
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      in = SocketChannel.open(listening.getLocalAddress());
      out = listening.accept();
    }
  }

  /** Closes all. */
  @TearDown
  public void close() throws IOException {
    sender.shutdown();
    Closer.all(in, out, file);
  }

  @Benchmark
  public void send() throws IOException {
    CompletableFuture<Void> sent = CompletableFuture.runAsync(this::sendAll, sender);
    for (long left = lengthBytes; left > 0; ) {
      memory.clear().limit((int) Math.min(rangeBytes, left));
      while (memory.hasRemaining()) {
        int read = in.read(memory);
        if (read < 0) {
          throw new IOException("the sender has ended");
        }
        left -= read;
      }
    }
    sent.join();
  }

  private void sendAll() {
    try {
      for (long at = 0; at < lengthBytes; ) {
        at += file.transferTo(at, Math.min(rangeBytes, lengthBytes - at), out);
      }
    } catch (IOException e) {
      Closer.after(e, out); // or the receiver waits for ever
      throw new UncheckedIOException(e);
    }
  }
}
