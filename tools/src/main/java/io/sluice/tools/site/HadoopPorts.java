package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.SystemFiles;
import io.sluice.tools.site.SiteConf.Property;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether the ports of a NodeManager's service collide with others. The ports are those of
 * docs/ports.md: seven ports from the ShuffleHandler's port plus an offset, and the same ports plus
 * 1,000 and plus 2,000.
 *
 * @param conf the cluster's configuration
 * @param files where the kernel shows the range of ports for outgoing connections
 */
record HadoopPorts(SiteConf conf, SystemFiles files) {
  static final String SHUFFLE_PORT = "mapreduce.shuffle.port";
  static final int DEFAULT_SHUFFLE_PORT = 13_562;
  static final String OFFSET = "sluice.service.port-offset";
  static final int DEFAULT_OFFSET = 4_000;
  static final int GROUPS = 3;
  static final int STEP = 1_000;
  static final int PORTS = 7;

  static final int SPARK_SERVICE_PORT = 7_337;

  private static final int MAX_PORT = 65_535;
  static final String OUTGOING = "/proc/sys/net/ipv4/ip_local_port_range";
  private static final Pattern PORT = Pattern.compile("(?:.*:)?(\\d{2,5})");

  /** Default ports of other services in a NodeManager. */
  private static final Map<String, Integer> NEIGHBOURS =
      Map.of("tez.shuffle.port", 13_563, "spark.shuffle.service.port", SPARK_SERVICE_PORT);

  List<Finding> look() {
    Optional<Integer> shuffle = conf.number(SHUFFLE_PORT, DEFAULT_SHUFFLE_PORT);
    Optional<Integer> offset = conf.number(OFFSET, DEFAULT_OFFSET);
    if (shuffle.isEmpty() || offset.isEmpty()) {
      String name = shuffle.isEmpty() ? SHUFFLE_PORT : OFFSET;
      return List.of(
          Finding.broken(
              conf.get(name).orElseThrow().where(),
              "is %s, which is no whole number".formatted(conf.get(name, "")),
              "the service does not start",
              "set it to a number, or remove it"));
    }
    if (shuffle.get() == 0) {
      return List.of(
          Finding.broken(
              conf.get(SHUFFLE_PORT).orElseThrow().where(),
              "is 0",
              "reducers compute Sluice's port from it, so the service does not start",
              "set it to a fixed port, such as " + DEFAULT_SHUFFLE_PORT));
    }
    int first = shuffle.get() + offset.get();
    String subject = "ports of the service";
    if (first + PORTS - 1 > MAX_PORT) {
      return List.of(
          Finding.broken(
              subject,
              "would begin at %s".formatted(first),
              "%s ports from there exceed %s".formatted(PORTS, MAX_PORT),
              "lower " + OFFSET));
    }
    List<Finding> findings = new ArrayList<>(collisions(subject, first));
    outgoing(subject, first).ifPresent(findings::add);
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                subject, "are %s, and nothing else is set to one of them".formatted(words(first))))
        : findings;
  }

  private List<Finding> collisions(String subject, int first) {
    List<Finding> findings = new ArrayList<>();
    others()
        .forEach(
            (name, port) -> {
              if (isOurs(port, first)) {
                findings.add(
                    Finding.problem(
                        subject,
                        "are %s, and %s is %s".formatted(words(first), name, port),
                        "the service that starts second finds its port taken; a NodeManager"
                            + " exits if one of its other services does not start",
                        "set %s so that the ports differ, for jobs too; it is %s now"
                            .formatted(OFFSET, conf.get(OFFSET, "" + DEFAULT_OFFSET))));
              }
            });
    return findings;
  }

  /**
   * Other ports by the names of their properties: defaults of neighbours, and values in these
   * files.
   */
  private Map<String, Integer> others() {
    Map<String, Integer> ports = new TreeMap<>(NEIGHBOURS);
    for (Property property : conf.all()) {
      Matcher value = PORT.matcher(property.value());
      if (property.name().matches(".*(address|port)") && value.matches()) {
        ports.put(property.name(), Integer.parseInt(value.group(1)));
      }
    }
    return ports;
  }

  private static boolean isOurs(int port, int first) {
    return port >= first
        && port < first + (GROUPS - 1) * STEP + PORTS
        && (port - first) % STEP < PORTS;
  }

  private Optional<Finding> outgoing(String subject, int first) {
    String[] range = files.line(OUTGOING).orElse("0 0").split("\\s+");
    int from = Integer.parseInt(range[0]);
    int to = Integer.parseInt(range[1]);
    return first + PORTS - 1 >= from && first <= to
        ? Optional.of(
            Finding.problem(
                subject,
                "are %s".formatted(words(first)),
                "this kernel uses ports from %s to %s for outgoing connections (%s), which may"
                        .formatted(from, to, OUTGOING)
                    + " have one when the service starts",
                "lower %s, so that all ports are below %s".formatted(OFFSET, from)))
        : Optional.empty();
  }

  private static String words(int first) {
    List<String> groups = new ArrayList<>();
    for (int group = 0; group < GROUPS; group++) {
      int port = first + group * STEP;
      if (port + PORTS - 1 <= MAX_PORT) {
        groups.add("%s to %s".formatted(port, port + PORTS - 1));
      }
    }
    return String.join(", or ", groups);
  }
}
