package io.sluice.it.cluster;

import io.sluice.it.cluster.ProcessTable.ProcessRights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JVM of a running task attempt.
 *
 * @param attemptId such as {@code attempt_1700000000000_0001_m_000000_0}
 * @param node index of the NodeManager that started it
 * @param pid its process
 */
public record TaskProcess(String attemptId, int node, long pid) {
  private static final Pattern TASK =
      Pattern.compile("^\\S*/java .*/nm(\\d+)/.*YarnChild \\S+ \\d+ (attempt_\\S+) ");

  private static final String PEAK = "VmHWM:";

  private static final Pattern MASTER = Pattern.compile("^\\S*/java .*/nm(\\d+)/.*MRAppMaster");

  /** Indexes of the NodeManagers that have started ApplicationMasters which run. */
  static List<Integer> nodesOfMasters(Path clusterDirectory) {
    return ProcessTable.whoseCommandLineHas(clusterDirectory + "/").stream()
        .flatMap(process -> ProcessTable.commandLine(process.pid()).stream())
        .map(MASTER::matcher)
        .filter(Matcher::find)
        .map(found -> Integer.parseInt(found.group(1)))
        .toList();
  }

  static List<TaskProcess> running(Path clusterDirectory) {
    return ProcessTable.whoseCommandLineHas(clusterDirectory + "/").stream()
        .flatMap(process -> of(process.pid()).stream())
        .toList();
  }

  private static Optional<TaskProcess> of(long pid) {
    return ProcessTable.commandLine(pid)
        .map(TASK::matcher)
        .filter(Matcher::find)
        .map(found -> new TaskProcess(found.group(2), Integer.parseInt(found.group(1)), pid));
  }

  public boolean isMap() {
    return attemptId.contains("_m_");
  }

  /** Its user and capabilities right now. */
  public ProcessRights rights() {
    return ProcessTable.rights(pid);
  }

  /** The most memory that it has had by now, as the kernel counts it. */
  public long peakBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith(PEAK)) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no " + PEAK + " of " + this);
  }

  /** Ends the attempt as {@code kill -9} does. */
  public void killHard() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }
}
