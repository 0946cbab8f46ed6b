package io.sluice.it.cluster;

import java.util.Arrays;
import java.util.List;

/**
 * Whom a process runs as and what it may do besides, as the kernel says it.
 *
 * @param uids its real, effective, saved and file system user
 * @param capabilities its effective ones, a bit for each
 */
public record ProcessRights(List<Integer> uids, long capabilities) {
  private static final String UIDS = "Uid:";
  private static final String CAPABILITIES = "CapEff:";

  /** Of a process that is this user in every respect and may do what that one may. */
  public static ProcessRights ordinary(int uid) {
    return with(uid, 0);
  }

  /** Of one that may do more. */
  static ProcessRights with(int uid, long capabilities) {
    return new ProcessRights(List.of(uid, uid, uid, uid), capabilities);
  }

  /** Reads the lines of {@code /proc/<pid>/status}. */
  static ProcessRights parse(List<String> status) {
    return new ProcessRights(
        Arrays.stream(value(status, UIDS).split("\\s+")).map(Integer::valueOf).toList(),
        Long.parseUnsignedLong(value(status, CAPABILITIES), 16));
  }

  private static String value(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst()
        .orElseThrow(() -> new ClusterException("no line %s in %s".formatted(name, status)));
  }
}
