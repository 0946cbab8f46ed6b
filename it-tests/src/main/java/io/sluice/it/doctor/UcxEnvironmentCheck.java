package io.sluice.it.doctor;

import java.util.List;
import java.util.Map;

/**
 * The one variable that UCX must find in the environment of a JVM.
 *
 * @param files where the kernel shows RDMA devices
 * @param environment of this process
 */
record UcxEnvironmentCheck(SystemFiles files, Map<String, String> environment) implements Check {
  private static final String VARIABLE = "UCX_ERROR_SIGNALS";
  private static final String SUBJECT = "environment";

  @Override
  public List<Finding> look() {
    String value = environment.get(VARIABLE);
    if ("".equals(value)) {
      return List.of(Finding.ok(SUBJECT, VARIABLE + " is set and empty"));
    }
    String what = value == null ? VARIABLE + " is not set" : VARIABLE + "=" + value;
    String cause = "UCX would take over the JVM's own signals, and so does not get loaded";
    String remedy =
        "here: export UCX_ERROR_SIGNALS= ; NodeManagers: the same line in yarn-env.sh; tasks:"
            + " UCX_ERROR_SIGNALS= in mapreduce.reduce.env";
    return List.of(
        RdmaPort.read(files).isEmpty()
            ? Finding.info(SUBJECT, what, cause, remedy)
            : Finding.problem(SUBJECT, what, cause, remedy));
  }
}
