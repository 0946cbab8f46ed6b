package io.sluice.it.lab;

import io.sluice.it.cluster.Poll;
import io.sluice.it.lab.Lab.LabException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Programs of linux-rdma's perftest that read memory: a process that has it, and one that reads it.
 * Failure: {@link IOException} with what it said.
 */
enum Perftest {
  /** Says {@code bytes reads peak mean rate}; with MB/s it means MiB/s. */
  IB_READ_BW(5, 3),
  /** Says {@code bytes reads min max typical mean deviation 99% 99.9%}, in µs. */
  IB_READ_LAT(9, 5);

  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final String DEVICE = "rxe0"; // see guest.sh

  private final int columns;
  private final int meanColumn;

  Perftest(int columns, int meanColumn) {
    this.columns = columns;
    this.meanColumn = meanColumn;
  }

  /** Its mean over so many reads, in the unit of its kind. */
  double mean(InetAddress address, int readBytes, int reads) throws IOException {
    int port = Lab.freePort();
    Process server = start(port, readBytes, reads);
    try {
      return Poll.until(
          program() + " on port " + port,
          DEADLINE,
          () -> { // one that comes before the server listens ends at once
            Process client = start(port, readBytes, reads, address.getHostAddress());
            String said =
                new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (client.waitFor() != 0) {
              if (server.isAlive()) {
                throw new IOException(said);
              }
              throw new LabException(program() + " has failed: " + said);
            }
            return Optional.of(mean(said, readBytes, reads));
          });
    } finally {
      server.destroyForcibly();
    }
  }

  private String program() {
    return name().toLowerCase(Locale.ROOT);
  }

  private Process start(int port, int readBytes, int reads, String... server) throws IOException {
    List<String> command = new ArrayList<>();
    if (server.length > 0) {
      command.addAll(List.of("timeout", Long.toString(DEADLINE.toSeconds()))); // of coreutils
    }
    command.addAll(List.of(program(), "-F", "-d", DEVICE));
    command.addAll(List.of("-p", Integer.toString(port)));
    command.addAll(List.of("-s", Integer.toString(readBytes), "-n", Integer.toString(reads)));
    command.addAll(List.of(server));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    if (server.length == 0) {
      builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    }
    return builder.start();
  }

  private double mean(String said, int readBytes, int reads) {
    return said.lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> words.length == columns)
        .filter(words -> words[0].equals(Integer.toString(readBytes)))
        .filter(words -> words[1].equals(Integer.toString(reads)))
        .map(words -> Double.parseDouble(words[meanColumn]))
        .findFirst()
        .orElseThrow(() -> new LabException(program() + " has no mean: " + said));
  }
}
