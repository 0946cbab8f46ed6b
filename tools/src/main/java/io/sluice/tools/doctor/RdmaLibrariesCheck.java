package io.sluice.tools.doctor;

import java.util.List;
import java.util.stream.Stream;

/**
 * The libraries that transport ucx loads, by looking for their files where the system keeps such.
 *
 * @param files where to look
 */
record RdmaLibrariesCheck(SystemFiles files) implements Check {
  private static final String SUBJECT = "RDMA libraries";
  private static final List<String> LIBRARIES =
      List.of("libibverbs.so.1", "librdmacm.so.1", "libucp.so.0");

  @Override
  public List<Finding> look() {
    List<String> directories =
        Stream.of("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib")
            .flatMap(
                directory ->
                    Stream.concat(
                        Stream.of(directory),
                        files.names(directory).stream()
                            .filter(name -> name.endsWith("-linux-gnu"))
                            .map(name -> directory + "/" + name)))
            .toList();
    List<String> missing =
        LIBRARIES.stream()
            .filter(library -> directories.stream().noneMatch(d -> files.exists(d + "/" + library)))
            .toList();
    if (missing.isEmpty()) {
      return List.of(Finding.ok(SUBJECT, String.join(", ", LIBRARIES)));
    }
    String what = "without " + String.join(", ", missing);
    String cause = "not in the system's library directories";
    String remedy =
        "apt-get install libucx0 ibverbs-providers (Fedora, RHEL: dnf install ucx ucx-ib"
            + " ucx-rdmacm)";
    return List.of(
        RdmaPort.read(files).isEmpty()
            ? Finding.info(SUBJECT, what, cause, remedy)
            : Finding.problem(SUBJECT, what, cause, remedy));
  }
}
