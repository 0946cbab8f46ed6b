package io.sluice.node.faults;

import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Base64;

/**
 * A task that gives its lease back and keeps the segment that it was handed, open and mapped, to
 * see later what has come to lie there.
 */
final class KeeperMain {
  private static final long TIMEOUT_MS = 120_000;
  private static final byte OWN = 7;

  private KeeperMain() {}

  /**
   * Takes what the service says of itself, the application and its secret. Looks when its input has
   * ended.
   */
  public static void main(String[] args) throws Exception {
    SegmentFile kept;
    Mapping mapping;
    try (SocketClient task = connect(args)) {
      SegmentInfo segment = task.lease(1).get(0).segment();
      kept = task.opener().open(segment, true);
      mapping = kept.map(FileChannel.MapMode.READ_WRITE, 0, (int) segment.lengthBytes());
      byte[] own = new byte[mapping.buffer().remaining()];
      Arrays.fill(own, OWN);
      mapping.buffer().duplicate().put(own);
    }
    System.out.println("kept " + kept.lengthBytes() + " bytes");
    while (System.in.read() >= 0) {}
    System.out.println("the file has " + kept.lengthBytes() + " bytes");
    try (SocketClient task = connect(args)) {
      System.out.println("opened again: GOT " + task.opener().open(kept.info(), false));
    } catch (NoSuchFileException e) {
      System.out.println("opened again: " + e.getClass().getSimpleName());
    }
    System.out.println("the mapping shows " + shown(mapping.buffer().duplicate()));
  }

  private static SocketClient connect(String[] args) throws Exception {
    NodeMetadata service = NodeMetadata.decode(Base64.getDecoder().decode(args[0]));
    JobSecret secret = new JobSecret(args[2].getBytes(StandardCharsets.US_ASCII));
    return SocketClient.connect(
        service.address().socket(), service.owner(), args[1], secret, TIMEOUT_MS);
  }

  /** Has the kernel copy it, which says so where there is nothing; a JVM that looks may end. */
  private static String shown(ByteBuffer mapped) throws IOException {
    Path copy = Files.createTempFile("kept", "");
    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      while (mapped.hasRemaining()) {
        file.write(mapped);
      }
      int foreign = 0;
      for (byte each : Files.readAllBytes(copy)) {
        if (each != OWN) {
          foreign++;
        }
      }
      return foreign == 0 ? "what was its own" : "GOT " + foreign + " other bytes";
    } catch (IOException e) {
      return "nothing: " + e.getMessage();
    } finally {
      Files.delete(copy);
    }
  }
}
