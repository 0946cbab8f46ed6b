package io.sluice.tools.doctor;

import io.sluice.rdma.memory.NativeCalls;
import java.util.List;
import java.util.Optional;

/**
 * Whether a JVM can make the system calls that Java does not offer. JNA unpacks a library for that
 * into a directory, which a container with a read-only root does not have, and which may be mounted
 * {@code noexec}.
 *
 * @param failure why they do not work; empty if they do
 */
record NativeCallsCheck(Optional<String> failure) implements Check {
  private static final String SUBJECT = "native calls";

  static NativeCallsCheck ofThisProcess() {
    return new NativeCallsCheck(NativeCalls.unavailabilityCause());
  }

  @Override
  public List<Finding> look() {
    return failure
        .map(
            cause ->
                List.of(
                    Finding.problem(
                        SUBJECT,
                        "do not work: no transport ucx, no pool on a DAX device or in huge pages,"
                            + " and no NodeManager's service for tasks of other users",
                        cause,
                        "-Djna.tmpdir=DIR, a directory that is writable and not mounted noexec, in"
                            + " YARN_NODEMANAGER_OPTS, in the options of tasks' and executors'"
                            + " JVMs, and behind java for this doctor")))
        .orElseGet(() -> List.of(Finding.ok(SUBJECT, "work")));
  }
}
