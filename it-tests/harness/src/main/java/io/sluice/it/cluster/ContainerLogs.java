package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The logs that containers leave in the NodeManagers' log directories.
 *
 * @param roots the log directory of each NodeManager
 */
public record ContainerLogs(List<Path> roots) {

  /** The lines a container logged. */
  public List<String> syslog(String containerId) {
    String application =
        containerId.replaceFirst("container_(?:e\\d+_)?(\\d+_\\d+)_.*", "application_$1");
    return roots.stream()
        .map(root -> root.resolve(application).resolve(containerId).resolve("syslog"))
        .filter(Files::exists)
        .findFirst()
        .map(ContainerLogs::lines)
        .orElseThrow(() -> new ClusterException("no syslog of " + containerId + " below " + roots));
  }

  /** The directories of a job's containers. */
  public List<Path> ofJob(String jobId) {
    String applicationId = jobId.replace("job", "application");
    return roots.stream()
        .flatMap(root -> Workspace.matching(root.resolve(applicationId), "container", "").stream())
        .toList();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
