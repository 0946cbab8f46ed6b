package io.sluice.it.lab;

import io.sluice.it.cluster.Poll;
import io.sluice.it.lab.Lab.LabException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code ib_read_bw} of linux-rdma's perftest: a process that has memory, and one that reads it.
 * Failure: {@link IOException} with what it said.
 */
final class IbReadBw {
  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final String DEVICE = "rxe0"; // see guest.sh

  private IbReadBw() {}

  /** Its mean over so many reads, in MiB/s, which it calls MB/s. */
  static double mibPerS(InetAddress address, int readBytes, int reads) throws IOException {
    int port = Lab.freePort();
    Process server = start(port, readBytes, reads);
    try {
      return Poll.until(
          "ib_read_bw on port " + port,
          DEADLINE,
          () -> { // one that comes before the server listens ends at once
            Process client = start(port, readBytes, reads, address.getHostAddress());
            String said =
                new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (client.waitFor() != 0) {
              if (server.isAlive()) {
                throw new IOException(said);
              }
              throw new LabException("ib_read_bw has failed: " + said);
            }
            return Optional.of(mean(said, readBytes, reads));
          });
    } finally {
      server.destroyForcibly();
    }
  }

  private static Process start(int port, int readBytes, int reads, String... server)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (server.length > 0) {
      command.addAll(List.of("timeout", Long.toString(DEADLINE.toSeconds()))); // of coreutils
    }
    command.addAll(List.of("ib_read_bw", "-F", "-d", DEVICE));
    command.addAll(List.of("-p", Integer.toString(port)));
    command.addAll(List.of("-s", Integer.toString(readBytes), "-n", Integer.toString(reads)));
    command.addAll(List.of(server));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    if (server.length == 0) {
      builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    }
    return builder.start();
  }

  /** Of the line {@code bytes reads peak mean rate}. */
  private static double mean(String said, int readBytes, int reads) {
    return said.lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> words.length == 5)
        .filter(words -> words[0].equals(Integer.toString(readBytes)))
        .filter(words -> words[1].equals(Integer.toString(reads)))
        .map(words -> Double.parseDouble(words[3]))
        .findFirst()
        .orElseThrow(() -> new LabException("ib_read_bw has no mean: " + said));
  }
}
