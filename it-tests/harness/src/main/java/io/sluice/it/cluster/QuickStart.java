package io.sluice.it.cluster;

import java.util.List;

/**
 * Options of JVMs that start rather than compute, for tests: most of their time is start-up. To
 * verify the engines' classes is a sixth of a start here, a third in an emulator. That those of
 * Sluice's jars can be verified is shown by JVMs without these options: of {@code ./sluice run}, of
 * the archive of classes, and of the test of each Spark release.
 */
public final class QuickStart {
  public static final List<String> OPTIONS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  /** The same as one word of a command line or setting. */
  public static final String LINE = String.join(" ", OPTIONS);

  private QuickStart() {}
}
