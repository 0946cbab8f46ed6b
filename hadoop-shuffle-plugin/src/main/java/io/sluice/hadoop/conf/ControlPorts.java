package io.sluice.hadoop.conf;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ports at which a NodeManager's service may listen with its control protocol. The service
 * takes the first of them that is free, with those behind it. A reader tries them in the same
 * order. So a port that another program has taken stops neither.
 *
 * <pre>
 *   ShuffleHandler's port + offset            control
 *                         + 1 to + 3          data, a port for each transport
 *                         + 4 to + 6          probes
 *   the same 1,000 and 2,000 ports further on
 * </pre>
 *
 * <p>With the defaults these are 17562 to 17568, 18562 to 18568, and 19562 to 19568. Linux takes no
 * ports of outgoing connections from there, and neither Hadoop nor the programs that run beside it
 * listen there.
 *
 * <p>Several NodeManagers of one host need ports of their ShuffleHandlers that differ by 7 or more,
 * and not by 994 to 1,006 or by 1,994 to 2,006.
 */
public final class ControlPorts {
  private static final int GROUPS = 3;
  private static final int STEP = 1_000;
  private static final int PORTS_BEHIND = 6;
  private static final int MAX_PORT = 65_535;

  private ControlPorts() {}

  /**
   * All control ports, in the order in which they are tried.
   *
   * @param offset {@link NodeSettings#PORT_OFFSET}
   * @throws IOException if all of them are above the highest port
   */
  public static List<Integer> of(int shufflePort, int offset) throws IOException {
    List<Integer> ports =
        IntStream.range(0, GROUPS)
            .map(group -> shufflePort + offset + group * STEP)
            .filter(port -> port + PORTS_BEHIND <= MAX_PORT)
            .boxed()
            .toList();
    if (ports.isEmpty()) {
      throw new IOException(
          "the ShuffleHandler's port is %s, and %s, which is %s, leaves no room for Sluice's %s ports: lower it"
              .formatted(shufflePort, NodeSettings.PORT_OFFSET.name(), offset, PORTS_BEHIND + 1));
    }
    return ports;
  }
}
