package io.sluice.node.faults;

import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A reader that tries to make more of the descriptor that it was handed than it may. */
final class ReopenMain {
  private static final long TIMEOUT_MS = 120_000;
  private static final int ACCESS_MODE = 3; // O_ACCMODE; O_RDONLY is 0

  private ReopenMain() {}

  /** Takes what the service says of itself, the application and its secret. */
  public static void main(String[] args) throws Exception {
    SegmentInfo segment;
    try (SocketClient writer = connect(args)) {
      segment = writer.lease(1).get(0).segment();
    }
    try (SocketClient reader = connect(args);
        SegmentFile handed = reader.opener().open(segment, false)) {
      System.out.println("handed " + handed.lengthBytes() + " bytes");
      Set<String> outcomes = new TreeSet<>(); // a client may have opened it more than once
      for (Path descriptor : descriptors()) {
        outcomes.add("access mode: " + accessMode(descriptor));
        outcomes.add("to read: " + opened(descriptor, StandardOpenOption.READ));
        outcomes.add("to write: " + opened(descriptor, StandardOpenOption.WRITE));
      }
      outcomes.forEach(System.out::println);
    }
  }

  private static SocketClient connect(String[] args) throws Exception {
    NodeMetadata service = NodeMetadata.decode(Base64.getDecoder().decode(args[0]));
    JobSecret secret = new JobSecret(args[2].getBytes(StandardCharsets.US_ASCII));
    return SocketClient.connect(
        service.address().socket(), service.owner(), args[1], secret, TIMEOUT_MS);
  }

  /** Those of this process that are of segments. */
  private static List<Path> descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(ReopenMain::isOfASegment).toList();
    }
  }

  private static boolean isOfASegment(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).getFileName().toString().startsWith("segment-");
    } catch (IOException e) {
      return false; // the one that lists them
    }
  }

  private static int accessMode(Path descriptor) throws IOException {
    String flags =
        Files.readAllLines(Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName())).stream()
            .filter(line -> line.startsWith("flags:"))
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(flags.substring("flags:".length()).strip(), 8) & ACCESS_MODE;
  }

  private static String opened(Path descriptor, OpenOption how) {
    try (FileChannel again = FileChannel.open(descriptor, how)) {
      return "GOT " + again.size() + " bytes";
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }
}
