package io.sluice.node.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Counts the sockets and selectors of this process; jars and class files come and go. */
public final class OpenSockets {
  private OpenSockets() {}

  /** How many there are. */
  public static int count() throws IOException {
    SocketChannel.open().close(); // with the first, the JVM opens some that it keeps
    int count = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        try {
          String target = Files.readSymbolicLink(file).toString();
          count += target.startsWith("socket:") || target.contains("eventpoll") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // closed since it was listed, as the one for the listing itself
        }
      }
    }
    return count;
  }
}
