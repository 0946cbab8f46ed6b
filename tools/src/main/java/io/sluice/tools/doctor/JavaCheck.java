package io.sluice.tools.doctor;

import java.util.List;

/** The Java release this runs on, and the module that maps persistent memory. */
final class JavaCheck implements Check {
  private static final String SUBJECT = "Java";
  private static final int OLDEST = 17;
  private static final String SYNC_MODULE = "jdk.nio.mapmode";

  @Override
  public List<Finding> look() {
    String what = "%s from %s".formatted(Runtime.version(), System.getProperty("java.home"));
    if (Runtime.version().feature() < OLDEST) {
      return List.of(
          Finding.broken(
              SUBJECT,
              what,
              "%s or later is needed".formatted(OLDEST),
              "apt-get install openjdk-17-jdk-headless, and set JAVA_HOME"));
    }
    if (ModuleLayer.boot().findModule(SYNC_MODULE).isEmpty()) {
      return List.of(
          Finding.problem(
              SUBJECT,
              what,
              "it lacks the module " + SYNC_MODULE + ", with which persistent memory is mapped",
              "set JAVA_HOME to a whole JDK"));
    }
    return List.of(Finding.ok(SUBJECT, what));
  }
}
