package io.sluice.rdma.unix;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Two ends of a connection. */
record SocketPair(UnixSocket one, UnixSocket other) implements Closeable {
  /** At a path at which there is nothing before and after. */
  static SocketPair at(Path path, UnixSocket.Interrupts interrupts) throws IOException {
    try (UnixListener listener = UnixListener.bind(path, 1)) {
      UnixSocket one = UnixSocket.connect(path, interrupts, Long.MAX_VALUE);
      return new SocketPair(one, listener.accept());
    } finally {
      Files.deleteIfExists(path);
    }
  }

  @Override
  public void close() throws IOException {
    Closer.all(one, other);
  }
}
